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

/** A fleet shows walks and changes none: that is for the gateways which recorded them. */
function mayOperate() { return state.access !== null && state.access.role === 'operate' && state.access.kind !== 'fleet'; }

function isRecording() { return Boolean(state.session); }

/** The intensity that the gateway has of a hazard in the running session. */
function notedIntensity(name) {
  const noted = hazardNamed(name, (state.session && state.session.hazards) || []);
  return noted ? noted.intensity : 0;
}

/** Seconds on a clock that does not jump. */
function steadyNow() { return performance.now() / 1000; }

