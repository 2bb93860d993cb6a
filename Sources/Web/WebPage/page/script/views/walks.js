// The Walks view: the list of walks

function walksView() {
  const list = make('div', {});
  const failure = make('p', { class: 'failure', role: 'alert' });
  const more = button('Show earlier walks', () => { count += 50; load(); });
  more.hidden = true;
  let count = 50;
  const search = make('input', { type: 'search', autocomplete: 'off', input: find });

  /** Hides the walks that do not contain every search word. A word may be a participant's pseudonym. */
  function find() {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const walk of list.querySelectorAll('.walk')) {
      const text = walk.textContent.toLowerCase();
      walk.hidden = !words.every((word) => text.includes(word));
    }
  }

  async function load() {
    try {
      const sessions = await call(`/api/v1/sessions?newest=${count}`, undefined, { seconds: 30 });
      setText(failure, '');
      more.hidden = sessions.length < count;
      list.replaceChildren(...sessions.slice().reverse().map(walkLine));
      find();
      if (!sessions.length) list.replaceChildren(make('p', { class: 'quiet', text: 'No walks yet.' }));
    } catch (error) {
      setText(failure, error.sentence);
      if (!list.querySelector('.walk')) list.replaceChildren();
    }
  }
  const needsForget = state.access.kind === 'fleet';
  const element = make('div', {}, make('h1', { text: 'Walks' }), field('Find a participant, a wearer, a note or a day', search), failure, list, more, needsForget ? forgetCard() : null);
  list.append(make('p', { class: 'quiet', text: 'Loading …' }));
  load();
  return { element, title: 'Walks', again: load };
}

/** Returns the number of lost samples as text. The number may be unknown if a damaged store was repaired. */
function lostInWalk({ lost, lostAtLeast, lostChunks, ended }) {
  const gone = lostChunks ? ` (${plural(lostChunks, 'chunk')} damaged)` : '';
  if (lostAtLeast !== undefined) return lostAtLeast ? `${figure(lostAtLeast)} or more lost${gone}` : 'an unknown number lost' + gone;
  if (lost === null) return '';
  return lost ? `${lostChunks || ended === 'recording' ? 'about ' : ''}${figure(lost)} lost${gone}` : 'none lost';
}

function walkLine(session) {
  // These figures do not yet include the most recent samples, or losses that will be discovered later.
  const about = session.ended === 'recording' ? 'about ' : '';
  const facts = [
    state.access.kind === 'fleet' ? session.gatewayName || session.gateway : '', session.participant ? session.participant.id : '',
    session.wearer ? `worn by ${session.wearer}` : '',
    Number.isFinite(session.distanceMetres) ? about + distanceText(session.distanceMetres) : '',
    session.steps ? `${about}${figure(session.steps)} steps` : '',
    session.gainMetres >= 1 ? `${about}${figure(session.gainMetres)} m up` : '',
    session.boards === null || session.boards === undefined ? '' : plural(session.boards, 'board'),
    session.samples === null ? '' : `${about}${figure(session.samples)} samples`,
    lostInWalk(session), session.tasks > 0 ? plural(session.tasks, 'task') : '', session.submitted ? 'report submitted' : '', session.ended,
  ];
  return make('a', { class: 'walk', href: '#walks/' + encodeURIComponent(walkName(session)) },
    make('div', { class: 'row apart' }, make('b', { text: dateText(session.start) }),
      make('span', { class: 'long', text: session.seconds === null ? '' : clockText(session.seconds) })),
    make('p', { text: facts.filter(Boolean).join(' · ') }), session.note ? make('p', { text: session.note }) : null);
}

