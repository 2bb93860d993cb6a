// The frame: navigation, the banner, and the page's clock

const viewsOfKind = { gateway: ['now', 'hazards', 'walks', 'map', 'health'], store: ['walks', 'health'], fleet: ['map', 'walks'] };
const makers = { now: nowView, hazards: hazardsView, walks: walksView, map: mapView, health: healthView };

const frame = {
  view: null,

  /** Shows the views that this phone is allowed to see. */
  begin() {
    const { role, kind, gateway } = state.access;
    const nav = document.getElementById('nav');
    nav.hidden = role === 'none';
    const names = viewNames();
    for (const anchor of nav.querySelectorAll('a')) anchor.hidden = !names.includes(anchor.hash.slice(1));
    setText(document.getElementById('gateway-name'), gateway || 'Footbridge');
    if (kind === 'store' && role !== 'none') loadStoreStatus();
    this.route();
  },

  /** Shows the view named in the address. */
  route() {
    if (!state.access) return;
    const names = viewNames();
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

  /** Updates the view and the link state after a change. */
  tell(topic) {
    if (this.view && this.view.update) this.view.update(topic);
    this.showLink();
  },

  refresh() { this.tell('all'); },

  showLink() {
    const { isLost, isStale } = link;
    document.body.classList.toggle('stale', isStale);
    const banner = document.getElementById('banner');
    banner.hidden = !isLost || Boolean(this.view && this.view.tellsOfLink);
    if (isLost) {
      setText(banner, lostText()
        + (Number.isFinite(link.age) ? ' All figures are from before then.' : ' Move closer to it.'));
    }
    const waiting = [...outbox.items.values()].filter((item) => item.phase !== 'open').length;
    const badge = document.getElementById('waiting-badge');
    badge.hidden = !waiting;
    setText(badge, String(waiting));
    badge.setAttribute('aria-label', `${waiting} waiting`);
    setText(document.getElementById('link-state'), linkText(waiting));
  },
};

/** The views of this page. An upload server without a broker has no positions, so it has no map. */
function viewNames() {
  const names = viewsOfKind[state.access.kind] || viewsOfKind.store;
  return state.access.kind === 'fleet' && !state.access.live ? names.filter((name) => name !== 'map') : names;
}

function lostText() { return `The gateway has not responded since ${timeOfDay(link.lostSince)}.`; }

function linkText(waiting) {
  const parts = [];
  if (waiting) parts.push(`${figure(waiting)} waiting`);
  if (link.isStale) parts.push(Number.isFinite(link.age) ? `data ${spanText(link.age)} old` : 'no response');
  else if (link.source && Number.isFinite(link.heardAt)) parts.push('live');
  return parts.join(' · ');
}

/** Loads the status once. A store has neither a service nor a stream, but may report on its disk. */
async function loadStoreStatus() {
  try {
    state.status = await call('/api/v1/status');
    frame.refresh();
  } catch (error) { /* Without the service there is no status; the doctor can still check the computer. */ }
}

function decoded(text) { try { return decodeURIComponent(text); } catch (error) { return text; } }

/** Checks the link, sends the outbox, watches the running task, and updates ages. Called twice a second. */
function tick() {
  if (!state.access) return;
  link.watch();
  outbox.pump();
  tasks.watch();
  const isCounting = link.isStale || outbox.items.size > 0 || (state.access.kind === 'fleet' && Math.floor(steadyNow() * 2) % 10 === 0);
  if (isCounting) frame.tell('tick');
}

/**
 * Checks that a fleet's upload server is reachable: while no gateway is moving, the silence of the stream reveals
 * nothing.
 */
async function askForLife() {
  if (document.hidden || !state.access || state.access.kind !== 'fleet' || state.access.role === 'none') return;
  try {
    await call('/api/v1/access');
    if (!state.access.live || (link.source && link.source.readyState === EventSource.OPEN)) link.hear();
  } catch (error) {
    link.lose();
  }
}

function begin() {
  outbox.load();
  tasks.load();
  window.addEventListener('hashchange', () => { frame.route(); document.getElementById('main').focus({ preventScroll: true }); });
  window.addEventListener('storage', (event) => outbox.follow(event.key, event.newValue));
  // Without a network, the old stream would stay silent until it was considered broken. A new stream fails immediately.
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

