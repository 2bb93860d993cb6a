// The state: the gateway's latest messages. Views read it, and only the link writes it.

const state = {
  access: null,
  status: null,
  position: null,
  session: null,
  hazardNames: [],
  /** The track of the running session as [latitude, longitude] pairs, and its session. */
  track: { session: null, points: [] },
  /** The last 20 s of each stream, under `board|signal`. */
  streams: new Map(),
  /** The newest time of any stream: the right edge of all strips. */
  newest: -Infinity,
  /** Gateways of the fleet by name: the event, and its time of arrival. */
  fleet: new Map(),
};

const STRIP_SECONDS = 20;

/** A fleet shows walks but changes none: only the gateways that recorded them do. */
function mayOperate() { return state.access !== null && state.access.role === 'operate' && state.access.kind !== 'fleet'; }

function isRecording() { return Boolean(state.session); }

/** The gateway's intensity of a hazard in the running session. */
function notedIntensity(name) {
  const noted = hazardNamed(name, (state.session && state.session.hazards) || []);
  return noted ? noted.intensity : 0;
}

/** Seconds on a clock that does not jump. */
function steadyNow() { return performance.now() / 1000; }

