// A study's tasks: their state in the current session, the card in the Now view, and a walk's table

/** Seconds between requests for the session's tasks, which another phone may change. */
const TASK_SECONDS = 10;

/** The state of the tasks. It is stored in the browser, so a page reloaded without a network still shows the countdown. */
const tasks = {
  /** The tasks of the definitions in order, each with the heading of its study and block. */
  list: [],
  /** The session, the start of the session on this phone's clock, and the tasks that the gateway has stored. */
  session: null,
  start: 0,
  stored: [],
  /** The last task whose time limit was announced. */
  told: '',
  /** The session for which definitions were loaded, the time of the last request, and the number of changes. */
  definedFor: null,
  askedAt: -Infinity,
  changes: 0,

  /** Loads the state from an earlier visit, unless the session began more than a day ago. */
  load() {
    const kept = keptJSON('tasks') || {};
    if (Math.abs(Date.now() - kept.start) < 86400000) Object.assign(this, kept);
  },

  keep() {
    const { list, session, start, stored, told } = this;
    keepText('tasks', JSON.stringify({ list, session, start, stored, told }));
  },

  /** The current time in seconds since the start of the session. */
  get now() { return (Date.now() - this.start) / 1000; },

  /** Whether to show tasks: the session is being recorded, or was being recorded before a reload without a network. */
  get isCurrent() {
    this.follow();
    return this.session !== null && this.list.length > 0 && (isRecording() || (link.isLost && !state.status));
  },

  /** Resets the state when another session has begun. */
  follow() {
    const { session } = state;
    if (!session || session.id === this.session) return;
    Object.assign(this, { session: session.id, start: Date.now() - session.elapsed * 1000, stored: [], askedAt: -Infinity });
    this.keep();
  },

  /** This phone's commands that the gateway has not yet stored. */
  get waiting() {
    return [...outbox.items.values()].filter((item) => item.kind === 'task' && item.phase === 'waiting' && item.session === this.session);
  },

  /** The tasks that were begun or skipped in this session, including the effects of waiting commands. */
  get begun() {
    const all = this.stored.map((one) => ({ ...one }));
    for (const { action, task, outcome, why: reason = '', time } of this.waiting) {
      const seconds = (time - this.start) / 1000;
      const running = all.find((one) => one.outcome === null);
      const repetition = all.filter((one) => one.task === task).length + 1;
      if (action === 'skip') all.push({ task, repetition, seconds, endSeconds: seconds, outcome: 'skipped', reason });
      else if (action === 'begin' && !running) all.push({ task, repetition, seconds, endSeconds: null, outcome: null, reason });
      else if (action === 'end' && running) Object.assign(running, { endSeconds: seconds, outcome, reason });
    }
    return all;
  },

  /** Sends a command about a task, even if the gateway is unreachable. */
  send(action, task, rest) {
    this.changes += 1;
    outbox.add({ kind: 'task', session: this.session, action, task: task.id, title: task.name, ...rest });
  },

  /** Adopts the gateway's state. The response with the shortest delay provides the most accurate start time. */
  take(session, answer) {
    if (session !== this.session) return;
    const start = Date.now() - answer.now * 1000;
    this.start = Math.abs(start - this.start) < 1000 ? Math.min(start, this.start) : start;
    this.stored = answer.tasks;
    this.changes += 1;
    this.keep();
  },

  /**
   * Fetches the definitions for a new session or view, and periodically fetches the session's tasks. A failed request is
   * repeated later.
   */
  async refresh() {
    const { session, changes } = this;
    if (document.hidden || link.isLost || !session || steadyNow() < this.askedAt + TASK_SECONDS) return;
    this.askedAt = steadyNow();
    try {
      if (this.definedFor !== session) {
        const definitions = await call('/api/v1/definitions');
        surveys.learn(definitions);
        this.list = tasksInOrder(definitions);
        this.definedFor = session;
        this.keep();
      }
      if (!this.list.length) return;
      const answer = await call(sessionPath(session, '/tasks'));
      // If a command was sent in the meantime, the response does not reflect it.
      if (changes === this.changes && !this.waiting.length) this.take(session, answer);
    } catch (error) { /* The last known state remains. */ }
    frame.tell('tasks');
  },

  /** Announces the end of the time limit once, in every view. */
  watch() {
    const begun = this.isCurrent ? this.begun : [];
    const running = begun.find((one) => one.outcome === null);
    const task = running && this.list.find((one) => one.id === running.task);
    const told = `${this.session} ${begun.length}`;
    if (!task || !Number.isFinite(task.seconds) || this.now - running.seconds < task.seconds || this.told === told) return;
    this.told = told;
    this.keep();
    say(`Time is up: ${task.name}.`);
    // Browsers do not let a page vibrate before the first tap.
    if (navigator.vibrate && (!navigator.userActivation || navigator.userActivation.hasBeenActive)) navigator.vibrate([400, 200, 400]);
  },

  /** Requests the state again immediately, because the known state is outdated. */
  hurry() { this.askedAt = -Infinity; },

  /** Corrects the start after this phone's clock has jumped by this many milliseconds. */
  shift(jump) { this.start += jump; },
};

/** Returns the timed tasks to show: the tasks of the studies, or all tasks if there are no studies. */
function tasksInOrder({ tasks: known = [], studies = [] }) {
  const blocks = studies.flatMap((study) => study.blocks.map((block) => (
    { heading: [study.name, block.name].filter(Boolean).join(' · '), ids: block.tasks })));
  if (!studies.length) blocks.push({ heading: '', ids: known.map((task) => task.id) });
  return blocks.flatMap(({ heading, ids }) => ids.map((id) => known.find((task) => task.id === id))
    .filter((task) => task && task.type !== 'survey').map((task) => ({ ...task, heading })));
}

/**
 * Returns the progress of each task in the list. A task that occurs in two blocks is counted in the first block until
 * the task is complete there.
 */
function progressOf(list, begun) {
  const entries = list.map((task) => ({ task, done: 0, isSkipped: false, last: null }));
  for (const one of begun) {
    const same = entries.filter((entry) => entry.task.id === one.task);
    const entry = same.find((other) => !isOver(other)) || same.pop();
    if (!entry) continue;
    entry.last = one;
    if (one.outcome === 'done') entry.done += 1;
    if (one.outcome === 'skipped') entry.isSkipped = true;
  }
  return entries;
}

function isOver({ task, done, isSkipped }) { return isSkipped || done >= task.repeat; }

function progressText({ task, done, isSkipped, last }) {
  if (last && last.outcome === null) return 'running';
  if (done > task.repeat) return `done ${done} times`;
  if (done > 0) return task.repeat === 1 ? 'done' : `${done} of ${task.repeat} done`;
  return isSkipped ? 'skipped' : last ? outcomeText(last.outcome) : '';
}

function outcomeText(outcome) { return { stopped: 'stopped early', null: 'running' }[outcome] || outcome; }

/** The card of the tasks: the open task in large type with its buttons, and the list. */
function tasksCard() {
  const title = make('h3', { class: 'task-name', tabindex: '-1' });
  const facts = make('p', { class: 'quiet' });
  const instructions = make('p', { class: 'task-text' });
  const clock = make('p', { class: 'countdown', role: 'timer' });
  const reason = make('input', { type: 'text', maxlength: '200', autocomplete: 'off' });
  const reasonField = field('Reason', reason);
  const failure = make('p', { class: 'failure', role: 'alert' });
  const confirm = make('button', { class: 'main' });
  const form = make('form', { hidden: true, submit: giveReason }, reasonField, failure,
    make('div', { class: 'row' }, confirm, button('Cancel', () => { close(); focusButton(); })));
  const begin = button('Begin', () => command('begin'), 'main');
  const again = button('', () => command('begin', former.task));
  const skip = button('Skip', () => ask('skip'));
  const end = button('End', () => command('end', open.task, { outcome: 'done' }), 'main');
  const stop = button('Stop early', () => ask('stop'), 'danger');
  const controls = make('div', { class: 'controls' }, begin, end, skip, stop, again);
  const rows = make('div', {});
  const element = make('section', { class: 'card tasks', hidden: true }, make('h2', { text: 'Tasks' }),
    title, facts, instructions, clock, controls, form, rows);
  /** The position of the tapped task, the open task, the last task that ended, and the buttons of the list. */
  let tapped = null;
  let open = null;
  let former = null;
  let parts = [];
  let key = '';
  /**
   * The pending question about a reason: the question's kind, the task, and the time of the tap that stopped the task.
   */
  let asked = null;
  let pressedAt = -Infinity;

  /**
   * Sends a command. Ignores the second tap of a double tap, which would hit a button of the next state.
   */
  function command(action, task = open.task, rest = {}) {
    if (steadyNow() - pressedAt < 0.7) return;
    pressedAt = steadyNow();
    tapped = null;
    close();
    tasks.send(action, task, rest);
    update();
    focusButton();
  }

  function ask(kind) {
    if (steadyNow() - pressedAt < 0.7) return;
    asked = { kind, time: Date.now(), task: open.task.id };
    reasonField.firstChild.data = kind === 'skip' ? 'Reason for skipping the task' : 'Reason for stopping early';
    setText(confirm, kind === 'skip' ? 'Skip the task' : 'Stop the task');
    form.hidden = false;
    reason.focus();
  }

  function giveReason(event) {
    event.preventDefault();
    if (!oneLine(reason)) { setText(failure, 'Enter a reason.'); reason.focus(); return; }
    const { kind, time } = asked;
    const rest = { why: oneLine(reason), time };
    if (kind === 'skip') command('skip', open.task, rest); else command('end', open.task, { ...rest, outcome: 'stopped' });
  }

  function close() {
    asked = null;
    reason.value = '';
    form.hidden = true;
    setText(failure, '');
  }

  function focusButton() { (controls.querySelector('button:not([hidden])') || title).focus(); }

  function build() {
    key = JSON.stringify(tasks.list);
    rows.replaceChildren();
    parts = tasks.list.map((task, place) => {
      if (task.heading && (place === 0 || tasks.list[place - 1].heading !== task.heading)) rows.append(make('h3', { text: task.heading }));
      const progress = make('span', { class: 'quiet' });
      const row = make('button', { type: 'button', class: 'task', click: () => { tapped = place; update(); title.focus(); } },
        make('span', { text: task.name }), progress);
      rows.append(row);
      return { row, progress };
    });
  }

  function update() {
    element.hidden = !tasks.isCurrent;
    if (isRecording()) tasks.refresh();
    if (element.hidden) return;
    const { begun } = tasks;
    const entries = progressOf(tasks.list, begun);
    const running = begun.find((one) => one.outcome === null);
    const of = (id) => entries.find((entry) => entry.task.id === id) || { task: { id, name: id, seconds: null, repeat: 1 }, done: 0 };
    open = running ? entries.find((entry) => entry.last === running) || of(running.task)
      : entries[tapped] || entries.find((entry) => !isOver(entry)) || null;
    const ended = begun.filter((one) => one.outcome !== 'skipped').pop();
    former = ended ? of(ended.task) : null;
    // Another phone may have begun or ended a task.
    if (asked && (!open || asked.task !== open.task.id || (asked.kind === 'stop') !== Boolean(running))) close();
    showOpen(running);
    if (key !== JSON.stringify(tasks.list)) build();
    entries.forEach((entry, place) => {
      const { row, progress } = parts[place];
      setText(progress, progressText(entry));
      row.disabled = Boolean(running);
      if (entry === open) row.setAttribute('aria-current', 'true'); else row.removeAttribute('aria-current');
    });
  }

  /** Shows the open task and the buttons that its state permits. */
  function showOpen(running) {
    setText(title, open ? open.task.name : 'All tasks are done or skipped.');
    setText(facts, open ? capitalised(factsText(open)) : '');
    setText(instructions, open && open.task.instructions || '');
    clock.hidden = !running;
    if (running) showClock(running, open.task);
    const isIdle = mayOperate() && !running;
    begin.hidden = !isIdle || !open;
    setText(begin, open && open.done >= open.task.repeat ? 'Repeat' : 'Begin');
    skip.hidden = begin.hidden || isOver(open);
    again.hidden = !isIdle || !former || (open && open.task.id === former.task.id);
    setText(again, former ? `Repeat ${former.task.name}` : '');
    end.hidden = stop.hidden = !mayOperate() || !running;
  }

  /**
   * Shows the remaining time, or the time by which the limit has been exceeded. Without a limit, shows the time since
   * the task began.
   */
  function showClock(running, { seconds }) {
    const past = Math.max(0, tasks.now - running.seconds);
    const isLate = Number.isFinite(seconds) && past >= seconds;
    const text = !Number.isFinite(seconds) ? clockText(past) : isLate ? `+${clockText(past - seconds)}` : clockText(Math.ceil(seconds - past));
    setText(clock, text);
    clock.classList.toggle('late', isLate);
    clock.classList.toggle('long', text.length > 5);
  }

  tasks.definedFor = null;
  tasks.hurry();
  const timer = setInterval(update, 250);
  return { element, update, leave() { clearInterval(timer); } };
}

function factsText({ task, done }) {
  return [Number.isFinite(task.seconds) ? `time limit ${clockText(task.seconds)}` : '', task.difficulty ? `difficulty ${task.difficulty}` : '',
    task.repeat > 1 ? `${done} of ${task.repeat} done` : ''].filter(Boolean).join(' · ');
}

/** Returns the chart marks of a walk's tasks: one at the beginning of each task, and one at its end. */
function taskMarks(report) {
  return (report.tasks || []).filter((one) => one.outcome !== 'skipped').flatMap((one) => [
    { seconds: one.seconds, text: one.name || one.task, sign: '[', kind: 'task' },
    ...(Number.isFinite(one.endSeconds) ? [{ seconds: one.endSeconds, text: '', sign: ']', kind: 'task' }] : []),
  ]);
}

/** The table of a walk's tasks. Tasks that the definitions no longer contain are identified by their ids. */
function walkTasks({ report }) {
  const all = report.tasks || [];
  const element = make('section', { class: 'card', hidden: !all.length }, make('h2', { text: 'Tasks' }));
  if (!all.length) return element;
  const row = (one) => {
    const length = one.outcome !== 'skipped' && Number.isFinite(one.endSeconds) ? clockText(one.endSeconds - one.seconds) : '–';
    const name = make('th', { scope: 'row', text: one.name || one.task });
    const cells = { Repetition: figure(one.repetition), Duration: length, Distance: distanceText(one.distanceMetres), Steps: figure(one.steps),
      Lost: figure(one.lost), Result: [capitalised(outcomeText(one.outcome)), one.reason].filter(Boolean).join(': ') };
    return { one, name, cells, node: make('tr', {}, name, ...Object.entries(cells).map(([key, text]) => make('td', { 'data-name': key, text }))) };
  };
  const lines = all.map(row);
  element.append(make('table', {}, make('thead', {}, make('tr', {}, ...['Task', ...Object.keys(lines[0].cells)].map((text) => make('th', { scope: 'col', text })))),
    make('tbody', {}, ...lines.map((line) => line.node))));
  if (state.access.kind === 'fleet' || all.every((one) => one.name)) return element;
  call('/api/v1/definitions').then(({ tasks: known = [] }) => {
    for (const { one, name } of lines) setText(name, one.name || (known.find((task) => task.id === one.task) || { name: one.task }).name);
  }).catch(() => { /* The table keeps the ids. */ });
  return element;
}
