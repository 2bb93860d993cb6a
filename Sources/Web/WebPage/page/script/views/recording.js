// The controls for recording: start, stop, resume and note

/** Seconds until a command expires. The page waits for a response for longer than this. */
const WANTED_SECONDS = 8;

/** The buttons for start, stop, resume and note. Each is shown only when the recording permits it. */
function recordingControls() {
  const failure = make('p', { class: 'failure', role: 'alert' });
  const start = button('Start', () => command('start'), 'main');
  const resume = button('Resume', () => command('resume'), 'main');
  const stop = twoStepButton('Stop', 'Stop now?', () => command('stop'));
  const text = make('textarea', { maxlength: '2000', rows: '2', input: () => keepText('note-draft', text.value) });
  text.value = keptText('note-draft') || '';
  const form = make('form', { class: 'card', hidden: true, submit: keep }, field('Note', text),
    make('div', { class: 'row' }, make('button', { class: 'main', text: 'Save the note' }), button('Cancel', () => showForm(false))));
  const note = button('Note', () => showForm(form.hidden));
  note.setAttribute('aria-expanded', 'false');
  const participant = participantChoice('as configured');
  const rule = make('p', { class: 'small quiet' });
  const element = make('div', {}, participant.element, make('div', { class: 'controls' }, start, resume, stop, note), failure, form, rule);

  function showForm(isShown) {
    form.hidden = !isShown;
    note.setAttribute('aria-expanded', String(isShown));
    if (isShown) text.focus(); else note.focus();
  }

  function keep(event) {
    event.preventDefault();
    if (oneLine(text)) outbox.addNote(oneLine(text));
    text.value = '';
    keepText('note-draft', null);
    showForm(false);
  }

  async function command(name) {
    start.disabled = stop.disabled = resume.disabled = true;
    setText(failure, '');
    const { session } = state;
    try {
      const chosen = name === 'start' && participant.id ? { participant: participant.id } : {};
      await call('/api/v1/recording', { command: name, ...chosen, until: gatewayClock.instantIn(WANTED_SECONDS) });
      say({ start: 'Recording started.', stop: 'Recording stopped.', resume: 'Recording resumed.' }[name]);
      if (name === 'stop' && session) surveys.ask({ session: session.id, seconds: session.elapsed, hazards: session.hazards });
    } catch (error) {
      setText(failure, error.sentence);
    }
    start.disabled = stop.disabled = resume.disabled = false;
  }

  if (mayOperate()) participant.load().then(update);

  function update() {
    const recording = state.status ? state.status.recording : null;
    const phase = recording ? recording.phase : '';
    element.hidden = !mayOperate() || !recording;
    start.hidden = !['waiting', 'standby'].includes(phase);
    participant.show(!start.hidden);
    stop.hidden = !(['starting', 'recording', 'retrying'].includes(phase) || (phase === 'standby' && !recording.isStopped));
    resume.hidden = !recording || !Number.isFinite(recording.pause);
    note.hidden = !isRecording();
    start.disabled = stop.disabled = resume.disabled = link.isLost;
    const who = recording && recording.participant ? [`Participant ${recording.participant}.`] : [];
    setText(rule, recording ? [...who, sentenceOf(recording.when)].join(' ') : '');
  }
  return { element, update };
}
