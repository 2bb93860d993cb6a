// The state: the gateway's latest messages, which the views read.

const state = {
  access: null,
  status: null,
  position: null,
  session: null,
  hazardNames: [],
  /** The track of the running session as [latitude, longitude] pairs, and its session. */
  track: { session: null, points: [] },
  /** The last 20 s of each stream, keyed by `board|signal`. */
  streams: new Map(),
  /** The newest time in any stream. It is the right edge of all strips. */
  newest: -Infinity,
  /** The fleet's gateways by name, each with its last event and the time of arrival. */
  fleet: new Map(),
};

const STRIP_SECONDS = 20;

/**
 * Whether this phone may change walks. A fleet's page cannot change walks; only the pages of recording
 * gateways can.
 */
function mayOperate() { return state.access !== null && state.access.role === 'operate' && state.access.kind !== 'fleet'; }

function isRecording() { return Boolean(state.session); }

/** Returns the intensity of a hazard in the current session, as stored by the gateway. */
function notedIntensity(name) {
  const noted = hazardNamed(name, (state.session && state.session.hazards) || []);
  return noted ? noted.intensity : 0;
}

/** Returns the time in seconds on a clock that never jumps. */
function steadyNow() { return performance.now() / 1000; }

