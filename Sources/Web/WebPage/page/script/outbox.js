// The outbox: hazards, notes, task commands and reports that the gateway has not confirmed. Each
// item is stored under a separate key, so that two windows of the page never overwrite each other's
// items. An item's id never changes, so the gateway stores it only once, no matter how often it is
// sent.

const UNDO_MILLISECONDS = 5000;

const outbox = {
  items: new Map(),
  prefix: 'parcel:',
  /**
   * Identifies the items created or loaded by this window. When the clock jumps, only the times of these items are
   * corrected.
   */
  owner: randomID(),
  isKept: true,
  isSending: false,
  /** The gateway's reason for not storing the last message. */
  obstacle: '',
  retryAt: 0,
  pause: 2,
  clock: { date: Date.now(), steady: performance.now(), wasHidden: true },

  /** Loads the items that an earlier visit left unsent. */
  load() {
    let keys = [];
    try { keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix)); } catch (error) { this.isKept = false; }
    const items = keys.map(keptJSON).filter((item) => item && /^[0-9a-f]{32}$/.test(item.id));
    for (const item of items.sort((a, b) => a.time - b.time)) {
      item.owner = this.owner;
      // The clock may have been set back since the last visit, so the time until an item is sent is limited to the undo
      // time.
      item.due = Math.min(item.due, Date.now() + UNDO_MILLISECONDS);
      this.save(item);
    }
  },

  save(item) {
    this.items.set(item.id, item);
    this.isKept = keepText(this.prefix + item.id, JSON.stringify(item)) && this.isKept;
  },

  remove(item) {
    this.items.delete(item.id);
    keepText(this.prefix + item.id, null);
  },

  /** Applies changes made in another window of the page. */
  follow(key, text) {
    if (!key || !key.startsWith(this.prefix)) return;
    if (text === null) this.items.delete(key.slice(this.prefix.length));
    else { const item = JSON.parse(text); this.items.set(item.id, item); }
    // Only the other window received the gateway's response.
    tasks.hurry();
    frame.tell('outbox');
  },

  /** Returns the hazard with this name that another tap can still change. */
  openHazard(name) {
    return [...this.items.values()].find((item) => item.kind === 'hazard' && item.name === name
      && item.phase === 'open' && item.due > Date.now());
  },

  /** Returns the newest hazard with this name that is waiting for the gateway. */
  waitingHazard(name) {
    return [...this.items.values()].filter((item) => item.name === name && item.phase === 'waiting').pop();
  },

  /** Returns the last intensity that this phone knows for a hazard. */
  intensityOf(name) {
    const item = this.openHazard(name) || this.waitingHazard(name);
    return item ? item.intensity : notedIntensity(name);
  },

  /**
   * Raises the intensity of a hazard. If the intensity is already at its maximum, a tap resets it to none, but only
   * within the undo time.
   */
  tapHazard(name) {
    this.watchClock();
    const now = Date.now();
    let item = this.openHazard(name);
    if (item) {
      item.intensity = (item.intensity + 1) % 4;
    } else {
      item = this.parcel({ kind: 'hazard', name, intensity: Math.min(3, this.intensityOf(name) + 1), phase: 'open' });
    }
    item.due = now + UNDO_MILLISECONDS;
    this.save(item);
    say(`${name}, intensity ${intensityText(item.intensity)}. Sending in five seconds.`);
    frame.tell('outbox');
  },

  addNote(text) { this.add({ kind: 'note', text }); },

  /** Adds an item and sends it immediately. */
  add(content) {
    this.watchClock();
    this.save(this.parcel({ phase: 'waiting', due: Date.now(), ...content }));
    this.hurry();
    frame.tell('outbox');
  },

  /**
   * Creates an item with the current time and session. By the time the item is delivered, another session may be
   * running.
   */
  parcel(content) {
    const session = state.session ? state.session.id : 'current';
    return { id: randomID(), owner: this.owner, session, time: Date.now(), ...content };
  },

  undo(item) {
    this.remove(item);
    if (item.kind === 'survey') surveys.discard(item);
    say(`${titleOf(item)} was ${item.phase === 'open' ? 'undone' : 'discarded'}.`);
    frame.tell('outbox');
  },

  /**
   * Adds a refused item to the end of the last walk, because the item's own time is not within a walk. If the walk
   * already has this hazard, adding the item would move the hazard, so a second press is required.
   */
  async putIntoLast(item) {
    const sessions = await call('/api/v1/sessions?newest=1');
    if (!sessions.length) throw new CallError(404, 'there is no walk yet');
    const last = sessions[sessions.length - 1];
    const { hazards } = await call(sessionPath(last.session));
    const held = item.kind === 'hazard' && !item.mayMove && hazardNamed(item.name, hazards);
    if (held) {
      item.mayMove = true;
      item.reason = `the last walk already has it, at ${clockText(held.seconds)}. Press again to move it to the end`;
      this.save(item);
      say(item.reason);
      frame.tell('outbox');
      return;
    }
    item.session = last.session;
    item.at = last.seconds;
    item.phase = 'waiting';
    this.save(item);
    this.hurry();
  },

  /** Retries immediately, for example when the network is available again. */
  hurry() {
    this.retryAt = 0;
    this.pause = 2;
    this.pump();
  },

  /** Sends the items that are due. Called twice a second. */
  async pump() {
    this.watchClock();
    this.closeWindows();
    if (this.isSending || steadyNow() < this.retryAt || !mayOperate()) return;
    this.isSending = true;
    try {
      for (const item of [...this.items.values()]) {
        if (item.phase === 'waiting' && !(await this.deliver(item))) break;
      }
    } finally {
      this.isSending = false;
    }
  },

  /**
   * Queues the items whose undo time has passed. While the link is up, drops a hazard that was tapped back to 0 and has
   * never been stored.
   */
  closeWindows() {
    for (const item of [...this.items.values()]) {
      if (item.phase !== 'open' || item.due > Date.now()) continue;
      if (item.intensity === 0 && !notedIntensity(item.name) && !link.isLost) this.remove(item);
      else { item.phase = 'waiting'; this.save(item); }
      frame.tell('outbox');
    }
  },

  /** Delivers one item. Returns `false` if later items must wait as well. */
  async deliver(item) {
    const ago = Math.max(0, Date.now() - item.time) / 1000;
    const time = item.at === undefined ? { ago, sent: gatewayClock.instantIn(0) } : { at: item.at };
    const { id, kind, name, intensity, text, action, task, outcome, why, judged, answers } = item;
    const contents = {
      hazard: { name, intensity }, note: { text }, task: { action, task, outcome, reason: why }, survey: { hazards: judged, answers },
    };
    const body = { id, ...contents[kind], ...time };
    try {
      const answer = await call(sessionPath(item.session, kind === 'survey' ? '/survey' : `/${kind}s`), body);
      this.remove(item);
      this.pause = 2;
      this.retryAt = 0;
      this.obstacle = '';
      if (answer.hazards && state.session && [state.session.id, 'current'].includes(item.session)) {
        state.session.hazards = answer.hazards;
      }
      if (answer.tasks) tasks.take(item.session, answer);
      if (frame.view && frame.view.take) frame.view.take(item.session, answer);
      say(`${titleOf(item)} was noted.`);
      frame.tell('outbox');
      return true;
    } catch (error) {
      return this.take(error, item);
    }
  },

  /** Handles a failed delivery: shows a refusal, and retries after any other failure. */
  take(error, item) {
    if (error.status === 401 || error.status === 403) askAccess();
    const isRefusal = [400, 404, 409, 410, 413, 422].includes(error.status);
    if (isRefusal) {
      item.phase = 'refused';
      item.reason = error.status === 413 ? 'its text is too long' : error.message;
      item.status = error.status;
      this.save(item);
      say(`${titleOf(item)} was not noted: ${item.reason}.`);
      tasks.hurry();
    } else {
      this.obstacle = error.status >= 500 ? error.message : '';
      this.retryAt = steadyNow() + (error.retryAfter || this.pause);
      this.pause = Math.min(15, this.pause * 1.5);
    }
    frame.tell('outbox');
    return isRefusal;
  },

  /**
   * Corrects the times of the items when the phone's clock is set. While the page is visible, both clocks advance
   * equally, so any difference means that the phone's clock jumped. While the page is hidden, the steady clock may have
   * paused.
   */
  watchClock() {
    const date = Date.now();
    const steady = performance.now();
    const jump = (date - this.clock.date) - (steady - this.clock.steady);
    if (document.hidden || Math.abs(jump) > 500) gatewayClock.forget();
    if (!document.hidden && !this.clock.wasHidden && Math.abs(jump) > 500) {
      for (const item of this.items.values()) {
        if (item.owner !== this.owner) continue;
        item.time += jump;
        item.due += jump;
        this.save(item);
      }
      tasks.shift(jump);
    }
    this.clock = { date, steady, wasHidden: document.hidden };
  },
};

/** Returns an id of 128 random bits. `randomUUID` is not available without TLS. */
function randomID() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the hazard with this name. A walk has at most one. */
function hazardNamed(name, hazards) {
  return hazards.find((hazard) => hazard.name.toLowerCase() === name.toLowerCase());
}

function titleOf(item) {
  const commands = { begin: 'Start', done: 'End', stopped: 'Early stop', skip: 'Skip' };
  if (item.kind === 'task') return `${commands[item.outcome || item.action]} of “${item.title}”`;
  if (item.kind === 'survey') return 'The report';
  return item.kind === 'hazard' ? `${item.name}, intensity ${item.intensity}` : `Note “${shortened(item.text, 40)}”`;
}

/** Creates the list of items that have not been delivered yet, each with its buttons. */
function outboxTray() {
  const list = make('ul', { class: 'plain' });
  const summary = make('p', { class: 'parcel', hidden: true });
  const discard = twoStepButton('Discard', 'Discard them all?', () => {
    for (const item of [...outbox.items.values()]) if (item.phase === 'waiting') outbox.undo(item);
  }, 'danger tight');
  const element = make('div', { class: 'tray', role: 'group', 'aria-label': 'Not delivered yet' }, list, summary, discard);
  const rows = new Map();

  function row(item) {
    const text = make('p');
    const rest = make('div', { class: 'rest' });
    const actions = make('div', { class: 'row' });
    const node = make('li', { class: 'parcel' }, make('div', { class: 'row' }, text, actions), rest);
    return { node, text, rest, actions, phase: '' };
  }

  function fillActions(parts, item) {
    parts.phase = item.phase;
    parts.node.classList.toggle('refused', item.phase === 'refused');
    parts.actions.replaceChildren();
    if (item.phase === 'open') {
      parts.actions.append(button('Undo', () => outbox.undo(item), 'main'));
    } else if (item.phase === 'refused') {
      const intoLast = button('Add to the end of the last walk', async () => {
        intoLast.disabled = true;
        try { await outbox.putIntoLast(item); } catch (error) { setText(parts.text, error.sentence); }
        intoLast.disabled = false;
      }, 'main tight');
      if (mayOperate() && ['hazard', 'note'].includes(item.kind)) parts.actions.append(intoLast);
      parts.actions.append(twoStepButton('Discard', 'Discard it?', () => outbox.undo(item), 'danger tight'));
    }
  }

  function update() {
    const items = [...outbox.items.values()].filter((item) => item.phase !== 'waiting');
    for (const [id, parts] of rows) {
      if (!items.some((item) => item.id === id)) { parts.node.remove(); rows.delete(id); }
    }
    const waiting = [...outbox.items.values()].filter((item) => item.phase === 'waiting');
    summary.hidden = !waiting.length;
    discard.hidden = !waiting.length || mayOperate();
    if (waiting.length) setText(summary, waitingText(waiting));
    for (const item of items) {
      if (!rows.has(item.id)) { rows.set(item.id, row(item)); list.prepend(rows.get(item.id).node); }
      const parts = rows.get(item.id);
      if (parts.phase !== item.phase) fillActions(parts, item);
      const left = Math.max(0, item.due - Date.now());
      parts.rest.hidden = item.phase !== 'open';
      parts.rest.style.transform = `scaleX(${left / UNDO_MILLISECONDS})`;
      setText(parts.text, parcelText(item, left));
    }
  }
  return { element, update };
}

function parcelText(item, left) {
  const ago = Math.max(0, Date.now() - item.time) / 1000;
  // After status 409, the phone does not offer the report again: see surveys.discard.
  const advice = item.kind === 'survey' && item.status !== 409 ? ' Discard it, then open the walk and press Report: your answers are kept.' : '';
  if (item.phase === 'refused') return `${titleOf(item)} (${spanText(ago)} ago) was not noted: ${item.reason}.${advice}`;
  const what = item.intensity === 0 ? 'no hazard' : intensityText(item.intensity);
  return `${item.name}: ${what}. Sending in ${Math.ceil(left / 1000)} s.`;
}

/** Returns one sentence for all waiting items, because a long list would cover the buttons. */
function waitingText(items) {
  const [first] = items;
  const more = [['task', 'tasks'], ['survey', 'reports']].filter(([kind]) => items.some((item) => item.kind === kind)).map(([, text]) => text);
  const kinds = ['hazards', 'notes', ...more];
  const what = items.length === 1 ? titleOf(first) : `${figure(items.length)} ${kinds.slice(0, -1).join(', ')} and ${kinds[kinds.length - 1]}`;
  if (!mayOperate()) return `${what}: not sent, because this phone can only view.`;
  if (!link.isStale && outbox.retryAt === 0) return `${what}: being sent.`;
  const ago = spanText(Math.max(0, Date.now() - Math.min(...items.map((item) => item.time))) / 1000);
  const place = outbox.isKept ? 'kept on this phone' : 'lost if this page is closed';
  const why = outbox.obstacle && `: ${outbox.obstacle}`;
  return items.length === 1 ? `${what} (${ago} ago) is waiting for the gateway${why}. It is ${place}.`
    : `${what} have been waiting for the gateway for ${ago}${why}. They are ${place}.`;
}

