'use strict';
// The page of a Footbridge gateway. In order: figures in words, elements, the state, calls, the link,
// the outbox (hazards and notes that are not delivered yet), charts, maps, the views, and the frame.
// Names come from boards and people and may be hostile: they reach the page as text only.

// ---------------------------------------------------------------------------------------------
// Figures in words

const numbers = new Map();

function figure(value, decimals = 0) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (!numbers.has(decimals)) {
    numbers.set(decimals, new Intl.NumberFormat('en', {
      minimumFractionDigits: decimals, maximumFractionDigits: decimals,
    }));
  }
  const text = numbers.get(decimals).format(value);
  // Of −0.0, which is how a small negative number is rounded, the sign is left out.
  return /[1-9]/.test(text) ? text.replace('-', '−') : text.replace('-', '');
}

/** A number and its unit, which no line break parts. */
function withUnit(number, unit) { return `${number}\u00a0${unit}`; }

/** `1:02:03`, or `2:03` within the first hour. */
function clockText(seconds, decimals = 0) {
  if (!Number.isFinite(seconds)) return '–';
  const scale = 10 ** decimals;
  const units = Math.round(Math.abs(seconds) * scale);
  const whole = Math.floor(units / scale);
  const pad = (number) => String(number).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = decimals ? '.' + String(units % scale).padStart(decimals, '0') : '';
  return (seconds < 0 ? '−' : '') + (hours ? `${hours}:${pad(minutes)}` : minutes) + `:${pad(whole % 60)}${rest}`;
}

/** Seconds of `1:02:03`, `2:03` or `63`; NaN for other texts. */
function secondsOf(text) {
  const parts = text.trim().split(':');
  if (parts.length > 3 || !parts.every((part) => /^\d+(\.\d+)?$/.test(part))) return NaN;
  return parts.reduce((sum, part) => sum * 60 + Number(part), 0);
}

function spanText(seconds) {
  if (!Number.isFinite(seconds)) return 'an unknown time';
  const s = Math.max(0, seconds);
  if (s < 90) return withUnit(Math.round(s), 's');
  if (s < 5400) return withUnit(Math.round(s / 60), 'min');
  const minutes = Math.round(s / 60);
  if (s < 172800) return withUnit(Math.floor(minutes / 60), 'h') + ' ' + withUnit(minutes % 60, 'min');
  return withUnit(figure(s / 86400), 'days');
}

function agoText(seconds) { return seconds < 1.5 ? 'now' : `${spanText(seconds)} ago`; }

function bytesText(bytes) {
  if (!Number.isFinite(bytes)) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return withUnit(figure(value, unit && value < 100 ? 1 : 0), units[unit]);
}

/** A distance as number and unit: metres are shown with the unit that suits them. */
function distanceParts(metres) {
  if (!Number.isFinite(metres)) return ['–', ''];
  return metres < 1000 ? [figure(metres), 'm'] : [figure(metres / 1000, 2), 'km'];
}

function distanceText(metres) { return distanceParts(metres).join(' ').trim(); }

function paceText(metresPerSecond) {
  // Below 0.2 m/s a person stands, and the pace would be any large number.
  if (!(metresPerSecond >= 0.2)) return '–';
  return clockText(1000 / metresPerSecond);
}

function speedText(metresPerSecond) {
  return Number.isFinite(metresPerSecond) ? withUnit(figure(metresPerSecond * 3.6, 1), 'km/h') : '';
}

function speedParts(metresPerSecond) {
  return Number.isFinite(metresPerSecond) ? [figure(metresPerSecond * 3.6, 1), 'km/h'] : ['–', ''];
}

function placeText(latitude, longitude) {
  const north = `${figure(Math.abs(latitude), 5)}° ${latitude < 0 ? 'S' : 'N'}`;
  return `${north}, ${figure(Math.abs(longitude), 5)}° ${longitude < 0 ? 'W' : 'E'}`;
}

/** 0, 0 is what some receivers say without a position. */
function isPlace(place) {
  return Boolean(place) && Number.isFinite(place.latitude) && Number.isFinite(place.longitude)
    && !(place.latitude === 0 && place.longitude === 0);
}

function dateText(iso) {
  const date = iso ? new Date(iso) : null;
  if (!date || Number.isNaN(date.getTime())) return 'time not known';
  return date.toLocaleString('en-GB', {
    weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit',
  });
}

function timeOfDay(date) {
  return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

function capitalised(text) { return text ? text[0].toUpperCase() + text.slice(1) : ''; }

/** A text of the gateway as a sentence. Names such as hci0 or footbridge.service keep their small letter. */
function sentenceOf(text) {
  if (!text) return '';
  return (/^[a-z]+[ ,:;]/.test(text) ? capitalised(text) : text) + (/[.!?…]$/.test(text) ? '' : '.');
}

function plural(count, one, many = one + 's') { return withUnit(figure(count), count === 1 ? one : many); }

const lossWords = {
  link: 'radio', disconnected: 'no link', linkLost: 'no link', overflow: 'gateway too busy',
  malformed: 'unreadable', store: 'not stored', restarted: 'board restarted', silent: 'sensor silent',
  paused: 'paused', chunks: 'chunks missing',
};

/** The reason of a loss; one that this page does not know yet is shown as it is called. */
function reasonText(reason) {
  return lossWords[reason] || String(reason).replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function signalText(signal) { return capitalised(String(signal).replace(/[_-]/g, ' ')); }

function lossText(lost, received) {
  const parts = Object.entries(lost || {}).filter(([, count]) => count > 0);
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return 'none lost';
  const share = 100 * total / (total + (received || 0));
  const reasons = parts.map(([reason, count]) => `${reasonText(reason)} ${figure(count)}`).join(', ');
  return `${figure(total)} lost (${share < 0.01 ? '<0.01' : figure(share, 2)} %): ${reasons}`;
}

const intensityWords = ['no hazard', 'slight', 'medium', 'severe'];

function intensityText(intensity) { return `${intensity} of 3, ${intensityWords[intensity] || ''}`; }

// ---------------------------------------------------------------------------------------------
// Elements

/** An element with attributes and children. `text` sets its text, and functions become listeners. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'text') element.textContent = value;
    else if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(space, 'use');
  use.setAttribute('href', '#' + name);
  svg.append(use);
  return svg;
}

/** Sets a text if it is another one: writing the same text again would be read aloud again. */
function setText(element, text) { if (element.textContent !== text) element.textContent = text; }

function setLevel(element, level) {
  if (element.dataset.level === level) return;
  element.classList.remove('level-' + element.dataset.level);
  element.classList.add('level-' + level);
  element.dataset.level = level;
}

function button(text, press, kind = '') { return make('button', { type: 'button', class: kind, text, click: press }); }

/** A button that asks for a second press within five seconds. */
function twoStepButton(text, question, press, kind = 'danger') {
  let timer = 0;
  const element = button(text, () => {
    if (timer) { disarm(); press(element); return; }
    element.textContent = question;
    element.classList.add('armed');
    say(question);
    timer = setTimeout(disarm, 5000);
  }, kind);
  function disarm() {
    clearTimeout(timer);
    timer = 0;
    element.textContent = text;
    element.classList.remove('armed');
  }
  return element;
}

/** Has a screen reader say a result. */
function say(text) { document.getElementById('said').textContent = text; }

function field(name, input) { return make('label', { text: name }, input); }

/** A large number with its name above and a remark below. */
function figureTile(name, kind = '') {
  const value = make('p', { class: 'value', text: '–' });
  const beside = make('p', { class: 'beside' });
  const element = make('div', { class: 'figure live ' + kind }, make('p', { class: 'name', text: name }), value, beside);
  let shown = '';
  return {
    element,
    show(number, unit = '', remark = '') {
      const key = `${number}\n${unit}`;
      if (key !== shown) {
        shown = key;
        value.replaceChildren(String(number), unit ? make('small', { text: ' ' + unit }) : '');
      }
      setText(beside, remark);
    },
  };
}

/** A trouble or a finding: a sign, its subject, what is so, and the remedy. */
function finding(level, subject, text, remedy) {
  const names = { ok: 'Good: ', warning: 'Warning: ', fault: 'Fault: ' };
  return make('li', { class: `finding level-${level}` }, icon('sign-' + level),
    make('div', {}, make('p', { class: 'title', text: (names[level] || '') + subject }),
      make('p', { text: text.startsWith(subject) ? `${text}.` : sentenceOf(text) }),
      remedy ? make('p', { class: 'remedy', text: remedy }) : null));
}

function factList(pairs) {
  const list = make('dl', { class: 'facts' });
  for (const [name, value] of pairs) {
    if (value) list.append(make('dt', { text: name }), make('dd', { text: value }));
  }
  return list;
}

// ---------------------------------------------------------------------------------------------
// The state: everything that the gateway said last. Views read it, and only the link writes it.

const state = {
  access: null,
  status: null,
  position: null,
  session: null,
  hazardNames: [],
  /** The track of the running session as [latitude, longitude] pairs, and whose it is. */
  track: { session: null, points: [] },
  /** The last 20 s of each stream, under `board|signal`. */
  streams: new Map(),
  /** The newest time of any stream: the right edge of all strips. */
  newest: -Infinity,
  /** Gateways of the fleet by name: the event, and when it came. */
  fleet: new Map(),
};

const STRIP_SECONDS = 20;

function mayOperate() { return state.access !== null && state.access.role === 'operate'; }

function isRecording() { return Boolean(state.session); }

/** The intensity that the gateway has of a hazard in the running session. */
function notedIntensity(name) {
  const hazards = state.session ? state.session.hazards || [] : [];
  const noted = hazards.filter((hazard) => hazard.name === name).pop();
  return noted ? noted.intensity : 0;
}

/** Seconds on a clock that does not jump. */
function steadyNow() { return performance.now() / 1000; }

// ---------------------------------------------------------------------------------------------
// Calls

/** A call that failed. Status 0 is no answer at all. */
class CallError extends Error {
  constructor(status, text, remedy = '', retryAfter = 0) {
    super(text);
    Object.assign(this, { status, remedy, retryAfter });
  }

  get sentence() { return `${sentenceOf(this.message)} ${sentenceOf(this.remedy)}`.trim(); }
}

/** Gets a path, or posts a body to it. `signal` gives it up from outside. */
async function call(path, body, { signal, seconds = 10 } = {}) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), seconds * 1000);
  if (signal) signal.addEventListener('abort', () => abort.abort());
  const options = { signal: abort.signal, cache: 'no-store' };
  if (body !== undefined) {
    Object.assign(options, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    });
  }
  try {
    const response = await fetch(path, options);
    const answer = await response.json().catch(() => null);
    if (response.ok && answer !== null) return answer;
    const error = answer && answer.error;
    throw new CallError(response.status || 502, error || `the gateway answered ${response.status}`,
      (answer && answer.remedy) || '', Number(response.headers.get('Retry-After')) || 0);
  } catch (error) {
    if (error instanceof CallError) throw error;
    if (signal && signal.aborted) throw error;
    throw new CallError(0, 'the gateway does not answer', 'go nearer to it and see that its Wi-Fi is on');
  } finally {
    clearTimeout(timer);
  }
}

function sessionPath(id, rest = '') { return `/api/v1/sessions/${encodeURIComponent(id)}${rest}`; }

// ---------------------------------------------------------------------------------------------
// The link: one stream of events. It is closed while nobody looks, and opened again by itself.

const link = {
  source: null,
  /** When something came last, and since when something is wrong (`null` if nothing is). */
  heardAt: -Infinity,
  openedAt: 0,
  brokenAt: null,
  lostSince: null,
  /** Seconds until the next try after a refusal; it grows up to the longest. */
  pause: 1,

  get isLost() { return this.lostSince !== null; },

  /** Seconds since the data on the page were true. */
  get age() { return steadyNow() - this.heardAt; },

  /** Whether the data are too old to be shown as current: a gateway tells its status each second. */
  get isStale() {
    const isGateway = state.access !== null && state.access.kind === 'gateway' && state.status !== null;
    return this.isLost || (isGateway && this.age > 3.5);
  },

  open() {
    this.close();
    if (!state.access || state.access.role === 'none' || document.hidden) return;
    if (state.access.kind === 'store') return;
    this.openedAt = steadyNow();
    const isFleet = state.access.kind === 'fleet';
    const source = new EventSource(isFleet ? '/api/v1/live' : '/api/v1/stream');
    this.source = source;
    const on = (name, take) => source.addEventListener(name, (event) => {
      this.hear();
      take(JSON.parse(event.data));
    });
    source.onopen = () => this.hear();
    source.onerror = () => this.fail();
    if (isFleet) {
      for (const name of ['update', 'stale', 'gone']) on(name, takeGateway);
      on('ready', () => {});
    } else {
      on('status', takeStatus);
      on('columns', takeColumns);
    }
  },

  close() {
    if (this.source) this.source.close();
    this.source = null;
  },

  hear() {
    this.heardAt = steadyNow();
    this.brokenAt = null;
    this.pause = 1;
    if (!this.isLost) return;
    this.lostSince = null;
    outbox.hurry();
    frame.refresh();
  },

  fail() {
    if (this.brokenAt === null) this.brokenAt = steadyNow();
    if (!this.source || this.source.readyState !== EventSource.CLOSED) return;
    // Refused: this phone may have been forgotten, which `access` tells.
    this.close();
    askAccessIn(this.pause);
    this.pause = Math.min(10, this.pause * 2);
  },

  /** Marks the link as lost when it was broken or silent for too long. Called twice a second. */
  watch() {
    if (document.hidden || !state.access || state.access.role === 'none') return;
    const kind = state.access.kind;
    const now = steadyNow();
    // A break of a second or two is no news to anybody.
    if (this.brokenAt !== null && now - this.brokenAt > 3) this.lose();
    if (kind !== 'gateway' || !this.source) return;
    const silent = now - Math.max(this.heardAt, this.openedAt);
    if (silent > 12) this.lose();
    if (silent > 15) this.open();
  },

  lose() {
    if (this.isLost) return;
    this.lostSince = new Date(Date.now() - (Number.isFinite(this.age) ? this.age : 0) * 1000);
    frame.refresh();
  },
};

function takeStatus(news) {
  state.status = news.status;
  state.position = isPlace(news.position) ? news.position : null;
  state.session = news.session;
  extendTrack();
  outbox.pump();
  frame.tell('status');
}

/** Appends the position to the track of the session, if it is a new one. */
function extendTrack() {
  const id = state.session ? state.session.id : null;
  if (state.track.session !== id) state.track = { session: id, points: [] };
  const place = state.position;
  if (!id || !place || place.age > 5) return;
  const points = state.track.points;
  const last = points[points.length - 1];
  if (!last || last[0] !== place.latitude || last[1] !== place.longitude) {
    points.push([place.latitude, place.longitude]);
  }
}

function takeColumns(news) {
  for (const stream of news.streams) {
    const key = `${stream.board}|${stream.signal}`;
    let kept = state.streams.get(key);
    // A clock that went back is that of another recording: what came before it is on another clock.
    if (kept && stream.columns[0][0] < kept.columns[kept.columns.length - 1][0] - 1) {
      state.streams.clear();
      state.newest = -Infinity;
      kept = null;
    }
    kept = kept || { columns: [] };
    kept.unit = stream.unit;
    kept.axes = stream.axes;
    for (const column of stream.columns) {
      kept.columns.push(column);
      if (column[0] > state.newest) state.newest = column[0];
    }
    const first = kept.columns.findIndex((column) => column[0] >= state.newest - STRIP_SECONDS - 1);
    if (first > 20) kept.columns.splice(0, first);
    state.streams.set(key, kept);
  }
  strips.draw();
}

function takeGateway(news) {
  if (news.event === 'gone') state.fleet.delete(news.gateway);
  else state.fleet.set(news.gateway, { ...news, cameAt: steadyNow() });
  frame.tell('fleet');
}

let accessTimer = 0;

function askAccessIn(seconds) {
  clearTimeout(accessTimer);
  accessTimer = setTimeout(askAccess, seconds * 1000);
}

/** Asks who this phone is to the gateway, then begins, or asks for the PIN. */
async function askAccess() {
  clearTimeout(accessTimer);
  try {
    const access = await call('/api/v1/access');
    const before = state.access;
    state.access = access;
    keepText('access', JSON.stringify(access));
    if (access.role === 'none') link.close(); else if (!link.source || before?.kind !== access.kind) link.open();
    if (!before || before.role !== access.role || before.kind !== access.kind) frame.begin();
    if (access.role !== 'none' && access.kind === 'gateway') loadHazardNames();
    if (access.kind === 'store' || access.role === 'none') link.hear();
  } catch (error) {
    link.lose();
    askAccessIn(3);
  }
}

/**
 * Begins with what the gateway said last time, which is true nearly always, and does not wait for its answer:
 * so hazards can be tapped while the link is down, and the stream comes sooner while it is not.
 */
function beginAsBefore() {
  const access = keptJSON('access');
  if (!access || access.role === 'none') return;
  state.access = access;
  state.hazardNames = keptJSON('hazard-names') || [];
  link.open();
  frame.begin();
}

async function loadHazardNames() {
  try {
    state.hazardNames = (await call('/api/v1/hazards')).names;
    keepText('hazard-names', JSON.stringify(state.hazardNames));
  } catch (error) {
    state.hazardNames = keptJSON('hazard-names') || [];
  }
  frame.tell('names');
}

/** Reads and writes what the browser keeps; some browsers keep nothing. */
function keptText(key) { try { return localStorage.getItem(key); } catch (error) { return null; } }

function keptJSON(key) { try { return JSON.parse(keptText(key)); } catch (error) { return null; } }

function keepText(key, text) {
  try {
    if (text === null) localStorage.removeItem(key); else localStorage.setItem(key, text);
    return true;
  } catch (error) { return false; }
}

// ---------------------------------------------------------------------------------------------
// The outbox: hazards and notes that the gateway has not confirmed. Each is kept under a key of its
// own, so that two windows of the page never overwrite each other's. Its id never changes, so that
// the gateway stores it once however often it is sent.

const UNDO_MILLISECONDS = 5000;

const outbox = {
  items: new Map(),
  prefix: 'parcel:',
  /** Marks the items of this load of the page: only these are moved when the clock jumps. */
  owner: randomID(),
  isKept: true,
  isSending: false,
  retryAt: 0,
  pause: 2,
  clock: { date: Date.now(), steady: performance.now(), wasHidden: true },

  /** Takes over what an earlier load of the page has left. */
  load() {
    let keys = [];
    try { keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix)); } catch (error) { this.isKept = false; }
    const items = keys.map(keptJSON).filter((item) => item && /^[0-9a-f]{32}$/.test(item.id));
    for (const item of items.sort((a, b) => a.time - b.time)) {
      item.owner = this.owner;
      // The clock may have been set back meanwhile: nobody waits longer than the usual time.
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

  /** Follows changes by another window of the page. */
  follow(key, text) {
    if (!key || !key.startsWith(this.prefix)) return;
    if (text === null) this.items.delete(key.slice(this.prefix.length));
    else { const item = JSON.parse(text); this.items.set(item.id, item); }
    frame.tell('outbox');
  },

  /** A hazard that can still be changed by another tap. */
  openHazard(name) {
    return [...this.items.values()].find((item) => item.kind === 'hazard' && item.name === name
      && item.phase === 'open' && item.due > Date.now());
  },

  tapHazard(name) {
    this.watchClock();
    const now = Date.now();
    let item = this.openHazard(name);
    if (item) {
      item.intensity = (item.intensity + 1) % 4;
    } else {
      item = this.parcel({ kind: 'hazard', name, intensity: 1, phase: 'open' });
    }
    item.due = now + UNDO_MILLISECONDS;
    this.save(item);
    say(`${name}, intensity ${intensityText(item.intensity)}. Sent in five seconds.`);
    frame.tell('outbox');
  },

  addNote(text) {
    this.watchClock();
    this.save(this.parcel({ kind: 'note', text, phase: 'waiting', due: Date.now() }));
    this.hurry();
    frame.tell('outbox');
  },

  /** An item of now. It names the running session, since another may run when it is delivered. */
  parcel(content) {
    const session = state.session ? state.session.id : 'current';
    return { id: randomID(), owner: this.owner, session, time: Date.now(), ...content };
  },

  undo(item) {
    this.remove(item);
    say(`${titleOf(item)} is undone.`);
    frame.tell('outbox');
  },

  /** Puts a refused item into the last walk, at its end: its own time is not within a walk. */
  async putIntoLast(item) {
    const sessions = await call('/api/v1/sessions?newest=1');
    if (!sessions.length) throw new CallError(404, 'there is no walk yet');
    const last = sessions[sessions.length - 1];
    item.session = last.session;
    item.at = last.seconds;
    item.phase = 'waiting';
    this.save(item);
    this.hurry();
  },

  /** Tries again at once: there is a reason to hope. */
  hurry() {
    this.retryAt = 0;
    this.pause = 2;
    this.pump();
  },

  /** Sends what is due. Called twice a second. */
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

  /** Ends the time for undoing. A hazard that was tapped to 0 and never noted is none. */
  closeWindows() {
    for (const item of [...this.items.values()]) {
      if (item.phase !== 'open' || item.due > Date.now()) continue;
      if (item.intensity === 0 && !notedIntensity(item.name) && !link.isLost) this.remove(item);
      else { item.phase = 'waiting'; this.save(item); }
      frame.tell('outbox');
    }
  },

  /** Delivers one item; `false` if the next ones have to wait too. */
  async deliver(item) {
    const ago = Math.max(0, Date.now() - item.time) / 1000;
    const time = item.at === undefined ? { ago } : { at: item.at };
    const body = item.kind === 'hazard'
      ? { id: item.id, name: item.name, intensity: item.intensity, ...time }
      : { id: item.id, text: item.text, ...time };
    try {
      const answer = await call(sessionPath(item.session, `/${item.kind}s`), body);
      this.remove(item);
      this.pause = 2;
      this.retryAt = 0;
      if (answer.hazards && state.session && [state.session.id, 'current'].includes(item.session)) {
        state.session.hazards = answer.hazards;
      }
      say(`${titleOf(item)} is noted.`);
      frame.tell('outbox');
      return true;
    } catch (error) {
      return this.take(error, item);
    }
  },

  /** Decides what follows a failure: a refusal is told, everything else is tried again. */
  take(error, item) {
    if (error.status === 401 || error.status === 403) askAccess();
    const isRefusal = [400, 404, 409, 410, 413, 422].includes(error.status);
    if (isRefusal) {
      item.phase = 'refused';
      item.reason = error.message;
      this.save(item);
      say(`${titleOf(item)} was not noted: ${item.reason}.`);
    } else {
      this.retryAt = steadyNow() + (error.retryAfter || this.pause);
      this.pause = Math.min(15, this.pause * 1.5);
    }
    frame.tell('outbox');
    return isRefusal;
  },

  /**
   * Keeps the times of the items right when the phone's clock is set. While the page is seen, both
   * clocks run alike, and a difference is a jump. While it is not, the steady clock may have slept.
   */
  watchClock() {
    const date = Date.now();
    const steady = performance.now();
    const jump = (date - this.clock.date) - (steady - this.clock.steady);
    if (!document.hidden && !this.clock.wasHidden && Math.abs(jump) > 500) {
      for (const item of this.items.values()) {
        if (item.owner !== this.owner) continue;
        item.time += jump;
        item.due += jump;
        this.save(item);
      }
    }
    this.clock = { date, steady, wasHidden: document.hidden };
  },
};

/** 128 random bits. `randomUUID` does not exist without TLS. */
function randomID() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function titleOf(item) {
  return item.kind === 'hazard' ? `${item.name}, intensity ${item.intensity}` : `Note “${item.text.slice(0, 40)}”`;
}

/** The items that are under way, with what can be done about each. */
function outboxTray() {
  const list = make('ul', { class: 'plain' });
  const summary = make('p', { class: 'parcel', hidden: true });
  const element = make('div', { class: 'tray', role: 'group', 'aria-label': 'On the way to the gateway' }, summary, list);
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
      parts.actions.append(intoLast, twoStepButton('Discard', 'Discard it?', () => outbox.undo(item), 'danger tight'));
    }
  }

  function update() {
    const items = [...outbox.items.values()].filter((item) => item.phase !== 'waiting');
    for (const [id, parts] of rows) {
      if (!items.some((item) => item.id === id)) { parts.node.remove(); rows.delete(id); }
    }
    const waiting = [...outbox.items.values()].filter((item) => item.phase === 'waiting');
    summary.hidden = !waiting.length;
    if (waiting.length) setText(summary, waitingText(waiting));
    for (const item of items) {
      if (!rows.has(item.id)) { rows.set(item.id, row(item)); list.append(rows.get(item.id).node); }
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
  if (item.phase === 'refused') return `${titleOf(item)} (${spanText(ago)} ago) was not noted: ${item.reason}.`;
  const what = item.intensity === 0 ? 'no hazard' : intensityText(item.intensity);
  return `${item.name}: ${what}. Sent in ${Math.ceil(left / 1000)} s.`;
}

/** One sentence for all that wait: a long list would cover the buttons. */
function waitingText(items) {
  const [first] = items;
  const what = items.length === 1 ? titleOf(first) : `${figure(items.length)} hazards and notes`;
  if (!link.isStale && outbox.retryAt === 0) return `${what}: being sent.`;
  const ago = spanText(Math.max(0, Date.now() - Math.min(...items.map((item) => item.time))) / 1000);
  return items.length === 1 ? `${what} (${ago} ago) waits for the gateway. It is kept on this phone.`
    : `${what} wait for the gateway, since ${ago}. They are kept on this phone.`;
}

// ---------------------------------------------------------------------------------------------
// Drawing: colours, gestures and envelopes, for charts and maps

let colours = null;

/** The colours of the style sheet as a canvas needs them. */
function palette() {
  if (!colours) {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue('--' + name).trim();
    colours = {
      ink: get('ink'), dim: get('dim'), grid: get('grid'), hatch: get('hatch'), card: get('card'),
      warning: get('warning'), accent: get('accent'), track: get('track'), edge: get('edge'),
      axes: [get('axis-1'), get('axis-2'), get('axis-3'), get('dim')],
    };
  }
  return colours;
}

/** Axes differ by colour, by the style of their line, and by the name at its end. */
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const FONT = '13px system-ui, sans-serif';

/** The context of a canvas in CSS pixels, cleared; `null` while it has no size. */
function contextOf(canvas) {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (!width || !height) return null;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  return { context, width, height };
}

/** Draws once at the next frame, however often it is asked. */
function onNextFrame(draw) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => { isAsked = false; draw(); });
  };
}

/** 1, 2 or 5 times a power of ten, so that about `count` steps fill the span. */
function niceStep(span, count) {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough * 0.999);
  return factor * power;
}

function niceTimeStep(span, count) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
  const rough = span / Math.max(1, count);
  return rough < 1 ? niceStep(span, count) : steps.find((step) => step >= rough) || 86400 * Math.ceil(rough / 86400);
}

/**
 * Follows drag, pinch, wheel and double tap. `move(dx, dy, factor, x, y)` shifts by pixels and then
 * magnifies around a point; `tap(x, y)` is a single tap.
 */
function followGestures(element, { move, tap }) {
  const fingers = new Map();
  let travelled = 0;
  let lastTap = { time: -Infinity, x: 0, y: 0 };

  function place(event) {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  function middle() {
    const all = [...fingers.values()];
    const x = all.reduce((sum, finger) => sum + finger.x, 0) / all.length;
    const y = all.reduce((sum, finger) => sum + finger.y, 0) / all.length;
    const spread = all.length > 1 ? Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y) : 0;
    return { x, y, spread };
  }

  element.addEventListener('pointerdown', (event) => {
    if (event.button) return;
    if (!fingers.size) travelled = 0;
    fingers.set(event.pointerId, place(event));
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = middle();
    fingers.set(event.pointerId, place(event));
    const after = middle();
    travelled += Math.hypot(after.x - before.x, after.y - before.y) + Math.abs(after.spread - before.spread);
    const factor = before.spread > 10 && after.spread > 10 ? after.spread / before.spread : 1;
    move(after.x - before.x, after.y - before.y, factor, after.x, after.y);
  });
  function lift(event) {
    const finger = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    if (event.type !== 'pointerup' || !finger || fingers.size || travelled > 8) return;
    const isDouble = event.timeStamp - lastTap.time < 320
      && Math.hypot(finger.x - lastTap.x, finger.y - lastTap.y) < 30;
    lastTap = { time: isDouble ? -Infinity : event.timeStamp, ...finger };
    if (isDouble) move(0, 0, 2, finger.x, finger.y);
    else if (tap) tap(finger.x, finger.y);
  }
  element.addEventListener('pointerup', lift);
  element.addEventListener('pointercancel', lift);
  element.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { x, y } = place(event);
    const unit = event.deltaMode === 1 ? 20 : 1;
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isSideways) move(-event.deltaX * unit, 0, 1, x, y);
    else move(0, 0, Math.exp(-event.deltaY * unit * 0.002), x, y);
  }, { passive: false });
}

/**
 * Draws an axis as the band from its minimum to its maximum, with a line in the middle.
 * `x(i)` is the place of a column; `low(i)` and `high(i)` are in pixels, NaN where there is nothing.
 * Without `dash`, a wide band has a rim instead of the line.
 */
function drawEnvelope(context, count, { x, low, high, colour, dash, ends }) {
  context.fillStyle = colour;
  context.strokeStyle = colour;
  let start = -1;
  for (let i = 0; i <= count; i += 1) {
    const isThere = i < count && !Number.isNaN(high(i));
    if (isThere && start < 0) start = i;
    const endsHere = start >= 0 && (!isThere || (i > start && ends && ends(i)));
    if (!endsHere) continue;
    drawRun(context, start, i, x, low, high, dash);
    start = isThere ? i : -1;
  }
}

function meanHeight(from, to, low, high) {
  let sum = 0;
  for (let i = from; i < to; i += 1) sum += low(i) - high(i);
  return sum / (to - from);
}

function drawRun(context, from, to, x, low, high, dash) {
  context.beginPath();
  for (let i = from; i < to; i += 1) context.lineTo(x(i), high(i) - 0.5);
  for (let i = to - 1; i >= from; i -= 1) context.lineTo(x(i), low(i) + 0.5);
  context.closePath();
  // The middle of a wide band would be a line that no sample is on: its rim tells more.
  const isWide = dash === null && meanHeight(from, to, low, high) > 8;
  context.globalAlpha = isWide ? 0.5 : 0.28;
  context.fill();
  context.globalAlpha = 1;
  if (isWide) { context.lineWidth = 1; context.stroke(); return; }
  context.lineWidth = 1.7;
  context.beginPath();
  context.setLineDash(dash || []);
  // A run of one column would be a line without a length.
  if (to - from === 1) context.moveTo(x(from) - 1, (low(from) + high(from)) / 2);
  for (let i = from; i < to; i += 1) context.lineTo(x(i), (low(i) + high(i)) / 2);
  context.stroke();
  context.setLineDash([]);
}

/** The range of values with some room, and never empty. */
function roomy(low, high) {
  if (!(high >= low)) return [-1, 1];
  const room = Math.max((high - low) * 0.08, Math.abs(high) * 0.002, 1e-6);
  return [low - room, high + room];
}

function decimalsFor(step) { return Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))); }

/** Lines and numbers of the values, at the left. */
function drawValueAxis(context, box, [low, high], unit) {
  const { grid, dim } = palette();
  const step = niceStep(high - low, Math.max(2, box.height / 26));
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
    const y = box.top + box.height * (high - value) / (high - low);
    context.strokeStyle = grid;
    context.beginPath();
    context.moveTo(box.left, y);
    context.lineTo(box.left + box.width, y);
    context.stroke();
    context.fillStyle = dim;
    if (y > box.top + 18 && y < box.top + box.height - 4) context.fillText(figure(value, decimalsFor(step)), box.left - 5, y);
  }
  context.fillStyle = dim;
  context.fillText(unit || '', box.left - 5, box.top + 8);
}

/** Names of axes at the right ends of their lines, moved apart where they would cover each other. */
function drawAxisNames(context, names, places, x, box) {
  const rows = names.map((name, index) => ({ name, index, y: places[index] }))
    .filter((row) => Number.isFinite(row.y)).sort((a, b) => a.y - b.y);
  let above = box.top - 8;
  for (const row of rows) { row.y = Math.max(row.y, above + 15); above = row.y; }
  let below = box.top + box.height + 8;
  for (const row of rows.slice().reverse()) { row.y = Math.min(row.y, below - 15); below = row.y; }
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.font = 'bold 14px system-ui, sans-serif';
  for (const row of rows) {
    context.fillStyle = palette().axes[row.index % 4];
    context.fillText(row.name, x, row.y);
  }
  context.font = FONT;
}

// ---------------------------------------------------------------------------------------------
// Strips: the last 20 seconds of each stream

const strips = {
  /** Canvases with the keys of their streams. */
  shown: new Map(),
  seen: new Set(),
  drawnAt: -Infinity,
  watcher: null,

  /** A canvas for a stream; it is drawn while it is on the screen. */
  canvas(key, name) {
    const canvas = make('canvas', { class: 'strip', role: 'img', 'aria-label': name });
    this.shown.set(canvas, key);
    if (!this.watcher) {
      this.watcher = new IntersectionObserver((entries) => {
        for (const entry of entries) {
          if (entry.isIntersecting) this.seen.add(entry.target); else this.seen.delete(entry.target);
        }
        this.draw();
      });
    }
    this.watcher.observe(canvas);
    return canvas;
  },

  clear() {
    if (this.watcher) this.watcher.disconnect();
    this.shown.clear();
    this.seen.clear();
  },

  draw: onNextFrame(() => {
    const pause = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 0;
    if (steadyNow() - strips.drawnAt < pause) return;
    strips.drawnAt = steadyNow();
    for (const canvas of strips.seen) drawStrip(canvas, state.streams.get(strips.shown.get(canvas)));
  }),
};

function drawStrip(canvas, stream) {
  const drawing = contextOf(canvas);
  if (!drawing) return;
  const { context, width, height } = drawing;
  const box = { left: 46, top: 4, width: width - 46 - 20, height: height - 8 };
  const columns = stream ? stream.columns : [];
  const begin = state.newest - STRIP_SECONDS;
  const first = columns.findIndex((column) => column[0] >= begin);
  if (first < 0) {
    context.fillStyle = palette().dim;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText('no samples in the last 20 s', width / 2, height / 2);
    return;
  }
  const shown = columns.slice(first);
  const axes = stream.axes.length;
  let low = Infinity;
  let high = -Infinity;
  for (const column of shown) {
    for (let k = 0; k < axes; k += 1) {
      if (column[1 + 2 * k] < low) low = column[1 + 2 * k];
      if (column[2 + 2 * k] > high) high = column[2 + 2 * k];
    }
  }
  const range = roomy(low, high);
  drawValueAxis(context, box, range, stream.unit);
  const y = (value) => box.top + box.height * (range[1] - value) / (range[1] - range[0]);
  const ends = [];
  for (let k = 0; k < axes; k += 1) {
    drawEnvelope(context, shown.length, {
      x: (i) => box.left + box.width * (shown[i][0] - begin) / STRIP_SECONDS,
      low: (i) => y(shown[i][1 + 2 * k]), high: (i) => y(shown[i][2 + 2 * k]),
      // A pause of more than two columns is a gap, and no line crosses it.
      ends: (i) => shown[i][0] - shown[i - 1][0] > 0.25,
      colour: palette().axes[k % 4], dash: DASHES[k % 4],
    });
    const last = shown[shown.length - 1];
    ends.push(y((last[1 + 2 * k] + last[2 + 2 * k]) / 2));
  }
  drawAxisNames(context, axes > 1 ? stream.axes : [''], ends, box.left + box.width + 5, box);
}

// ---------------------------------------------------------------------------------------------
// The chart of a walk: any signal at any magnification

/**
 * A chart of a session of `total` seconds. `marks` are `{seconds, text, kind}`. It asks for the
 * envelope of the part that is seen, and meanwhile shows what it has, stretched.
 */
function waveChart({ session, total, marks }) {
  const canvas = make('canvas', {
    class: 'wave', tabindex: '0', role: 'application',
    'aria-label': 'Chart. Arrows move, plus and minus magnify, Home and End go to the ends, 0 shows all.',
  });
  const range = make('p', { class: 'small quiet', 'aria-live': 'polite' });
  const gaps = make('p', { class: 'small quiet' });
  const failure = make('p', { class: 'failure', role: 'alert' });
  const tools = make('div', { class: 'row' },
    toolButton('−', 'Show more time', () => zoom(0.5)), toolButton('+', 'Magnify', () => zoom(2)),
    toolButton('‹', 'Earlier', () => shift(-0.5)), toolButton('›', 'Later', () => shift(0.5)),
    toolButton('All', 'Show the whole walk', () => see(0, total)));
  const element = make('div', {}, canvas, make('div', { class: 'row apart' }, range, tools), gaps, failure);
  const whole = Math.max(total, 0.1);
  const view = { from: 0, to: whole };
  let stream = null;
  /** The whole walk, and the part that was asked for last. */
  let overview = null;
  let part = null;
  let timer = 0;
  let abort = null;
  const draw = onNextFrame(() => drawWave(canvas, view, [overview, part], marks(), whole));

  function toolButton(text, name, press) {
    return make('button', { type: 'button', class: 'tight', text, 'aria-label': name, click: press });
  }

  function see(from, to) {
    // 50 ms are five samples at 100 Hz; nobody needs less.
    const span = Math.min(whole, Math.max(0.05, to - from));
    view.from = Math.max(0, Math.min(from, whole - span));
    view.to = view.from + span;
    const decimals = span < 20 ? 2 : 0;
    setText(range, `${clockText(view.from, decimals)} to ${clockText(view.to, decimals)}`);
    draw();
    clearTimeout(timer);
    timer = setTimeout(load, 120);
  }

  function zoom(factor, at = (view.from + view.to) / 2) {
    see(at - (at - view.from) / factor, at + (view.to - at) / factor);
  }

  function shift(share) {
    const by = share * (view.to - view.from);
    see(view.from + by, view.to + by);
  }

  async function load() {
    if (!stream) return;
    if (abort) abort.abort();
    abort = new AbortController();
    const asked = abort;
    const columns = Math.max(50, Math.min(2000, Math.round(canvas.clientWidth * Math.min(2, window.devicePixelRatio || 1))));
    const query = new URLSearchParams({ board: stream.board, signal: stream.signal, from: view.from, to: view.to, columns });
    try {
      const picture = await call(sessionPath(session, '/envelope?' + query), undefined, { signal: asked.signal, seconds: 20 });
      if (asked.signal.aborted) return;
      // A gap may have no sample before or after it.
      for (const gap of picture.gaps) { gap.from ??= picture.from; gap.to ??= picture.to; }
      part = picture;
      setText(gaps, gapsText(picture.gaps));
      if (!overview || picture.to - picture.from >= whole * 0.99) overview = picture;
      setText(failure, '');
      draw();
    } catch (error) {
      if (error instanceof CallError && !asked.signal.aborted) setText(failure, error.sentence);
    }
  }

  const secondsAt = (x) => view.from + (view.to - view.from) * (x - WAVE.left) / Math.max(1, canvas.clientWidth - WAVE.left - WAVE.right);
  followGestures(canvas, {
    move(dx, dy, factor, x) {
      const by = -dx * (view.to - view.from) / Math.max(1, canvas.clientWidth - WAVE.left - WAVE.right);
      view.from += by;
      view.to += by;
      zoom(factor, secondsAt(x));
    },
  });
  canvas.addEventListener('keydown', (event) => {
    const keys = {
      ArrowLeft: () => shift(event.shiftKey ? -1 : -0.1), ArrowRight: () => shift(event.shiftKey ? 1 : 0.1),
      ArrowUp: () => zoom(1.5), ArrowDown: () => zoom(1 / 1.5),
      '+': () => zoom(1.5), '=': () => zoom(1.5), '-': () => zoom(1 / 1.5),
      Home: () => see(0, view.to - view.from), End: () => see(whole - (view.to - view.from), whole), 0: () => see(0, whole),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const sizes = new ResizeObserver(() => { draw(); if (stream && !part) load(); });
  sizes.observe(canvas);
  see(0, whole);

  return {
    element, draw,
    get middle() { return (view.from + view.to) / 2; },
    show(chosen) { stream = chosen; overview = null; part = null; draw(); load(); },
    leave() { clearTimeout(timer); if (abort) abort.abort(); sizes.disconnect(); },
  };
}

/** Room for the numbers at the left, the names at the right, and the marks and times. */
const WAVE = { left: 50, right: 20, top: 24, bottom: 24 };

/** Draws the overview, over it the part, then gaps and marks. */
function drawWave(canvas, view, [overview, part], marks, whole) {
  const drawing = contextOf(canvas);
  if (!drawing) return;
  const { context, width, height } = drawing;
  const box = { left: WAVE.left, top: WAVE.top, width: width - WAVE.left - WAVE.right, height: height - WAVE.top - WAVE.bottom };
  const x = (seconds) => box.left + box.width * (seconds - view.from) / (view.to - view.from);
  const covers = part && part.from <= view.from + 1e-6 && part.to >= Math.min(view.to, whole) - 1e-6;
  const pictures = covers ? [part] : [overview, part].filter((picture, index, all) => picture && all.indexOf(picture) === index);
  drawTimeAxis(context, box, view);
  if (!pictures.length) {
    context.fillStyle = palette().dim;
    context.textAlign = 'center';
    context.fillText('loading …', width / 2, height / 2);
    return;
  }
  // Each axis has a lane of its own: bands that lie over one another cannot be told apart.
  const axes = pictures[0].axes;
  const laneHeight = box.height / axes.length;
  for (let k = 0; k < axes.length; k += 1) {
    const lane = { left: box.left, top: box.top + k * laneHeight + 2, width: box.width, height: laneHeight - 4 };
    drawLane(context, lane, pictures, k, view, x);
    const ends = axes.map((name, index) => (axes.length > 1 && index === k ? lane.top + lane.height / 2 : NaN));
    drawAxisNames(context, axes, ends, box.left + box.width + 5, lane);
  }
  drawGaps(context, box, pictures[pictures.length - 1].gaps || [], x);
  drawMarks(context, box, marks, x);
}

function drawLane(context, lane, pictures, axis, view, x) {
  const range = laneRange(pictures, axis, view);
  drawValueAxis(context, lane, range, axis === 0 ? pictures[0].unit : '');
  const y = (value) => lane.top + lane.height * (range[1] - value) / (range[1] - range[0]);
  context.save();
  context.beginPath();
  context.rect(lane.left, lane.top - 2, lane.width, lane.height + 4);
  context.clip();
  pictures.forEach((picture, index) => {
    context.save();
    const finer = pictures[index + 1];
    if (finer) {
      // The coarse picture shows only where the fine one has nothing.
      context.beginPath();
      context.rect(lane.left, lane.top - 2, x(finer.from) - lane.left, lane.height + 4);
      context.rect(x(finer.to), lane.top - 2, lane.left + lane.width - x(finer.to), lane.height + 4);
      context.clip();
    }
    const columns = picture.columns;
    const step = (picture.to - picture.from) / columns.length;
    drawEnvelope(context, columns.length, {
      x: (i) => x(picture.from + (i + 0.5) * step),
      low: (i) => y(columns[i]?.[2 * axis] ?? NaN),
      high: (i) => y(columns[i]?.[2 * axis + 1] ?? NaN),
      colour: palette().axes[axis % 4], dash: null,
    });
    context.restore();
  });
  context.restore();
}

/** The range of the columns that are seen. */
function laneRange(pictures, axis, view) {
  let low = Infinity;
  let high = -Infinity;
  for (const picture of pictures) {
    const step = (picture.to - picture.from) / picture.columns.length;
    picture.columns.forEach((column, i) => {
      const end = picture.from + (i + 1) * step;
      if (!column || end < view.from || end - step > view.to) return;
      low = Math.min(low, column[2 * axis] ?? low);
      high = Math.max(high, column[2 * axis + 1] ?? high);
    });
  }
  return roomy(low, high);
}

function drawTimeAxis(context, box, view) {
  const { grid, dim } = palette();
  const span = view.to - view.from;
  const step = niceTimeStep(span, box.width / 90);
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  for (let time = Math.ceil(view.from / step - 1e-9) * step; time <= view.to + 1e-9; time += step) {
    const x = box.left + box.width * (time - view.from) / span;
    context.strokeStyle = grid;
    context.beginPath();
    context.moveTo(x, box.top);
    context.lineTo(x, box.top + box.height);
    context.stroke();
    context.fillStyle = dim;
    context.textAlign = x < box.left + 20 ? 'left' : x > box.left + box.width - 20 ? 'right' : 'center';
    context.fillText(clockText(time, step < 1 ? decimalsFor(step) : 0), x, box.top + box.height + 13);
  }
}

/** The gaps in words, for those who do not see them and where a name has no room. */
function gapsText(gaps) {
  const sums = {};
  for (const { reason, lost } of gaps) sums[reason] = (sums[reason] || 0) + lost;
  const parts = Object.entries(sums).map(([reason, lost]) => `${reasonText(reason)}, ${lost ? figure(lost) : 'some'} lost`);
  return parts.length ? `Hatched: ${parts.join('; ')}.` : '';
}

/** Hatches the gaps, and names the reason where there is room. */
function drawGaps(context, box, gaps, x) {
  const { hatch, ink, card } = palette();
  context.save();
  context.beginPath();
  context.rect(box.left, box.top, box.width, box.height);
  context.clip();
  let drawnTo = -Infinity;
  for (const gap of gaps) {
    const left = x(gap.from);
    const width = Math.max(2, x(gap.to) - left);
    // Of gaps within one pixel, one is drawn.
    if (left + width < box.left || left > box.left + box.width || left + width <= drawnTo + 0.5) continue;
    drawnTo = left + width;
    const begin = Math.max(left, box.left - 10);
    const end = Math.min(left + width, box.left + box.width + 10);
    hatchBox(context, begin, box.top, end - begin, box.height, hatch);
    const text = `${reasonText(gap.reason)}: ${gap.lost ? figure(gap.lost) : 'some'} lost`;
    const needed = context.measureText(text).width + 10;
    const from = Math.max(left, box.left);
    const room = Math.min(left + width, box.left + box.width) - from;
    if (room < needed) continue;
    context.fillStyle = card;
    context.fillRect(from + (room - needed) / 2, box.top + box.height / 2 - 11, needed, 22);
    context.fillStyle = ink;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(text, from + room / 2, box.top + box.height / 2);
  }
  context.restore();
}

function hatchBox(context, left, top, width, height, colour) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.fillStyle = colour;
  context.globalAlpha = 0.18;
  context.fillRect(left, top, width, height);
  context.globalAlpha = 0.9;
  context.strokeStyle = colour;
  context.lineWidth = width < 6 ? 2 : 1;
  context.beginPath();
  for (let offset = -height; offset < width; offset += 8) {
    context.moveTo(left + offset, top + height);
    context.lineTo(left + offset + height, top);
  }
  context.stroke();
  context.restore();
}

/** Hazards as triangles, notes as squares; their texts stand beside them where they fit. */
function drawMarks(context, box, marks, x) {
  const { warning, accent, ink, card } = palette();
  let textTo = -Infinity;
  const seen = marks.filter((mark) => x(mark.seconds) >= box.left && x(mark.seconds) <= box.left + box.width)
    .sort((a, b) => a.seconds - b.seconds);
  seen.forEach((mark, index) => {
    const at = x(mark.seconds);
    context.strokeStyle = mark.kind === 'hazard' ? warning : accent;
    context.fillStyle = context.strokeStyle;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(at, box.top - 4);
    context.lineTo(at, box.top + box.height);
    context.stroke();
    context.beginPath();
    if (mark.kind === 'hazard') { context.moveTo(at, 4); context.lineTo(at + 9, 20); context.lineTo(at - 9, 20); } else context.rect(at - 7, 5, 14, 15);
    context.fill();
    context.fillStyle = card;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.font = 'bold 11px system-ui, sans-serif';
    context.fillText(mark.sign, at, 14);
    context.font = FONT;
    const next = seen[index + 1] ? x(seen[index + 1].seconds) - 10 : box.left + box.width + WAVE.right;
    const needed = context.measureText(mark.text).width;
    if (at + 12 < textTo || at + 12 + needed > next) return;
    context.fillStyle = ink;
    context.textAlign = 'left';
    context.fillText(mark.text, at + 12, 13);
    textTo = at + 12 + needed;
  });
}

// ---------------------------------------------------------------------------------------------
// Maps. Both kinds show the same layers:
//   track: [[latitude, longitude], …]
//   hazards: [{latitude, longitude, name, intensity}, …]
//   places: [{latitude, longitude, accuracy, name, isStale}, …]: this gateway, or those of a fleet

const METRES_PER_DEGREE = 111320;

let tilesAnswer = null;

/** A map with tiles if the gateway has some, otherwise one with a grid. */
async function makeMap(container) {
  // The answer holds while the page is open, except that there was none.
  tilesAnswer = tilesAnswer || call('/tiles', undefined, { seconds: 5 }).catch((error) => {
    if (error.status !== 404) tilesAnswer = null;
    return null;
  });
  const tiles = await tilesAnswer;
  if (!tiles) return gridMap(container);
  try {
    await loadLeaflet();
    return tileMap(container, tiles);
  } catch (error) {
    return gridMap(container);
  }
}

/** The points of all layers. */
function pointsOf(layers) {
  return [...layers.track, ...[...layers.hazards, ...layers.places].map((place) => [place.latitude, place.longitude])];
}

/** South, west, north and east of all layers; `null` if they are empty. */
function boundsOf(layers) {
  const points = pointsOf(layers);
  if (!points.length) return null;
  const bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [latitude, longitude] of points) {
    bounds[0] = Math.min(bounds[0], latitude);
    bounds[1] = Math.min(bounds[1], longitude);
    bounds[2] = Math.max(bounds[2], latitude);
    bounds[3] = Math.max(bounds[3], longitude);
  }
  return bounds;
}

function labelOf(place) { return place.name + (place.isStale ? ' (not current)' : ''); }

const noLayers = { track: [], hazards: [], places: [] };

function gridMap(container) {
  const canvas = make('canvas', {
    tabindex: '0', role: 'application',
    'aria-label': 'Map with a grid. Arrows move, plus and minus magnify, 0 shows all. The list below has the same places.',
  });
  const zoomButton = (text, name, press) => make('button', { type: 'button', text, 'aria-label': name, click: press });
  container.replaceChildren(canvas, make('div', { class: 'zoom' },
    zoomButton('+', 'Magnify', () => zoom(2)), zoomButton('−', 'Show more', () => zoom(0.5)), zoomButton('⤢', 'Show all', fit)));
  const view = { latitude: 0, longitude: 0, metresPerPixel: 1 };
  let layers = noLayers;
  let hasView = false;
  /** Whether a person has moved the map: then it stays where it is. */
  let isMoved = false;
  const draw = onNextFrame(() => drawGrid(canvas, view, layers));

  const eastMetres = () => METRES_PER_DEGREE * Math.max(0.01, Math.cos(view.latitude * Math.PI / 180));

  function fit() {
    const bounds = boundsOf(layers);
    if (!bounds || !canvas.clientWidth) { draw(); return; }
    hasView = true;
    view.latitude = (bounds[0] + bounds[2]) / 2;
    view.longitude = (bounds[1] + bounds[3]) / 2;
    const across = (bounds[3] - bounds[1]) * eastMetres() / Math.max(60, canvas.clientWidth - 110);
    const up = (bounds[2] - bounds[0]) * METRES_PER_DEGREE / Math.max(60, canvas.clientHeight - 90);
    // A single place is shown with 100 metres around it.
    view.metresPerPixel = Math.max(across, up, 200 / canvas.clientWidth);
    draw();
  }

  function move(dx, dy, factor, x, y) {
    hasView = isMoved = true;
    view.longitude -= dx * view.metresPerPixel / eastMetres();
    view.latitude += dy * view.metresPerPixel / METRES_PER_DEGREE;
    const scale = Math.min(20000, Math.max(0.02, view.metresPerPixel / factor));
    // The point under the finger stays where it is.
    const change = view.metresPerPixel - scale;
    view.longitude += (x - canvas.clientWidth / 2) * change / eastMetres();
    view.latitude -= (y - canvas.clientHeight / 2) * change / METRES_PER_DEGREE;
    view.latitude = Math.max(-85, Math.min(85, view.latitude));
    view.metresPerPixel = scale;
    draw();
  }

  function zoom(factor) { move(0, 0, factor, canvas.clientWidth / 2, canvas.clientHeight / 2); }

  followGestures(canvas, { move });
  canvas.addEventListener('keydown', (event) => {
    const keys = {
      ArrowLeft: () => move(60, 0, 1, 0, 0), ArrowRight: () => move(-60, 0, 1, 0, 0),
      ArrowUp: () => move(0, 60, 1, 0, 0), ArrowDown: () => move(0, -60, 1, 0, 0),
      '+': () => zoom(1.5), '=': () => zoom(1.5), '-': () => zoom(1 / 1.5), 0: fit, Home: fit,
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const sizes = new ResizeObserver(() => (hasView ? draw() : fit()));
  sizes.observe(canvas);

  return {
    show(next) {
      layers = next;
      if (hasView) draw(); else fit();
    },
    centre(place) {
      hasView = isMoved = true;
      view.latitude = place.latitude;
      view.longitude = place.longitude;
      draw();
    },
    fit() { if (!isMoved) fit(); },
    leave() { sizes.disconnect(); },
  };
}

function drawGrid(canvas, view, layers) {
  const drawing = contextOf(canvas);
  if (!drawing) return;
  const { context, width, height } = drawing;
  const east = METRES_PER_DEGREE * Math.max(0.01, Math.cos(view.latitude * Math.PI / 180));
  const x = (longitude) => width / 2 + (longitude - view.longitude) * east / view.metresPerPixel;
  const y = (latitude) => height / 2 - (latitude - view.latitude) * METRES_PER_DEGREE / view.metresPerPixel;
  const colour = palette();
  const step = niceStep(view.metresPerPixel * 100, 1);
  const pixels = step / view.metresPerPixel;
  if (!pointsOf(layers).length) {
    context.fillStyle = colour.dim;
    context.textAlign = 'center';
    context.fillText('no position yet', width / 2, height / 2);
    return;
  }
  drawGridLines(context, width, height, x(Math.round(view.longitude * 10) / 10), y(Math.round(view.latitude * 10) / 10), pixels);

  context.lineJoin = 'round';
  for (const [lineWidth, ink] of [[6, colour.card], [3, colour.track]]) {
    context.lineWidth = lineWidth;
    context.strokeStyle = ink;
    context.beginPath();
    for (const [latitude, longitude] of layers.track) context.lineTo(x(longitude), y(latitude));
    context.stroke();
  }
  if (layers.track.length > 1) drawEndOfTrack(context, x(layers.track[0][1]), y(layers.track[0][0]));
  const labels = [];
  for (const place of layers.places) {
    const at = { x: x(place.longitude), y: y(place.latitude) };
    drawPlace(context, at, place, (place.accuracy || 0) / view.metresPerPixel, Math.min(width, height));
    if (layers.places.length > 60) continue;
    labels.push({ ...at, text: labelOf(place), colour: place.isStale ? colour.dim : colour.accent });
  }
  for (const hazard of layers.hazards) {
    const at = { x: x(hazard.longitude), y: y(hazard.latitude) };
    drawHazard(context, at, hazard);
    labels.push({ ...at, text: hazard.name, colour: colour.ink });
  }
  drawLabels(context, labels, width);
  drawScale(context, width, height, step, pixels);
  drawNorth(context);
}

function drawGridLines(context, width, height, originX, originY, pixels) {
  context.strokeStyle = palette().grid;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = originX - Math.ceil(originX / pixels) * pixels; at < width; at += pixels) { context.moveTo(at, 0); context.lineTo(at, height); }
  for (let at = originY - Math.ceil(originY / pixels) * pixels; at < height; at += pixels) { context.moveTo(0, at); context.lineTo(width, at); }
  context.stroke();
}

function drawEndOfTrack(context, x, y) {
  context.beginPath();
  context.arc(x, y, 5, 0, 2 * Math.PI);
  context.fillStyle = palette().card;
  context.fill();
  context.lineWidth = 3;
  context.strokeStyle = palette().track;
  context.stroke();
}

/** A filled dot is current; an empty, dashed one is not. The circle around it is its accuracy. */
function drawPlace(context, { x, y }, place, radius, side) {
  const { accent, dim, card } = palette();
  const colour = place.isStale ? dim : accent;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  if (radius > 9) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.lineWidth = 1;
    context.stroke();
    // A circle around everything would only tint the map.
    context.globalAlpha = radius < side / 2 ? 0.14 : 0;
    context.fill();
    context.globalAlpha = 1;
  }
  context.beginPath();
  context.arc(x, y, 8, 0, 2 * Math.PI);
  context.fillStyle = place.isStale ? card : colour;
  context.fill();
  context.lineWidth = 2.5;
  context.setLineDash(place.isStale ? [3, 3] : []);
  context.strokeStyle = place.isStale ? colour : card;
  context.stroke();
  context.setLineDash([]);
}

function drawHazard(context, { x, y }, hazard) {
  const { warning, card } = palette();
  context.beginPath();
  context.moveTo(x, y - 14);
  context.lineTo(x + 14, y + 10);
  context.lineTo(x - 14, y + 10);
  context.closePath();
  context.fillStyle = warning;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = card;
  context.stroke();
  context.fillStyle = card;
  context.font = 'bold 14px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(String(hazard.intensity), x, y + 2);
  context.font = FONT;
}

/** Labels beside their marks: right or left, or lower where another label is. */
function drawLabels(context, labels, width) {
  const taken = [];
  const isFree = (box) => taken.every((other) => box.right < other.left || box.left > other.right || Math.abs(box.y - other.y) > 15);
  for (const label of labels) {
    const text = label.text.length > 28 ? label.text.slice(0, 27) + '…' : label.text;
    const length = context.measureText(text).width;
    // The buttons for zooming are at the right.
    const goesRight = label.x + 17 + length < width - (label.y < 190 ? 62 : 4);
    const left = goesRight ? label.x + 17 : label.x - 17 - length;
    const rows = [0, 16, -16, 32, -32].map((by) => ({ left, right: left + length, y: label.y + by }));
    const box = rows.find(isFree);
    if (!box) continue;
    taken.push(box);
    drawLabel(context, box.left, box.y, text, label.colour);
  }
}

/** A text with a rim of the ground, so that it can be read over lines. */
function drawLabel(context, x, y, text, colour) {
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = palette().card;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

function drawScale(context, width, height, metres, pixels) {
  const left = 14;
  const y = height - 14;
  context.strokeStyle = palette().ink;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(left, y - 6);
  context.lineTo(left, y);
  context.lineTo(left + pixels, y);
  context.lineTo(left + pixels, y - 6);
  context.stroke();
  const text = metres >= 1000 ? `${figure(metres / 1000)} km` : metres >= 1 ? `${figure(metres)} m` : `${figure(metres * 100)} cm`;
  drawLabel(context, left + 5, y - 12, text, palette().ink);
}

function drawNorth(context) {
  context.fillStyle = palette().ink;
  context.beginPath();
  context.moveTo(24, 10);
  context.lineTo(31, 32);
  context.lineTo(24, 27);
  context.lineTo(17, 32);
  context.fill();
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = 'bold 13px system-ui, sans-serif';
  context.fillText('N', 24, 42);
  context.font = FONT;
}

let leafletLoad = null;

/** Loads Leaflet from the gateway, once. It fails where the package is not installed. */
function loadLeaflet() {
  leafletLoad = leafletLoad || Promise.all([
    new Promise((done, fail) => document.head.append(make('link', { rel: 'stylesheet', href: '/leaflet.css', load: done, error: fail }))),
    new Promise((done, fail) => document.head.append(make('script', { src: '/leaflet.js', load: done, error: fail }))),
  ]);
  return leafletLoad;
}

function tileMap(container, tiles) {
  const leaflet = window.L;
  const ground = make('div', {});
  ground.style.height = '100%';
  container.replaceChildren(ground);
  const map = leaflet.map(ground, { preferCanvas: true });
  map.attributionControl.setPrefix('');
  leaflet.control.scale({ imperial: false }).addTo(map);
  leaflet.tileLayer('/tiles/{z}/{x}/{y}', {
    minZoom: Math.min(tiles.minzoom, 3), maxZoom: 19, minNativeZoom: tiles.minzoom, maxNativeZoom: tiles.maxzoom,
    attribution: escaped(tiles.attribution || tiles.name || ''),
    bounds: tiles.bounds ? [[tiles.bounds[1], tiles.bounds[0]], [tiles.bounds[3], tiles.bounds[2]]] : undefined,
  }).addTo(map);
  const group = leaflet.layerGroup().addTo(map);
  let hasView = false;
  let isMoved = false;
  let shown = noLayers;
  if (tiles.bounds) map.fitBounds([[tiles.bounds[1], tiles.bounds[0]], [tiles.bounds[3], tiles.bounds[2]]]);
  else map.setView([0, 0], Math.max(2, tiles.minzoom));
  // After a pan of a person, the map stays where it is.
  map.on('dragstart', () => { isMoved = true; });
  const tip = (text) => make('span', { text });

  function show(layers) {
    const colour = palette();
    group.clearLayers();
    if (layers.track.length) {
      leaflet.polyline(layers.track, { color: colour.track, weight: 4, interactive: false }).addTo(group);
    }
    for (const place of layers.places) {
      const at = [place.latitude, place.longitude];
      const ink = place.isStale ? '#5a6661' : '#0b5d4e';
      if (place.accuracy) leaflet.circle(at, { radius: place.accuracy, color: ink, weight: 1, fillOpacity: 0.12, interactive: false }).addTo(group);
      const look = place.isStale ? { color: ink, fillColor: '#fff', dashArray: '3 3' } : { color: '#fff', fillColor: ink };
      leaflet.circleMarker(at, { radius: 8, weight: 2.5, fillOpacity: 1, ...look })
        .bindTooltip(tip(labelOf(place)), { permanent: layers.places.length <= 40, direction: 'right', className: 'tip' })
        .addTo(group);
    }
    for (const hazard of layers.hazards) {
      const mark = make('div', { class: 'map-mark' }, icon('sign-blank'), make('span', { text: String(hazard.intensity) }));
      const sign = leaflet.divIcon({ html: mark, className: '', iconSize: [28, 28] });
      leaflet.marker([hazard.latitude, hazard.longitude], { icon: sign, keyboard: false }).bindTooltip(tip(hazard.name), { className: 'tip' }).addTo(group);
    }
    shown = layers;
    if (!hasView) fit();
  }

  function fit() {
    const bounds = boundsOf(shown);
    if (!bounds) return;
    hasView = true;
    map.fitBounds([[bounds[0], bounds[1]], [bounds[2], bounds[3]]], { maxZoom: Math.max(16, tiles.maxzoom), padding: [30, 30] });
  }
  const sizes = new ResizeObserver(() => map.invalidateSize());
  sizes.observe(ground);
  return {
    show,
    fit() { if (!isMoved) fit(); },
    centre(place) { hasView = isMoved = true; map.setView([place.latitude, place.longitude]); },
    leave() { sizes.disconnect(); map.remove(); },
  };
}

/** Leaflet takes the attribution as HTML, and it comes from a file of somebody's. */
function escaped(text) {
  const plain = text.replace(/<[^>]*>/g, '');
  return plain.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

// ---------------------------------------------------------------------------------------------
// The view for pairing

function pairView() {
  const pin = make('input', {
    class: 'pin', inputmode: 'numeric', autocomplete: 'one-time-code', pattern: '[0-9]*', maxlength: '6', required: true, 'aria-describedby': 'pin-help',
  });
  const name = make('input', { type: 'text', maxlength: '40', autocomplete: 'off', value: keptText('phone-name') || 'My phone', required: true });
  const failure = make('p', { class: 'failure', role: 'alert' });
  const send = make('button', { class: 'main', text: 'Pair this phone' });
  let timer = 0;

  async function pair(event) {
    event.preventDefault();
    const digits = pin.value.replace(/\D/g, '');
    if (digits.length !== 6) { setText(failure, 'The PIN has six digits.'); pin.focus(); return; }
    send.disabled = true;
    setText(failure, '');
    try {
      await call('/api/v1/pair', { pin: digits, name: name.value.trim() || 'A phone' });
      keepText('phone-name', name.value.trim());
      await askAccess();
    } catch (error) {
      explain(error);
    }
  }

  function explain(error) {
    pin.value = '';
    if (error.status === 429) { waitFor(error.retryAfter || 60); return; }
    send.disabled = false;
    setText(failure, error.status === 403 ? 'This PIN is wrong, or too old. See which one the gateway shows now.' : error.sentence);
    pin.focus();
  }

  /** After five wrong PINs the gateway listens to none for a while. */
  function waitFor(seconds) {
    const until = steadyNow() + seconds;
    const count = () => {
      const left = Math.ceil(until - steadyNow());
      if (left > 0) { setText(failure, `Too many attempts. Try again in ${left} s.`); return; }
      clearInterval(timer);
      setText(failure, '');
      send.disabled = false;
      pin.focus();
    };
    clearInterval(timer);
    timer = setInterval(count, 1000);
    count();
  }

  const element = make('form', { class: 'card pairing', submit: pair, novalidate: true },
    make('h1', { text: 'Pair this phone' }),
    make('p', { id: 'pin-help', text: `Type the six digits that ${state.access.gateway || 'the gateway'} shows. The command ‘footbridge web pair’ shows new ones.` }),
    field('PIN', pin), field('Name of this phone', name), failure, send);
  return { element, title: 'Pair', first: pin, leave() { clearInterval(timer); } };
}

// ---------------------------------------------------------------------------------------------
// The view Now

function nowView() {
  const sentence = sentenceSign();
  const troubles = make('ul', { class: 'plain card live', hidden: true });
  const controls = recordingControls();
  const tiles = {
    time: figureTile('Time'), distance: figureTile('Distance'), pace: figureTile('Pace'), speed: figureTile('Speed'),
    steps: figureTile('Steps'), climb: figureTile('Climb'), place: figureTile('Position', 'wide'),
  };
  const boards = boardCards();
  const tray = outboxTray();
  let troubleKey = '';

  function update() {
    sentence.update();
    controls.update();
    tray.update();
    showFigures(tiles);
    const list = state.status ? state.status.troubles : [];
    const key = JSON.stringify(list.map((trouble) => [trouble.level, trouble.subject, trouble.text, trouble.remedy, trouble.age && spanText(trouble.age)]));
    if (key !== troubleKey) {
      troubleKey = key;
      troubles.hidden = !list.length;
      troubles.replaceChildren(...list.map((trouble) => finding(trouble.level,
        trouble.subject + (trouble.age ? `, for ${spanText(trouble.age)}` : ''), trouble.text, remedyText(trouble.remedy))));
    }
    boards.update();
  }

  const figures = make('div', { class: 'figures' }, ...Object.values(tiles).map((tile) => tile.element));
  const element = make('div', {}, make('h1', { class: 'unseen', text: 'Now' }),
    make('div', { class: 'columns' }, make('div', {}, sentence.element, troubles, controls.element, figures), boards.element), tray.element);
  return { element, title: 'Now', update, leave() { strips.clear(); } };
}

/** A remedy may have several lines. */
function remedyText(remedy) { return remedy.split('\n').map(sentenceOf).join('\n'); }

/** The state of the gateway: its sign, a word and a sentence. */
function sentenceSign() {
  const use = icon('sign-unknown');
  const word = make('p', { class: 'word' });
  const text = make('p', { class: 'text' });
  const element = make('div', { class: 'sign live' }, use, make('div', { role: 'status' }, word, text));

  function update() {
    const { level, title, rest } = judgement();
    setLevel(element, level);
    if (use.firstChild.getAttribute('href') !== '#sign-' + level) use.firstChild.setAttribute('href', '#sign-' + level);
    setText(word, title);
    setText(text, rest);
  }
  return { element, update };
}

/** The level of the gateway's sentence, its first word and the rest. */
function judgement() {
  const { status } = state;
  if (!status) return { level: 'unknown', title: 'Not known yet', rest: 'The gateway was asked.' };
  const rest = sentenceOf(summaryText(status).replace(/^(works: |works, but |does not work: )/, ''));
  if (link.isLost) return { level: 'unknown', title: 'No answer', rest: `Last known: ${rest}` };
  const hasFault = !status.works;
  if (hasFault) return { level: 'fault', title: 'Does not work', rest };
  return status.troubles.length ? { level: 'warning', title: 'Works, but', rest } : { level: 'ok', title: 'Works', rest };
}

/** The summary names a command for the terminal where this page has a button. */
function summaryText(status) {
  return status.summary.replace("waits for 'footbridge start'", 'waits until somebody presses Start')
    .replace('stopped by command', 'stopped until somebody presses Start');
}

/** Start, stop and note, as the recording allows. */
function recordingControls() {
  const failure = make('p', { class: 'failure', role: 'alert' });
  const start = button('Start', () => command('start'), 'main');
  const stop = twoStepButton('Stop', 'Stop now?', () => command('stop'));
  const text = make('textarea', { maxlength: '1000', rows: '2' });
  const form = make('form', { class: 'card', hidden: true, submit: keep }, field('Note', text),
    make('div', { class: 'row' }, make('button', { class: 'main', text: 'Keep the note' }), button('Cancel', () => showForm(false))));
  const note = button('Note', () => showForm(form.hidden));
  note.setAttribute('aria-expanded', 'false');
  const rule = make('p', { class: 'small quiet' });
  const element = make('div', {}, make('div', { class: 'controls' }, start, stop, note), failure, form, rule);

  function showForm(isShown) {
    form.hidden = !isShown;
    note.setAttribute('aria-expanded', String(isShown));
    if (isShown) text.focus(); else note.focus();
  }

  function keep(event) {
    event.preventDefault();
    if (text.value.trim()) outbox.addNote(text.value.trim());
    text.value = '';
    showForm(false);
  }

  async function command(name) {
    start.disabled = stop.disabled = true;
    setText(failure, '');
    try {
      await call('/api/v1/recording', { command: name });
      say(name === 'start' ? 'The recording is started.' : 'The recording is stopped.');
    } catch (error) {
      setText(failure, error.sentence);
    }
    start.disabled = stop.disabled = false;
  }

  function update() {
    const recording = state.status ? state.status.recording : null;
    const phase = recording ? recording.phase : '';
    element.hidden = !mayOperate() || !recording;
    start.hidden = !['waiting', 'standby'].includes(phase);
    stop.hidden = !(['starting', 'recording', 'retrying'].includes(phase) || (phase === 'standby' && !recording.isStopped));
    note.hidden = !isRecording();
    start.disabled = stop.disabled = link.isLost;
    setText(rule, recording && !recording.isStopped ? ruleText(recording) : '');
  }
  return { element, update };
}

function ruleText(recording) {
  const words = {
    always: 'The gateway always records.', walking: 'The gateway records while somebody walks.',
    command: 'The gateway records when somebody presses Start.',
  };
  return words[recording.rule] || `The gateway records at these hours: ${recording.rule}.`;
}

function showFigures(tiles) {
  const { session, position } = state;
  const statistics = (session && session.statistics) || {};
  const none = session ? '' : 'nothing is recorded';
  tiles.time.show(session ? clockText(session.elapsed) : '–', '', none);
  tiles.distance.show(...distanceParts(statistics.distanceMetres));
  const pace = paceText(statistics.meanSpeed);
  tiles.pace.show(pace, pace === '–' ? '' : '/km', pace === '–' ? '' : 'while moving');
  const isMoving = position !== null && position.age < 5 && Number.isFinite(position.speed);
  tiles.speed.show(isMoving ? figure(position.speed * 3.6, 1) : '–', isMoving ? 'km/h' : '', isMoving ? 'now' : '');
  const steps = stepsOf(statistics, namesOf(state.status ? state.status.boards : []));
  tiles.steps.show(steps.value, '', steps.remark);
  tiles.climb.show(figure(statistics.gainMetres), Number.isFinite(statistics.gainMetres) ? 'm' : '',
    Number.isFinite(statistics.lossMetres) ? `down ${figure(statistics.lossMetres)} m` : '');
  tiles.place.show(...placeFigure());
  tiles.place.element.classList.toggle('past', !position || position.age > 5);
}

/** The steps of the first board, and beside them those of the others: both feet count the same steps. */
function stepsOf(statistics, names) {
  const all = statistics.steps || [];
  if (!all.length) return { value: '–', remark: '' };
  const name = (one) => names[one.board] || one.board;
  const remark = all.length === 1 ? name(all[0]) : all.map((one) => `${name(one)} ${figure(one.count)}`).join(', ');
  return { value: figure(all[0].count), remark };
}

/** The names of boards by address. */
function namesOf(boards) { return Object.fromEntries(boards.map((board) => [board.address, board.name])); }

function placeFigure() {
  const { position, status } = state;
  const receiver = status && status.receiver;
  if (!position) {
    const why = !receiver ? 'no receiver is set up' : receiver.fixAge !== null ? `the last one was ${spanText(receiver.fixAge)} ago` : receiver.state || '';
    return ['No position', '', why];
  }
  const facts = [
    position.accuracy !== null && position.accuracy !== undefined ? `within ${withUnit(figure(position.accuracy), 'm')}` : 'accuracy not known',
    position.age > 5 ? `old: ${spanText(position.age)} ago` : agoText(position.age),
    Number.isFinite(position.altitude) ? `${withUnit(figure(position.altitude), 'm')} high` : '',
    Number.isFinite(position.satellites) ? plural(position.satellites, 'satellite') : '',
  ];
  return [placeText(position.latitude, position.longitude), '', facts.filter(Boolean).join(' · ')];
}

/** A card for each board; cards stay while their board does, so that nothing jumps. */
function boardCards() {
  const element = make('div', {});
  const cards = new Map();

  function update() {
    const boards = state.status ? state.status.boards : [];
    const keys = boards.map(cardKey).join();
    if (keys !== element.dataset.keys) {
      element.dataset.keys = keys;
      strips.clear();
      cards.clear();
      for (const board of boards) cards.set(board.address, boardCard(board));
      element.replaceChildren(...[...cards.values()].map((card) => card.element));
      strips.draw();
    }
    for (const board of boards) cards.get(board.address).update(board);
  }
  return { element, update };
}

/** What a card is built for: another name or another stream needs another card. */
function cardKey(board) { return JSON.stringify([board.address, board.name, board.streams.map((stream) => stream.signal)]); }

function boardCard(board) {
  const sign = icon('sign-unknown');
  const sentence = make('p');
  const facts = make('p', { class: 'facts' });
  const rows = board.streams.map((stream) => {
    const rate = make('span', {});
    const loss = make('p', {});
    const canvas = strips.canvas(`${board.address}|${stream.signal}`, `${signalText(stream.signal)} of ${board.name}, last 20 seconds`);
    const row = make('div', { class: 'stream' }, make('div', { class: 'head' }, make('b', { text: signalText(stream.signal) }), rate), canvas, loss);
    return { row, rate, loss };
  });
  const element = make('section', { class: 'card board live' },
    make('h2', {}, sign, make('span', { text: board.name || board.address })), sentence, facts, ...rows.map((row) => row.row));

  function update(next) {
    const { level, text } = boardSentence(next);
    setLevel(element, level);
    sign.firstChild.setAttribute('href', '#sign-' + level);
    setText(sentence, text);
    setText(facts, boardFacts(next));
    next.streams.forEach((stream, index) => {
      setText(rows[index].rate, `${figure(stream.measuredRate, 1)} of ${figure(stream.requestedRate, stream.requestedRate % 1 ? 1 : 0)} Hz`);
      setText(rows[index].loss, streamText(stream));
    });
  }
  return { element, update };
}

function boardSentence(board) {
  const bad = (level, text) => ({ level, text });
  if (board.isCrowdedOut) return bad('fault', 'Waits: every Bluetooth adapter has as many boards as it takes.');
  switch (board.phase) {
    case 'streaming': {
      const age = board.sampleAge;
      if (age === null) return bad('unknown', 'Is set up and waits for the other boards.');
      return age < 3 ? bad('ok', 'Sends samples.') : bad(age < 10 ? 'warning' : 'fault', `Sent its last sample ${spanText(age)} ago.`);
    }
    case 'watching': return bad('ok', 'Waits for somebody to walk.');
    case 'connecting': return bad('unknown', 'Is being connected.');
    case 'identifying': return bad('unknown', 'Is being set up.');
    case 'missing': return bad('fault', 'Was not found yet. Press its button and bring it nearer.');
    case 'reconnecting': return bad(board.phaseAge < 10 ? 'warning' : 'fault', `Lost its link ${spanText(board.phaseAge)} ago and is being connected again.`);
    case 'failed': return bad('fault', 'Was given up.');
    case 'stopping': return bad('unknown', 'Is being stopped.');
    case 'finished': return bad('unknown', 'Has stopped.');
    default: return bad('unknown', 'Is not in use now.');
  }
}

function boardFacts(board) {
  const signal = board.rssi === null ? '' : `signal ${figure(board.rssi)} dBm (${board.rssi > -70 ? 'good' : board.rssi > -85 ? 'fair' : 'weak'})`;
  return [board.battery === null ? 'battery not known' : `battery ${board.battery} %`, signal, board.address].filter(Boolean).join(' · ');
}

function streamText(stream) {
  const parts = [`${figure(stream.received)} samples`, lossText(stream.lost, stream.received)];
  if (stream.silence !== null) parts.push(`silent for ${spanText(stream.silence)}, about ${figure(stream.missing)} missing`);
  return parts.join(', ');
}

// ---------------------------------------------------------------------------------------------
// The view Hazards

function hazardsView() {
  const hint = make('p', { class: 'quiet' });
  const grid = make('div', { class: 'hazard-grid' });
  const tray = outboxTray();
  const buttons = new Map();

  function build() {
    buttons.clear();
    for (const name of state.hazardNames) buttons.set(name, hazardButton(name));
    grid.replaceChildren(...[...buttons.values()].map((one) => one.element));
  }

  function update(topic) {
    if (topic === 'names' || buttons.size !== state.hazardNames.length) build();
    setText(hint, hazardHint());
    for (const one of buttons.values()) one.update();
    tray.update();
  }
  const element = make('div', {}, make('h1', { text: 'Hazards' }), hint, grid, tray.element);
  return { element, title: 'Hazards', update };
}

function hazardHint() {
  if (!mayOperate()) return 'This phone may only look. It cannot note hazards.';
  if (!outbox.isKept) return 'This browser keeps nothing. Leave the page open until everything is sent.';
  if (link.isLost) return 'The gateway does not answer. What you tap is kept on this phone and sent later.';
  if (!isRecording()) return 'Nothing is being recorded now. Hazards can be added to the last walk.';
  return 'Tap where it is. Tap again for more: 1 slight, 2 medium, 3 severe, then none.';
}

function hazardButton(name) {
  const bars = [1, 2, 3].map(() => make('i', {}));
  const said = make('span', { class: 'said' });
  const element = make('button', { type: 'button', class: 'hazard', click: () => outbox.tapHazard(name) },
    make('span', { text: name }), make('span', { class: 'bars', 'aria-hidden': 'true' }, ...bars), said);

  function update() {
    const open = outbox.openHazard(name);
    const waiting = [...outbox.items.values()].filter((item) => item.name === name && item.phase === 'waiting').pop();
    const noted = notedIntensity(name);
    const intensity = open ? open.intensity : waiting ? waiting.intensity : noted;
    element.classList.toggle('open', Boolean(open));
    element.classList.toggle('on', !open && intensity > 0);
    element.disabled = !mayOperate();
    bars.forEach((bar, index) => bar.classList.toggle('full', index < intensity));
    const level = intensityWords[intensity];
    setText(said, open ? `${intensity}: ${level}` : waiting ? `waits: ${level}` : noted ? `noted: ${level}` : 'tap to note');
  }
  return { element, update };
}

// ---------------------------------------------------------------------------------------------
// The view Walks: the list

function walksView() {
  const list = make('div', {});
  const failure = make('p', { class: 'failure', role: 'alert' });
  const more = button('Show earlier walks', () => { count += 50; load(); });
  more.hidden = true;
  let count = 50;

  async function load() {
    try {
      const sessions = await call(`/api/v1/sessions?newest=${count}`, undefined, { seconds: 30 });
      setText(failure, '');
      more.hidden = sessions.length < count;
      list.replaceChildren(...sessions.slice().reverse().map(walkLine));
      if (!sessions.length) list.replaceChildren(make('p', { class: 'quiet', text: 'There is no walk yet.' }));
    } catch (error) {
      setText(failure, error.sentence);
    }
  }
  const needsForget = state.access.kind === 'fleet';
  const element = make('div', {}, make('h1', { text: 'Walks' }), failure, list, more, needsForget ? forgetCard() : null);
  list.append(make('p', { class: 'quiet', text: 'Loading …' }));
  load();
  return { element, title: 'Walks', again: load };
}

function walkLine(session) {
  const facts = [
    session.gateway && state.access.kind === 'fleet' ? session.gateway : '', session.wearer ? `worn by ${session.wearer}` : '',
    session.boards === null || session.boards === undefined ? '' : plural(session.boards, 'board'),
    session.samples === null ? '' : `${figure(session.samples)} samples`,
    session.lost === null ? '' : session.lost ? `${figure(session.lost)} lost` : 'none lost', session.ended,
  ];
  return make('a', { class: 'walk', href: '#walks/' + encodeURIComponent(session.session) },
    make('div', { class: 'row apart' }, make('b', { text: dateText(session.start) }),
      make('span', { class: 'long', text: session.seconds === null ? '' : clockText(session.seconds) })),
    make('p', { text: facts.filter(Boolean).join(' · ') }), session.note ? make('p', { text: session.note }) : null);
}

// ---------------------------------------------------------------------------------------------
// The view of one walk

function walkView(id) {
  const element = make('div', {}, make('p', {}, make('a', { href: '#walks', class: 'button', text: '‹ All walks' })));
  const body = make('div', {}, make('p', { class: 'quiet', text: 'Loading …' }));
  element.append(body);
  const parts = [];
  let isLeft = false;
  let repaint = () => {};

  async function load() {
    try {
      const report = await call(sessionPath(id), undefined, { seconds: 30 });
      if (isLeft) return;
      end();
      const walk = { id, report, reload: load };
      const map = walkMap(walk);
      const chart = walkChart(walk);
      parts.push(map, chart);
      walk.redraw = () => { map.update(); chart.draw(); };
      repaint = walk.redraw;
      body.replaceChildren(walkHead(walk), walkStatistics(report), make('div', { class: 'columns' },
        make('div', {}, map.element, marksCard(walk, chart)), make('div', {}, chart.element, downloadsCard(walk), editCard(walk))),
        streamsCard(walk), eventsCard(report), mayOperate() ? deleteCard(walk) : '');
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      body.replaceChildren(make('p', { class: 'failure', role: 'alert', text: error.sentence }), button('Try again', load));
    }
  }
  function end() { for (const part of parts.splice(0)) part.leave(); }
  load();
  return { element, title: 'Walk', repaint: () => repaint(), leave() { isLeft = true; end(); } };
}

function walkHead({ id, report, reload }) {
  const isRunning = state.session !== null && state.session.id === id;
  return make('div', {}, make('h1', { text: dateText(report.start) }),
    isRunning ? make('p', {}, button('Load what came since', reload, 'tight')) : null,
    make('p', { class: 'quiet', text: [report.gateway, report.wearer && `worn by ${report.wearer}`, report.ended].filter(Boolean).join(' · ') }),
    report.note ? make('p', { text: report.note }) : null,
    report.timeWarning ? make('p', { class: 'failure', text: sentenceOf(report.timeWarning) }) : null);
}

function walkStatistics(report) {
  const statistics = report.statistics;
  const tile = (name, ...content) => { const one = figureTile(name); one.show(...content); return one.element; };
  const pace = paceText(statistics.meanSpeed);
  const steps = stepsOf(statistics, namesOf(report.boards));
  return make('div', { class: 'figures' },
    tile('Time', clockText(report.seconds), '', Number.isFinite(statistics.movingSeconds) ? `moving ${clockText(statistics.movingSeconds)}` : ''),
    tile('Distance', ...distanceParts(statistics.distanceMetres), `position for ${figure(100 * statistics.fixShare)} %`),
    tile('Pace', pace, pace === '–' ? '' : '/km', pace === '–' ? '' : 'while moving'),
    tile('Speed', ...speedParts(statistics.meanSpeed), speedText(statistics.highestSpeed) && `highest ${speedText(statistics.highestSpeed)}`),
    tile('Steps', steps.value, '', steps.remark),
    tile('Climb', figure(statistics.gainMetres), Number.isFinite(statistics.gainMetres) ? 'm' : '',
      Number.isFinite(statistics.lossMetres) ? `down ${figure(statistics.lossMetres)} m` : ''));
}

function walkMap({ id, report }) {
  const container = make('div', { class: 'map' });
  const failure = make('p', { class: 'failure', role: 'alert' });
  const element = make('section', { class: 'card' }, make('h2', { text: 'Track' }), container, failure);
  let map = null;
  let track = [];
  let isLeft = false;

  function update() {
    if (map) map.show({ track, hazards: report.hazards.filter((hazard) => isPlace(hazard) && hazard.intensity > 0), places: [] });
  }
  async function load() {
    const made = await makeMap(container);
    if (isLeft) { made.leave(); return; }
    map = made;
    try {
      track = trackPoints(await call(sessionPath(id, '/track?points=2000'), undefined, { seconds: 30 }));
    } catch (error) {
      setText(failure, error.sentence);
    }
    update();
  }
  load();
  return { element, update, leave() { isLeft = true; if (map) map.leave(); } };
}

function trackPoints(answer) {
  return answer.fixes.map(([, latitude, longitude]) => [latitude, longitude])
    .filter(([latitude, longitude]) => isPlace({ latitude, longitude }));
}

function walkChart({ id, report }) {
  const marks = () => [
    ...report.hazards.filter((hazard) => hazard.intensity > 0)
      .map(({ seconds, name, intensity }) => ({ seconds, text: name, sign: String(intensity), kind: 'hazard' })),
    ...report.annotations.map(({ seconds, text }) => ({ seconds, text: text.slice(0, 40), sign: 'n', kind: 'note' })),
  ];
  const chart = waveChart({ session: id, total: report.seconds, marks });
  const names = namesOf(report.boards);
  const choice = make('select', { change: () => chart.show(report.streams[choice.value]) },
    ...report.streams.map((stream, index) => {
      const name = names[stream.board] || stream.board;
      return make('option', { value: index, text: `${name}: ${signalText(stream.signal).toLowerCase()} (${stream.unit})` });
    }));
  const element = make('section', { class: 'card' }, make('h2', { text: 'Signals' }));
  if (report.streams.length) {
    element.append(field('Signal', choice), chart.element);
    chart.show(report.streams[0]);
  } else {
    element.append(make('p', { class: 'quiet', text: 'This walk has no samples.' }));
  }
  return { element, draw: chart.draw, leave: chart.leave, get middle() { return chart.middle; } };
}

/** Hazards and notes, which may be added and changed after the walk. */
function marksCard(walk, chart) {
  const { report, id } = walk;
  const failure = make('p', { class: 'failure', role: 'alert' });
  const list = make('ul', { class: 'plain marks' });

  async function send(path, body, done) {
    try {
      const answer = await call(sessionPath(id, path), { id: randomID(), ...body });
      setText(failure, '');
      done(answer);
      say('It is noted.');
      show();
      walk.redraw();
    } catch (error) {
      setText(failure, error.sentence);
    }
  }
  const sendHazard = (name, intensity, at) => send('/hazards', { name, intensity, at }, (answer) => { report.hazards = answer.hazards; });
  const sendNote = (text, at) => send('/notes', { text, at }, () => { report.annotations.push({ text, seconds: at }); });

  function hazardLine(hazard) {
    return make('li', {}, make('span', { class: 'when', text: clockText(hazard.seconds) }), make('b', { class: 'what', text: hazard.name }),
      mayOperate() ? intensityChoice(hazard.name, hazard.intensity, (intensity) => sendHazard(hazard.name, intensity, hazard.seconds))
        : make('span', { text: intensityText(hazard.intensity) }));
  }

  function noteLine(note) {
    return make('li', {}, make('span', { class: 'when', text: clockText(note.seconds) }), make('span', { class: 'what', text: note.text }));
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
  return make('section', { class: 'card' }, make('h2', { text: 'Hazards and notes' }), list, failure,
    mayOperate() ? addForm(report, chart, sendHazard, sendNote) : null);
}

/** Buttons 0 to 3. */
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
  const text = make('input', { type: 'text', maxlength: '1000' });
  const level = make('select', {}, ...[1, 2, 3].map((value) => make('option', { value, text: intensityText(value) })));
  const textField = field('Text', text);
  const levelField = field('Intensity', level);
  const failure = make('p', { class: 'failure', role: 'alert' });

  function follow() { textField.hidden = kind.value !== ''; levelField.hidden = kind.value === ''; }
  kind.addEventListener('change', follow);

  async function fillNames() {
    try {
      const { names } = await call('/api/v1/hazards');
      kind.append(...names.map((name) => make('option', { text: name, value: name })));
    } catch (error) { /* Notes can be added without the names. */ }
  }

  function add(event) {
    event.preventDefault();
    const at = secondsOf(time.value);
    if (!(at >= 0 && at <= report.seconds)) { setText(failure, `Give a time from 0:00 to ${clockText(report.seconds)}.`); time.focus(); return; }
    if (kind.value === '' && !text.value.trim()) { setText(failure, 'Write what to note.'); text.focus(); return; }
    setText(failure, '');
    if (kind.value) sendHazard(kind.value, Number(level.value), at); else sendNote(text.value.trim(), at);
    text.value = '';
  }
  follow();
  const details = make('details', { toggle: () => { if (details.open) { time.value = clockText(chart.middle); if (kind.options.length === 1) fillNames(); } } },
    make('summary', { text: 'Add one' }),
    make('form', { class: 'form', submit: add, novalidate: true }, field('What', kind), field('Time in the walk (begins with the middle of the chart)', time),
      textField, levelField, failure, make('button', { class: 'main', text: 'Add' })));
  return details;
}

function editCard({ id, report, reload }) {
  const wearer = make('input', { type: 'text', maxlength: '100', value: report.wearer, autocomplete: 'off' });
  const note = make('textarea', { maxlength: '2000' });
  note.value = report.note;
  const failure = make('p', { class: 'failure', role: 'alert' });
  const isReadOnly = !mayOperate();
  if (isReadOnly) return make('span', { hidden: true });

  async function save(event) {
    event.preventDefault();
    try {
      await call(sessionPath(id, '/edit'), { wearer: wearer.value.trim(), note: note.value.trim() });
      say('It is saved.');
      reload();
    } catch (error) {
      setText(failure, error.sentence);
    }
  }
  return make('section', { class: 'card' }, make('details', {}, make('summary', { text: 'Wearer and note' }),
    make('form', { class: 'form', submit: save }, field('Wearer', wearer), field('Note', note), failure, make('button', { class: 'main', text: 'Save' }))));
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
  const details = make('details', { toggle: () => { if (details.open) load(); } }, make('summary', { text: 'Downloads' }), list, failure);
  return make('section', { class: 'card' }, details);
}

function streamsCard({ report }) {
  const names = namesOf(report.boards);
  return make('section', { class: 'card' }, make('details', {}, make('summary', { text: 'Samples and losses' }),
    factList(report.streams.map((stream) => [
      `${names[stream.board] || stream.board}, ${signalText(stream.signal).toLowerCase()}`,
      `${figure(stream.samples)} samples at ${figure(stream.achievedHertz, 2)} of ${figure(stream.requestedHertz, 2)} Hz; `
        + lossText(stream.lost, stream.samples) + (stream.lossIsEstimate && lossText(stream.lost, 1) !== 'none lost' ? ' (estimated)' : ''),
    ]))));
}

function eventsCard(report) {
  const names = namesOf(report.boards);
  return make('section', { class: 'card' }, make('details', {}, make('summary', { text: `Events (${figure(report.events.length)})` }),
    factList(report.events.slice(0, 300).map((event) => [clockText(event.seconds), eventText(event, names)]))));
}

function eventText(event, names) {
  const value = event.value === null ? '' : figure(event.value);
  return [names[event.board] || event.board, event.kind.replace(/-/g, ' '), event.text, value].filter(Boolean).join(' · ');
}

function deleteCard({ id }) {
  const failure = make('p', { class: 'failure', role: 'alert' });
  const remove = twoStepButton('Delete this walk', 'Press again to delete it for good', async () => {
    remove.disabled = true;
    try {
      await call(sessionPath(id, '/delete'), { confirm: id }, { seconds: 60 });
      say('The walk is deleted.');
      location.hash = '#walks';
    } catch (error) {
      setText(failure, error.sentence);
      remove.disabled = false;
    }
  });
  return make('section', { class: 'card' }, failure, remove);
}

// ---------------------------------------------------------------------------------------------
// The view Map

function mapView() {
  const container = make('div', { class: 'map large' });
  const isFleet = state.access.kind === 'fleet';
  const rows = placeList((place) => { if (map) map.centre(place); });
  const heading = make('p', { class: 'quiet', role: 'status' });
  const search = make('input', { type: 'search', autocomplete: 'off', 'aria-label': 'Show names with', placeholder: 'Name', input: () => show() });
  const study = make('select', { 'aria-label': 'Study', change: () => show() }, make('option', { value: '', text: 'All studies' }));
  const filter = make('div', { class: 'filter', hidden: !isFleet }, study, search);
  let map = null;
  let isLeft = false;
  let shownAt = -Infinity;
  /** The session whose track was asked for. */
  let askedFor = null;

  function show() {
    shownAt = steadyNow();
    const people = isFleet ? fleetPeople(study.value, search.value) : ownPeople();
    const hazards = state.session ? (state.session.hazards || []).filter((hazard) => isPlace(hazard) && hazard.intensity > 0) : [];
    if (map) map.show({ track: isFleet ? [] : state.track.points, hazards, places: people.filter(isPlace) });
    heading.hidden = !isFleet;
    setText(heading, isFleet ? fleetHeading(people) : '');
    // A list of thousands would be slow, and nobody reads it: the filter shortens it.
    rows.show([...people.slice(0, 200), ...hazards.map((hazard) => (
      { ...hazard, facts: `intensity ${intensityText(hazard.intensity)}, at ${clockText(hazard.seconds)}` }))]);
  }

  function update(topic) {
    if (isFleet) fillStudies(study);
    if (topic === 'fleet' && steadyNow() - shownAt < 1) return;
    show();
    followSession();
  }

  /** Gets the track of the running session from its beginning, once it is known which one runs. */
  async function followSession() {
    const id = state.session ? state.session.id : null;
    if (isFleet || !map || !id || id === askedFor) return;
    askedFor = id;
    await loadOwnTrack(id);
    if (isLeft) return;
    show();
    map.fit();
  }

  async function begin() {
    const made = await makeMap(container);
    if (isLeft) { made.leave(); return; }
    map = made;
    show();
    followSession();
  }
  begin();
  const element = make('div', {}, make('h1', { class: 'unseen', text: 'Map' }), filter, container, make('section', { class: 'card' }, heading, rows.element));
  return { element, title: 'Map', update, repaint: show, leave() { isLeft = true; if (map) map.leave(); } };
}

/** Loads the track so far; what the stream told since then is in it. */
async function loadOwnTrack(id) {
  try {
    const points = trackPoints(await call(sessionPath(id, '/track?points=2000'), undefined, { seconds: 30 }));
    if (state.track.session === id && points.length > state.track.points.length / 2) state.track.points = points;
  } catch (error) { /* The stream has the last part, which is drawn meanwhile. */ }
}

/** This gateway as a place. */
function ownPeople() {
  const { position, access } = state;
  const name = access.gateway || 'This gateway';
  if (!position) return [{ name, facts: placeFigure()[2] ? `No position: ${placeFigure()[2]}` : 'No position', isStale: true }];
  const age = position.age + (link.isLost ? link.age : 0);
  return [{ ...position, name, isStale: age > 10 || link.isLost, facts: placesFacts(position, age) }];
}

function placesFacts(place, age) {
  return [
    age === null ? 'age not known' : agoText(age),
    Number.isFinite(place.speed) ? speedText(place.speed) : '',
    Number.isFinite(place.accuracy) ? `within ${withUnit(figure(place.accuracy), 'm')}` : 'accuracy not known',
    place.sharing === 'rounded' ? 'rounded' : '',
  ].filter(Boolean).join(' · ');
}

/** The gateways of a fleet that a filter lets through, the current ones first. */
function fleetPeople(study, text) {
  const wanted = text.trim().toLowerCase();
  return [...state.fleet.values()]
    .filter((one) => (!study || studyOf(one) === study) && one.gateway.toLowerCase().includes(wanted))
    .map(fleetPerson)
    .sort((a, b) => Number(a.isStale) - Number(b.isStale) || a.name.localeCompare(b.name));
}

/** The study is the name of the fleet; a receiver that follows one only need not say it. */
function studyOf(news) { return news.fleet || (news.status && news.status.fleet) || ''; }

function fleetPerson(news) {
  const { location, status } = news;
  const worth = location ? location.worth : news.worth;
  const since = steadyNow() - news.cameAt;
  const isStale = worth !== 'fresh' || link.isLost;
  const age = location && location.age !== null ? location.age + since : null;
  const doing = status ? (status.state === 'off' ? 'switched off' : status.works ? status.state : `${status.state}, does not work`) : '';
  const facts = [
    worth === 'stale' ? 'nothing came in time' : '',
    worth === 'stale' && doing ? `was ${doing}` : doing,
    location ? placesFacts(location, age) : 'shares no position',
    location && location.clock_doubtful ? 'its clock is in doubt' : '',
  ];
  return { ...(location || {}), name: news.gateway, isStale, facts: facts.filter(Boolean).join(' · ') };
}

function fleetHeading(people) {
  const fresh = people.filter((person) => !person.isStale).length;
  const rest = people.length > 200 ? ' The first 200 are listed: type a part of a name to see others.' : '';
  return `${plural(people.length, 'gateway')}, ${figure(fresh)} current.${rest}`;
}

/** The places of the map as a list. Rows stay while their place does, and with them the focus. */
function placeList(centre) {
  const element = make('ul', { class: 'plain people live' });
  const rows = new Map();

  function row(name) {
    const one = { place: null, facts: make('p') };
    one.button = make('button', { type: 'button', text: 'Show', 'aria-label': `Show ${name} on the map`, click: () => centre(one.place) });
    one.element = make('li', {}, make('div', {}, make('b', { text: name }), one.facts), one.button);
    return one;
  }

  function show(places) {
    const names = new Set(places.map((place) => place.name));
    for (const [name, one] of rows) {
      if (!names.has(name)) { one.element.remove(); rows.delete(name); }
    }
    places.forEach((place, index) => {
      if (!rows.has(place.name)) rows.set(place.name, row(place.name));
      const one = rows.get(place.name);
      one.place = place;
      one.button.hidden = !isPlace(place);
      one.element.classList.toggle('gone', Boolean(place.isStale));
      setText(one.facts, place.facts);
      if (element.children[index] !== one.element) element.insertBefore(one.element, element.children[index] || null);
    });
  }
  return { element, show };
}

function fillStudies(select) {
  const names = [...new Set([...state.fleet.values()].map(studyOf))].filter(Boolean).sort();
  const key = names.join('\n');
  if (select.dataset.names === key) return;
  select.dataset.names = key;
  const chosen = select.value;
  select.replaceChildren(make('option', { value: '', text: 'All studies' }), ...names.map((name) => make('option', { value: name, text: name })));
  select.value = names.includes(chosen) ? chosen : '';
  // With one study there is nothing to choose.
  select.hidden = names.length < 2;
}

// ---------------------------------------------------------------------------------------------
// The view Health

function healthView() {
  const sentence = state.access.kind === 'gateway' ? sentenceSign() : null;
  const facts = make('div', {});
  const doctor = doctorCard();
  let key = '';

  function update() {
    if (sentence) sentence.update();
    const groups = state.status ? healthGroups(state.status) : [];
    const next = JSON.stringify(groups);
    if (next === key) return;
    key = next;
    facts.replaceChildren(...groups.map(([name, pairs]) => make('section', { class: 'card live' }, make('h2', { text: name }), factList(pairs))));
  }
  const element = make('div', { class: 'columns' },
    make('div', {}, make('h1', { text: 'Health' }), sentence && sentence.element, facts), make('div', {}, doctor, forgetCard()));
  return { element, title: 'Health', update };
}

/** The status in words, as groups of names and values. */
function healthGroups(status) {
  const { store, clock, receiver, bluetooth, sharing } = status;
  const groups = [];
  if (store) {
    const rooms = { ok: 'enough', low: 'nearly full', full: 'full' };
    groups.push(['Store', [
      ['Room', `${bytesText(store.free)} free, ${rooms[store.space] || store.space}`],
      ['Time left', store.daysLeft === null ? 'not known: nothing is being added' : `${figure(store.daysLeft, store.daysLeft < 10 ? 1 : 0)} days at this rate`],
      ['A day adds', bytesText(store.bytesPerDay)], ['Stored', bytesText(store.used)], ['File', store.path],
    ]]);
  }
  for (const upload of status.uploads) groups.push([`Upload to ${upload.destination}`, uploadFacts(upload)]);
  for (const name of status.unknownDestinations) groups.push([`Upload to ${name}`, [['State', 'the store does not know this destination']]]);
  const devices = [
    ['Clock', clock.isSynchronised ? 'synchronised' : 'not synchronised'],
    ['May be wrong by', clock.uncertainty === null ? 'not known' : clock.uncertainty < 1 ? `${figure(clock.uncertainty * 1000)} ms` : spanText(clock.uncertainty)],
    ['Receiver', receiver ? receiverText(receiver) : 'none'],
    ['Bluetooth', !bluetooth ? 'not in use' : bluetooth.isReady ? 'ready' : [bluetooth.obstacle, bluetooth.remedy].filter(Boolean).join(': ')],
    ...status.adapters.map((adapter) => [adapter.name, [adapter.complaint || 'works', adapter.portProblem && adapter.portProblem.text].filter(Boolean).join(' · ')]),
    ['Sharing', sharing ? sharingText(sharing) : 'with nobody'],
  ];
  groups.push(['Clock and devices', devices]);
  groups.push(['Program', [['Version', status.version], ['Runs for', spanText(status.uptime)],
    ['Recording restarted', status.recording.restarts ? plural(status.recording.restarts, 'time') : 'never'],
    ['Configuration', status.refusedConfiguration ? `refused: ${status.refusedConfiguration.text}` : '']]]);
  return groups;
}

function receiverText(receiver) {
  const age = receiver.fixAge === null ? '' : `last position ${agoText(receiver.fixAge)}`;
  return [receiver.state || 'not in use', age, receiver.source].filter(Boolean).join(' · ');
}

function sharingText(sharing) {
  const failure = (sharing.failure && sharing.failure.text) || 'not connected';
  return `${sharing.share} with ${sharing.broker}: ${sharing.isConnected ? 'connected' : failure}`;
}

function uploadFacts(upload) {
  return [
    ['State', !upload.isEnabled ? 'switched off now' : upload.error ? 'rests' : upload.waiting ? 'sends' : 'has everything'],
    ['Waiting', `${plural(upload.waiting, 'chunk')}, ${bytesText(upload.waitingBytes)}`],
    ['Sent', plural(upload.sent, 'chunk')],
    ['Last success', upload.successAge === null ? 'never' : `${spanText(upload.successAge)} ago`],
    ['Next try', upload.retry === null ? '' : `in ${spanText(upload.retry)}`],
    ['Error', upload.error], ['Refused', upload.parked ? plural(upload.parked, 'chunk') : ''],
  ];
}

function doctorCard() {
  const result = make('div', { 'aria-live': 'polite' });
  const run = button('Check the gateway', examine, 'main');

  async function examine() {
    run.disabled = true;
    result.replaceChildren(make('p', { class: 'quiet', text: 'This takes some seconds …' }));
    try {
      const answer = await call('/api/v1/doctor', undefined, { seconds: 60 });
      const findings = Array.isArray(answer) ? answer : answer.findings;
      const order = ['fault', 'warning', 'ok'];
      const sorted = findings.slice().sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
      const wrong = findings.filter((one) => one.level !== 'ok').length;
      result.replaceChildren(make('p', { text: wrong ? `${plural(wrong, 'thing')} to look at, ${figure(findings.length - wrong)} good.` : 'Everything is in order.' }),
        make('ul', { class: 'plain' }, ...sorted.map((one) => finding(one.level, one.check, one.text, remedyText(one.remedy)))));
    } catch (error) {
      result.replaceChildren(make('p', { class: 'failure', text: error.sentence }));
    }
    run.disabled = false;
  }
  return make('section', { class: 'card' }, make('h2', { text: 'Doctor' }),
    make('p', { class: 'quiet', text: 'Looks at Bluetooth, receiver, clock, disk, uploads and power. It changes nothing.' }), run, result);
}

function forgetCard() {
  const failure = make('p', { class: 'failure', role: 'alert' });
  const { name, role, gateway, version } = state.access;
  const forget = twoStepButton('Forget this phone', 'Press again to forget it', async () => {
    try {
      await call('/api/v1/leave', {});
      link.close();
      await askAccess();
    } catch (error) {
      setText(failure, error.sentence);
    }
  });
  return make('section', { class: 'card' }, make('h2', { text: 'This phone' }),
    make('p', { text: `${name ? `It is “${name}” and` : 'It'} may ${role === 'operate' ? 'look and operate' : 'only look'}.` }),
    make('p', { class: 'small quiet', text: `${gateway}, Footbridge ${version}` }), failure, forget);
}

// ---------------------------------------------------------------------------------------------
// The frame: navigation, the banner, and the clock of the page

const viewsOfKind = { gateway: ['now', 'hazards', 'walks', 'map', 'health'], store: ['walks', 'health'], fleet: ['map', 'walks'] };
const makers = { now: nowView, hazards: hazardsView, walks: walksView, map: mapView, health: healthView };

const frame = {
  view: null,

  /** Shows what the gateway lets this phone see. */
  begin() {
    const { role, kind, gateway } = state.access;
    const nav = document.getElementById('nav');
    nav.hidden = role === 'none';
    const names = viewsOfKind[kind] || viewsOfKind.store;
    for (const anchor of nav.querySelectorAll('a')) anchor.hidden = !names.includes(anchor.hash.slice(1));
    setText(document.getElementById('gateway-name'), gateway || 'Footbridge');
    if (kind === 'store' && role !== 'none') loadStoreStatus();
    this.route();
  },

  /** Shows the view of the address. */
  route() {
    if (!state.access) return;
    const names = viewsOfKind[state.access.kind] || viewsOfKind.store;
    const [name, ...rest] = location.hash.slice(1).split('/');
    const chosen = names.includes(name) ? name : names[0];
    if (this.view && this.view.leave) this.view.leave();
    if (state.access.role === 'none') this.view = pairView();
    else if (chosen === 'walks' && rest.length) this.view = walkView(decoded(rest.join('/')));
    else this.view = makers[chosen]();
    document.getElementById('main').replaceChildren(this.view.element);
    for (const anchor of document.querySelectorAll('nav a')) {
      if (anchor.hash === '#' + chosen) anchor.setAttribute('aria-current', 'page'); else anchor.removeAttribute('aria-current');
    }
    document.title = `${this.view.title} – ${state.access.gateway || 'Footbridge'}`;
    if (this.view.first) this.view.first.focus();
    window.scrollTo(0, 0);
    this.refresh();
  },

  /** Has the view follow news, and the marks of the frame with it. */
  tell(topic) {
    if (this.view && this.view.update) this.view.update(topic);
    this.showLink();
  },

  refresh() { this.tell('all'); },

  showLink() {
    const { isLost, isStale } = link;
    document.body.classList.toggle('stale', isStale);
    const banner = document.getElementById('banner');
    banner.hidden = !isLost;
    if (isLost) {
      setText(banner, `The gateway has not answered since ${timeOfDay(link.lostSince)}.`
        + (Number.isFinite(link.age) ? ' All figures are from before.' : ' Go nearer to it.'));
    }
    const waiting = [...outbox.items.values()].filter((item) => item.phase !== 'open').length;
    const badge = document.getElementById('waiting-badge');
    badge.hidden = !waiting;
    setText(badge, String(waiting));
    badge.setAttribute('aria-label', `${waiting} waiting`);
    setText(document.getElementById('link-state'), linkText(waiting));
  },
};

function linkText(waiting) {
  const parts = [];
  if (waiting) parts.push(`${figure(waiting)} waiting`);
  if (link.isStale) parts.push(Number.isFinite(link.age) ? `data ${spanText(link.age)} old` : 'no answer');
  else if (link.source && Number.isFinite(link.heardAt)) parts.push('live');
  return parts.join(' · ');
}

/** A store has no service and no stream, but may tell of its disk. */
async function loadStoreStatus() {
  try {
    state.status = await call('/api/v1/status');
    frame.refresh();
  } catch (error) { /* Without the service there is none: the doctor tells the rest. */ }
}

function decoded(text) { try { return decodeURIComponent(text); } catch (error) { return text; } }

/** Twice a second: the link, the outbox and ages. */
function tick() {
  if (!state.access) return;
  link.watch();
  outbox.pump();
  const isCounting = link.isStale || outbox.items.size > 0 || (state.access.kind === 'fleet' && Math.floor(steadyNow() * 2) % 10 === 0);
  if (isCounting) frame.tell('tick');
}

/** A fleet's stream is silent for long while nobody moves: a question shows that the receiver is there. */
async function askForLife() {
  if (document.hidden || !state.access || state.access.kind !== 'fleet' || state.access.role === 'none') return;
  try {
    await call('/api/v1/access');
    if (link.source && link.source.readyState === EventSource.OPEN) link.hear();
  } catch (error) {
    link.lose();
  }
}

function begin() {
  outbox.load();
  window.addEventListener('hashchange', () => { frame.route(); document.getElementById('main').focus({ preventScroll: true }); });
  window.addEventListener('storage', (event) => outbox.follow(event.key, event.newValue));
  // Without a network the stream would be silent for a while before it counts as broken: a new one fails at once.
  for (const name of ['online', 'offline']) window.addEventListener(name, () => { link.open(); outbox.hurry(); });
  document.addEventListener('visibilitychange', () => {
    outbox.watchClock();
    if (document.hidden) link.close(); else link.open();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    colours = null;
    strips.draw();
    if (frame.view && frame.view.repaint) frame.view.repaint();
  });
  setInterval(tick, 500);
  setInterval(askForLife, 20000);
  beginAsBefore();
  askAccess();
}

begin();
