// The report at the end of a walk: the sheet with hazards and questions, and the card that shows a walk's reports

/** Maximum length of the answers in bytes. The gateway accepts 64 KiB, including the rest of the request. */
const LONGEST_ANSWERS = 64000;

/**
 * This phone's reports. For each session: a draft, and whether the draft has been submitted. The gateway calls a report
 * a survey.
 */
const surveys = {
  records: new Map(),
  /** The questions from the last known definitions, and the last walk that was stopped on this phone. */
  questions: keptJSON('questions') || [],
  last: keptJSON('stopped-walk'),

  /**
   * Returns the record of a session. The browser's storage takes precedence, because another window may
   * have changed it.
   */
  of(session) {
    return keptJSON(`survey:${session}`) || this.records.get(session)
      || { id: randomID(), isOpen: false, isSent: false, isNone: false, hazards: {}, answers: {} };
  },

  change(session, changes) {
    const record = { ...this.of(session), ...changes };
    this.records.set(session, record);
    keepText(`survey:${session}`, JSON.stringify(record));
  },

  /** Asks about a walk that was stopped on this phone. */
  ask(walk) {
    this.last = { ...walk, time: Date.now() };
    keepText('stopped-walk', JSON.stringify(this.last));
    if (!this.of(walk.session).isSent) this.open(walk.session);
  },

  /** Opens the sheet in the current view, and fetches the questions. */
  open(session) {
    this.change(session, { isOpen: true });
    this.load();
    frame.tell('survey');
    const title = document.querySelector('.sheet h2');
    if (title) title.focus();
  },

  close(session, changes = {}) {
    this.change(session, { isOpen: false, ...changes });
    frame.tell('survey');
    document.getElementById('main').focus({ preventScroll: true });
  },

  /** Offers the report again after it was discarded, unless the gateway already has a report from this phone. */
  discard({ session, status }) { this.change(session, { isSent: status === 409 }); },

  /** Stores the questions, because the walk may end when there is no network. */
  learn({ tasks: known = [] }) {
    this.questions = known.filter((task) => task.type === 'survey').flatMap((task) => task.questions || []);
    keepText('questions', JSON.stringify(this.questions));
  },

  async load() {
    if (!state.hazardNames.length) loadHazardNames();
    try { this.learn(await call('/api/v1/definitions')); } catch (error) { return; }
    frame.tell('survey');
  },
};

/** Returns a session's hazards, including changes that have not yet been delivered by this phone. */
function hazardsWithWaiting(session, hazards) {
  const all = hazards.map((one) => ({ ...one }));
  for (const { kind, session: place, phase, name, intensity } of outbox.items.values()) {
    if (kind !== 'hazard' || place !== session || phase === 'refused') continue;
    const held = hazardNamed(name, all);
    if (held) held.intensity = intensity; else all.push({ name, intensity });
  }
  return all.filter((one) => one.intensity > 0);
}

/**
 * Returns the answer in the form in which it is sent: `null` if there is no answer, `undefined` if the number is
 * invalid.
 */
function answerOf({ type, choices = [], from, to }, value = null) {
  if (type === 'choice') return choices.includes(value) ? value : null;
  const text = String(value ?? '').replace(/\s+/g, ' ').trim();
  if (type === 'text' || !text) return text || null;
  const number = Number(text.replace(',', '.'));
  return Number.isFinite(number) && number >= (from ?? -Infinity) && number <= (to ?? Infinity) ? number : undefined;
}

function bytesOf(value) { return new TextEncoder().encode(JSON.stringify(value)).length; }

/** Returns the values of a scale that fits on a phone; an empty array for a question that is answered by typing. */
function scaleValues({ type, from, to }) {
  const isRow = type === 'scale' && Number.isFinite(from) && Number.isFinite(to) && to - from <= 20;
  return isRow ? Array.from({ length: Math.floor(to - from) + 1 }, (_, step) => from + step) : [];
}

/** Returns a text with the limits for a typed number; an empty text for other questions. */
function rangeText(question) {
  const { type, from, to } = question;
  if (!['scale', 'number'].includes(type) || scaleValues(question).length) return '';
  return ['a number', Number.isFinite(from) ? `from ${from}` : '', Number.isFinite(to) ? `to ${to}` : ''].filter(Boolean).join(' ');
}

/** Creates the element of a question. `change` is called with each new value. */
function questionField(question, value, change) {
  const { id, type, text, optional } = question;
  const values = scaleValues(question);
  const remarks = [rangeText(question), optional ? 'optional' : ''].filter(Boolean);
  const name = remarks.length ? `${text} (${remarks.join(', ')})` : text;
  const group = (...parts) => make('fieldset', {}, make('legend', { text: name }), ...parts);
  if (type === 'choice') {
    const option = (choice, label) => make('label', { class: 'option' },
      make('input', { type: 'radio', name: `question-${id}`, checked: choice === (value ?? null), change: () => change(choice) }), label);
    return group(...question.choices.map((choice) => option(choice, choice)), optional ? option(null, 'No answer') : null);
  }
  if (values.length) {
    const press = (event) => {
      const isOn = event.target.getAttribute('aria-pressed') === 'true';
      for (const one of row.children) one.setAttribute('aria-pressed', String(one === event.target && !isOn));
      change(isOn ? null : Number(event.target.textContent));
    };
    const row = make('div', { class: 'row' }, ...values.map((one) => make('button', {
      type: 'button', class: 'tight', text: String(one), 'aria-pressed': String(one === value), click: press,
    })));
    return group(row);
  }
  const follow = (event) => change(event.target.value);
  const input = type === 'text' ? make('textarea', { maxlength: '2000', input: follow })
    : make('input', { type: 'text', inputmode: 'decimal', maxlength: '40', autocomplete: 'off', input: follow });
  input.value = value ?? '';
  return field(name, input);
}

/**
 * The questions about a walk of this length, with the walk's hazards. `time` is the time at which this phone stopped
 * the walk, if it did.
 */
function surveySheet({ session, seconds, hazards, time }) {
  const noted = hazardsWithWaiting(session, hazards);
  const draft = surveys.of(session);
  const failure = make('p', { class: 'failure', role: 'alert' });
  const noHazard = button('No hazard', () => { draft.isNone = !draft.isNone; keep(); });
  const fields = surveys.questions.map((question) => questionField(question, draft.answers[question.id], (value) => {
    draft.answers[question.id] = value;
    keep();
  }));
  const names = noted.map((one) => one.name);
  for (const name of [...state.hazardNames, ...Object.keys(draft.hazards)]) {
    if (!names.some((other) => other.toLowerCase() === name.toLowerCase())) names.push(name);
  }
  const tiles = names.map((name) => hazardTile(name, () => {
    const intensity = (intensityOf(name) + 1) % 4;
    // The draft contains only changes, because another phone may report the hazard before this draft is submitted.
    if (intensity === notedIntensityOf(name)) delete draft.hazards[name]; else draft.hazards[name] = intensity;
    draft.isNone = false;
    say(`${name}, intensity ${intensityText(intensity)}.`);
    keep();
  }));

  function notedIntensityOf(name) { return hazardNamed(name, noted)?.intensity ?? 0; }
  function intensityOf(name) { return draft.hazards[name] ?? notedIntensityOf(name); }
  function hasHazard() { return names.some((name) => intensityOf(name) > 0); }

  function keep() {
    const { isNone, hazards: chosen, answers } = draft;
    surveys.change(session, { isNone, hazards: chosen, answers });
    setText(failure, '');
    show();
  }

  function show() {
    for (const [place, name] of names.entries()) {
      const intensity = intensityOf(name);
      const isNoted = intensity > 0 && intensity === notedIntensityOf(name);
      tiles[place].show(intensity, intensity ? `${isNoted ? 'noted: ' : ''}${intensityWords[intensity]}` : 'tap to add');
    }
    noHazard.disabled = hasHazard();
    noHazard.setAttribute('aria-pressed', String(draft.isNone && !hasHazard()));
  }

  /** Sends the changed hazards, and then the report, unless an answer is missing or invalid. */
  function submit(event) {
    event.preventDefault();
    const answers = surveys.questions.map((question) => [question, answerOf(question, draft.answers[question.id])]);
    const open = answers.filter(([{ optional }, answer]) => answer === undefined || (answer === null && !optional));
    if (open.length) {
      const titles = open.map(([question]) => [`“${question.text}”`, rangeText(question) && `with ${rangeText(question)}`].filter(Boolean).join(' '));
      setText(failure, `Answer ${titles.join(', ')}.`);
      fields[surveys.questions.indexOf(open[0][0])].querySelector('input, button, textarea').focus();
      return;
    }
    const given = Object.fromEntries(answers.map(([{ id }, answer]) => [id, answer]));
    if (bytesOf(given) > LONGEST_ANSWERS) {
      const [[longest]] = [...answers].sort(([, one], [, other]) => bytesOf(other) - bytesOf(one));
      setText(failure, `The report is too long. Shorten the answer to “${longest.text}”.`);
      fields[surveys.questions.indexOf(longest)].querySelector('input, button, textarea').focus();
      return;
    }
    const now = Date.now();
    for (const name of names) {
      const intensity = intensityOf(name);
      if (intensity === notedIntensityOf(name)) continue;
      // After a reload, the outbox sends items in chronological order, so the hazard must precede the report.
      outbox.add({ kind: 'hazard', session, name, intensity, at: hazardNamed(name, noted)?.seconds ?? seconds, time: now - 1 });
    }
    const judged = hasHazard() ? 'reported' : draft.isNone ? 'none' : 'unanswered';
    surveys.close(session, { isSent: true });
    outbox.add({
      kind: 'survey', id: draft.id, session, time: now, judged, answers: given,
    });
  }

  show();
  return make('form', { class: 'sheet', novalidate: true, submit }, make('h2', { text: 'How was the walk?', tabindex: '-1' }),
    time ? make('p', { class: 'quiet', text: `The walk that ended at ${timeOfDay(new Date(time))}` }) : null,
    make('fieldset', {}, make('legend', { text: 'Hazards' }),
      make('p', { class: 'quiet', text: 'Tap a hazard to change its intensity: 1 slight, 2 medium, 3 severe, then none.' }),
      make('div', { class: 'hazard-grid' }, ...tiles.map((tile) => tile.element)), noHazard), ...fields, failure,
    make('div', { class: 'controls' }, make('button', { class: 'main', text: 'Submit' }), button('Later', () => surveys.close(session))));
}

/** A container for the sheet. When new questions arrive, the sheet is created again with the answers of the draft. */
function surveyPlace(kind = '') {
  const element = make('div', { class: kind, hidden: true });
  let shown = '';
  function show(walk) {
    const key = walk ? JSON.stringify([walk.session, surveys.questions, state.hazardNames]) : '';
    if (key === shown) return;
    shown = key;
    element.hidden = !walk;
    element.replaceChildren(walk ? surveySheet(walk) : '');
  }
  return { element, show };
}

/** The question sheet in the Now view for the last walk that was stopped on this phone. It is shown for up to a day. */
function surveyAfterStop() {
  const place = surveyPlace('card');
  function update() {
    const { last } = surveys;
    const isShown = last && mayOperate() && Date.now() - last.time < 86400000 && surveys.of(last.session).isOpen;
    place.show(isShown ? last : null);
  }
  return { element: place.element, update };
}

/** The card with a walk's reports. On a phone that has not reported on the walk, the card offers the sheet. */
function surveyCard({ id, report }) {
  const list = make('div', {});
  const ask = button('Report', () => surveys.open(id), 'main');
  const place = surveyPlace();
  const element = make('section', { class: 'card' }, make('h2', { text: 'Report' }), list, ask, place.element);
  let key = '';

  function update() {
    const { isOpen, isSent } = surveys.of(id);
    const isRunning = state.access.kind === 'gateway' && state.status ? state.session?.id === id : report.ended === 'recording';
    const isAsked = mayOperate() && !isRunning && !isSent;
    const all = report.reports || [];
    element.hidden = !all.length && !isAsked;
    ask.hidden = !isAsked || isOpen;
    place.show(isAsked && isOpen ? { session: id, seconds: report.seconds, hazards: report.hazards } : null);
    const current = JSON.stringify([all, surveys.questions]);
    if (key === current) return;
    key = current;
    list.replaceChildren(...all.flatMap((one) => [make('h3', { text: dateText(one.utc) }), surveyFacts(one)]));
  }
  if (state.access.kind !== 'fleet') surveys.load();
  return { element, update };
}

/**
 * Returns a report as a list, in the order of the questions. A question that is no longer known is
 * identified by its id.
 */
function surveyFacts({ hazards, answers }) {
  const text = (answer) => (answer === null ? 'not answered' : String(answer));
  const known = surveys.questions.filter((question) => question.id in answers);
  const rest = Object.keys(answers).filter((id) => !known.some((question) => question.id === id));
  return factList([['Hazards', { none: 'no hazard', reported: 'hazards reported' }[hazards] || 'not answered'],
    ...known.map((question) => [question.text, text(answers[question.id])]), ...rest.map((id) => [id, text(answers[id])])]);
}
