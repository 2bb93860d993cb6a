// The cards shown for a walk, in addition to the chart, track and marks

function editCard({ id, report, reload }) {
  const former = report.participant ? report.participant.id : '';
  const participant = participantChoice('none');
  const wearer = make('input', { type: 'text', maxlength: '100', value: report.wearer, autocomplete: 'off' });
  const note = make('textarea', { maxlength: '2000' });
  note.value = report.note;
  const failure = make('p', { class: 'failure', role: 'alert' });
  const isReadOnly = !mayOperate();
  if (isReadOnly) return make('span', { hidden: true });
  participant.load(former);

  async function save(event) {
    event.preventDefault();
    // Only changed fields are sent, because another phone may have corrected the others.
    const changes = {};
    if (!participant.element.hidden && participant.id !== former) changes.participant = participant.id;
    if (oneLine(wearer) !== report.wearer) changes.wearer = oneLine(wearer);
    if (oneLine(note) !== report.note) changes.note = oneLine(note);
    try {
      if (Object.keys(changes).length) await call(sessionPath(id, '/edit'), changes);
      say('Saved.');
      reload();
    } catch (error) {
      setText(failure, error.sentence);
    }
  }
  return make('section', { class: 'card' }, make('details', {}, make('summary', { text: 'Participant, wearer and note' }),
    make('form', { class: 'form', submit: save }, participant.element, field('Wearer', wearer), field('Note', note), failure, make('button', { class: 'main', text: 'Save' }))));
}

/** A button that exchanges the labels of two swapped boards. */
function swapButton(session, { boards }, done = () => {}) {
  const failure = make('p', { class: 'failure', role: 'alert' });
  const press = button('Swap the labels', async () => {
    // A second press would undo the effect of the first.
    press.disabled = true;
    try {
      await call(sessionPath(session, '/edit'), { swap: boards });
      say('Swapped.');
      setText(failure, '');
      done();
    } catch (error) {
      press.disabled = false;
      setText(failure, error.sentence);
    }
  });
  return make('div', {}, press, failure);
}

/** The boards that were swapped, turned or loose. */
function mountingCard({ id, report, reload }) {
  if (!report.mountings.length) return make('span', { hidden: true });
  return make('ul', { class: 'plain card' }, ...report.mountings.map((fault) => {
    const item = finding('warning', fault.places[0], fault.phone.text, fault.phone.remedy);
    if (fault.kind === 'swapped' && mayOperate()) item.lastChild.append(swapButton(id, fault, reload));
    return item;
  }));
}

function downloadsCard({ id }) {
  const list = make('ul', { class: 'plain links' });
  const failure = make('p', { class: 'failure', role: 'alert' });
  async function load() {
    if (list.children.length) return;
    try {
      const { formats } = await call('/api/v1/formats');
      list.replaceChildren(...formats.map((format) => make('li', {},
        make('a', { href: sessionPath(id, '/export?format=' + encodeURIComponent(format.name)), download: true, text: format.title }))));
      setText(failure, '');
    } catch (error) {
      setText(failure, error.sentence);
    }
  }
  const details = make('details', { toggle: () => { if (details.open) load(); } }, make('summary', { text: 'Downloads' }), list,
    make('p', { class: 'quiet', text: 'Two files can be downloaded at a time.' }), failure);
  return make('section', { class: 'card' }, details);
}

function streamsCard({ report }) {
  const names = namesOf(report.boards);
  return make('section', { class: 'card' }, make('details', {}, make('summary', { text: 'Samples and losses' }),
    report.hasUnknownLosses ? make('p', { class: 'failure', text: 'More samples may be lost than are counted here: the store was damaged.' }) : null,
    factList(report.streams.map((stream) => [
      `${names[stream.board] || stream.board}, ${signalText(stream.signal).toLowerCase()}`,
      `${figure(stream.samples)} samples at ${figure(stream.achievedHertz, 2)} of ${figure(stream.requestedHertz, 2)} Hz; `
        + lossText(stream.lost, stream.samples) + (stream.lossIsEstimate && lossText(stream.lost, 1) !== 'none lost' ? ' (estimated)' : ''),
    ]))));
}

function eventsCard(report) {
  const names = namesOf(report.boards);
  const list = (events) => factList(events.map((event) => [clockText(event.seconds), eventText(event, names)]));
  const rest = report.events.slice(300);
  const more = button(`Show ${figure(rest.length)} more`, () => more.replaceWith(list(rest)));
  return make('section', { class: 'card' }, make('details', {}, make('summary', { text: `Events (${figure(report.events.length)})` }),
    list(report.events.slice(0, 300)), rest.length ? more : null));
}

function eventText(event, names) {
  const value = event.value === null ? '' : figure(event.value);
  return [names[event.board] || event.board, event.kind.replace(/-/g, ' '), event.text, value].filter(Boolean).join(' · ');
}

function deleteCard({ id }) {
  const failure = make('p', { class: 'failure', role: 'alert' });
  const remove = twoStepButton('Delete this walk', 'Press again to delete it permanently', async () => {
    remove.disabled = true;
    try {
      await call(sessionPath(id, '/delete'), { confirm: id }, { seconds: 60 });
      say('Walk deleted.');
      location.hash = '#walks';
    } catch (error) {
      setText(failure, error.sentence);
      remove.disabled = false;
    }
  });
  return make('section', { class: 'card' }, failure, remove);
}

