// A walk's hazards and notes, which can still be added and changed afterwards

function marksCard(walk, chart) {
  const { report, id } = walk;
  const failure = make('p', { class: 'failure', role: 'alert' });
  const list = make('ul', { class: 'plain marks', tabindex: '-1' });

  /** The ids of hazards and notes that the gateway may not have stored yet. The id stays the same on a retry. */
  const unconfirmed = new Map();

  /** Sends a hazard or a note. Returns whether it was stored. */
  async function send(path, body, done) {
    const key = path + JSON.stringify(body);
    if (!unconfirmed.has(key)) unconfirmed.set(key, randomID());
    try {
      const answer = await call(sessionPath(id, path), { id: unconfirmed.get(key), ...body });
      unconfirmed.delete(key);
      setText(failure, '');
      done(answer);
      say('Noted.');
      show();
      walk.redraw();
      return true;
    } catch (error) {
      setText(failure, error.sentence);
      return false;
    }
  }

  /**
   * Sends a hazard, unless someone has changed the hazard since this page displayed it. Returns whether it was stored.
   */
  async function sendHazard(name, intensity, at) {
    const [shown, held] = [hazardNamed(name, report.hazards), await heldHazard(name)];
    if (held === null) return false;
    const isOther = held && (!shown || held.seconds !== shown.seconds || held.intensity !== shown.intensity);
    const isStored = isOther && held.intensity === intensity && Math.abs(held.seconds - at) < 0.01;
    if (isOther && !isStored) {
      setText(failure, `Someone changed ${name} meanwhile: ${intensityText(held.intensity)}, at ${clockText(held.seconds)}. Press again to change it.`);
      report.hazards = [...report.hazards.filter((one) => one !== shown), held];
      show();
      walk.redraw();
      return false;
    }
    return send('/hazards', { name, intensity, at }, (answer) => { report.hazards = answer.hazards; });
  }

  /** Fetches the hazard as stored by the gateway: `undefined` if there is none, `null` if the call failed. */
  async function heldHazard(name) {
    try {
      return hazardNamed(name, (await call(sessionPath(id))).hazards);
    } catch (error) {
      setText(failure, error.sentence);
      return null;
    }
  }
  async function sendNote(text, at, insteadOf) {
    const isStored = await send('/notes', { text, at, insteadOf }, (answer) => {
      report.annotations = answer.annotations;
      open = null;
    });
    if (isStored && insteadOf !== undefined) focusNote(text);
    return isStored;
  }
  /** The note being edited. */
  let open = null;

  function hazardLine(hazard) {
    return make('li', {}, make('span', { class: 'when', text: clockText(hazard.seconds) }), make('b', { class: 'what', text: hazard.name }),
      mayOperate() ? intensityChoice(hazard.name, hazard.intensity, (intensity) => sendHazard(hazard.name, intensity, hazard.seconds))
        : make('span', { text: intensityText(hazard.intensity) }));
  }

  function noteLine(note) {
    const when = make('span', { class: 'when', text: clockText(note.seconds) });
    if (note === open) return make('li', {}, when, noteForm(note));
    return make('li', {}, when, make('span', { class: 'what', text: note.text }), mayOperate() ? make('button', {
      type: 'button', class: 'tight', text: 'Change', 'aria-label': changeLabel(note.text), click: () => edit(note),
    }) : null);
  }

  function edit(note) {
    const former = open;
    open = note;
    show();
    const input = list.querySelector('input');
    if (input) input.focus(); else if (former) focusNote(former.text);
  }

  /** Returns the focus to a note when its form has been closed, or to the list if the note no longer exists. */
  function focusNote(text) {
    const change = [...list.querySelectorAll('button')].find((one) => one.getAttribute('aria-label') === changeLabel(text));
    (change || list).focus();
  }

  function noteForm(note) {
    const text = make('input', { type: 'text', maxlength: '2000', value: note.text, autocomplete: 'off', 'aria-label': 'Text of the note' });
    function save(event) {
      event.preventDefault();
      if (oneLine(text)) { sendNote(oneLine(text), note.seconds, note.text); return; }
      setText(failure, 'Enter the text of the note, or remove the note.');
      text.focus();
    }
    return make('form', { class: 'what', submit: save }, text, make('div', { class: 'row' }, make('button', { class: 'main', text: 'Save' }),
      button('Cancel', () => edit(null)), twoStepButton('Remove', 'Press again to remove it', () => sendNote('', note.seconds, note.text))));
  }

  function show() {
    const focused = document.activeElement && document.activeElement.getAttribute('aria-label');
    const lines = [
      ...report.hazards.map((hazard) => ({ seconds: hazard.seconds, node: hazardLine(hazard) })),
      ...report.annotations.map((note) => ({ seconds: note.seconds, node: noteLine(note) })),
    ].sort((a, b) => a.seconds - b.seconds);
    list.replaceChildren(...lines.map((line) => line.node));
    if (!lines.length) list.append(make('li', { class: 'quiet', text: 'None yet.' }));
    const again = focused && [...list.querySelectorAll('[aria-label]')].find((one) => one.getAttribute('aria-label') === focused);
    if (again) again.focus();
  }
  show();
  walk.showMarks = show;
  return make('section', { class: 'card' }, make('h2', { text: 'Hazards and notes' }), list, failure,
    mayOperate() ? addForm(report, chart, sendHazard, sendNote) : null);
}

function changeLabel(text) { return `Change the note “${text}”`; }

/** Creates the buttons for the intensities 0 to 3. */
function intensityChoice(name, intensity, choose) {
  return make('span', { class: 'steps-of', role: 'group', 'aria-label': `Intensity of ${name}` },
    ...[0, 1, 2, 3].map((value) => make('button', {
      type: 'button', text: String(value), 'aria-pressed': String(value === intensity),
      'aria-label': `${name}: ${value}, ${intensityWords[value]}`, click: () => choose(value),
    })));
}

function addForm(report, chart, sendHazard, sendNote) {
  const kind = make('select', {}, make('option', { text: 'Note', value: '' }));
  const time = make('input', { type: 'text', inputmode: 'text', autocomplete: 'off' });
  const text = make('input', { type: 'text', maxlength: '2000' });
  const level = make('select', {}, ...[1, 2, 3].map((value) => make('option', { value, text: intensityText(value) })));
  const textField = field('Text', text);
  const levelField = field('Intensity', level);
  const failure = make('p', { class: 'failure', role: 'alert' });
  /** The prompt that asks whether to move a hazard. A second press confirms the move. */
  let asked = '';

  function follow() { textField.hidden = kind.value !== ''; levelField.hidden = kind.value === ''; }
  kind.addEventListener('change', follow);

  async function fillNames() {
    try {
      const { names } = await call('/api/v1/hazards');
      kind.append(...names.map((name) => make('option', { text: name, value: name })));
    } catch (error) { /* Notes can be added without the names. */ }
  }

  async function add(event) {
    event.preventDefault();
    const at = secondsOf(time.value);
    if (!(at >= 0 && at <= report.seconds)) { setText(failure, `Enter a time from 0:00 to ${clockText(report.seconds)}.`); time.focus(); return; }
    if (kind.value === '' && !oneLine(text)) { setText(failure, 'Enter the text of the note.'); text.focus(); return; }
    const held = hazardNamed(kind.value, report.hazards);
    const move = `This walk already has ${kind.value}. Press again to move it from ${held ? clockText(held.seconds) : ''} to ${clockText(at)}.`;
    if (held && asked !== move) { asked = move; setText(failure, move); return; }
    asked = '';
    setText(failure, '');
    const written = text.value;
    const isStored = kind.value ? await sendHazard(kind.value, Number(level.value), at) : await sendNote(oneLine(text), at);
    // Text that was not saved stays in the form, even if it was typed during the call.
    if (isStored && text.value === written) text.value = '';
  }
  follow();
  const details = make('details', { toggle: () => { if (details.open) { time.value = clockText(chart.middle); if (kind.options.length === 1) fillNames(); } } },
    make('summary', { text: 'Add one' }),
    make('form', { class: 'form', submit: add, novalidate: true }, field('Type', kind), field('Time in the walk (default: the middle of the chart)', time),
      textField, levelField, failure, make('button', { class: 'main', text: 'Add' })));
  return details;
}

