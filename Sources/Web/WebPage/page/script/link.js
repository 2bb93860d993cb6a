// The link: one stream of events. It is closed while the page is hidden, and reconnects automatically.

const link = {
  source: null,
  /** The time of the last event, and the time when the current problem started (`null` if there is no problem). */
  heardAt: -Infinity,
  openedAt: 0,
  brokenAt: null,
  lostSince: null,
  /** Seconds between a refusal and the next attempt. This delay grows with each refusal, up to a limit. */
  pause: 1,

  get isLost() { return this.lostSince !== null; },

  /** Age of the data on the page, in seconds. */
  get age() { return steadyNow() - this.heardAt; },

  /** Whether the data is too old to be shown as current. A gateway sends its status every second. */
  get isStale() {
    const isGateway = state.access !== null && state.access.kind === 'gateway' && state.status !== null;
    return this.isLost || (isGateway && this.age > 3.5);
  },

  open() {
    this.close();
    if (!state.access || state.access.role === 'none' || document.hidden) return;
    if (!state.access.live) return;
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
      on('ready', () => frame.tell('ready'));
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
    // The stream was refused: this phone may no longer be paired, so ask for its role.
    this.close();
    askAccessIn(this.pause);
    this.pause = Math.min(10, this.pause * 2);
  },

  /** Marks the link as lost once it has been broken or silent for too long. Called twice a second. */
  watch() {
    if (document.hidden || !state.access || state.access.role === 'none') return;
    const kind = state.access.kind;
    const now = steadyNow();
    // An interruption of one or two seconds is not reported.
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

/**
 * The gateway's clock, estimated from the events of the stream, so that the gateway can see how long a message was in
 * transit. The event with the shortest delay provides the best estimate. The two clocks drift apart by at most 100 ppm.
 */
const gatewayClock = {
  boot: null,
  ahead: 0,
  heardAt: 0,

  follow({ boot, seconds }) {
    const now = steadyNow();
    const kept = this.ahead - (now - this.heardAt) * 1e-4;
    this.ahead = this.boot === boot ? Math.max(seconds - now, kept) : seconds - now;
    this.heardAt = now;
    this.boot = boot;
  },

  /** Discards the estimate, because this phone's clock may have jumped, or paused while the phone was asleep. */
  forget() { this.boot = null; },

  /** The gateway's time this many seconds from now; `undefined` while its clock is unknown. */
  instantIn(seconds) {
    return this.boot === null ? undefined : { boot: this.boot, seconds: Math.max(0, steadyNow() + this.ahead + seconds) };
  },
};

function takeStatus(news) {
  if (news.clock) gatewayClock.follow(news.clock);
  state.status = news.status;
  state.position = isPlace(news.position) ? news.position : null;
  state.session = news.session;
  extendTrack();
  outbox.pump();
  frame.tell('status');
}

/** Appends the position to the session's track, if it is new. */
function extendTrack() {
  const id = state.session ? state.session.id : null;
  if (state.track.session !== id) state.track = { session: id, points: [] };
  const place = state.position;
  if (!id || !place || !place.isCurrent) return;
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
    // If the clock has gone back, a new recording has started, and the earlier data refer to a different clock.
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

