// Access: this phone's role at the gateway

let accessTimer = 0;

function askAccessIn(seconds) {
  clearTimeout(accessTimer);
  accessTimer = setTimeout(askAccess, seconds * 1000);
}

/** Fetches this phone's role from the gateway, then shows the views, or asks for the PIN. */
async function askAccess() {
  clearTimeout(accessTimer);
  try {
    const access = await call('/api/v1/access');
    const before = state.access;
    state.access = access;
    keepText('access', JSON.stringify(access));
    if (access.role === 'none') link.close(); else if (!link.source || before?.kind !== access.kind) link.open();
    if (!before || ['role', 'kind', 'tiles'].some((name) => before[name] !== access[name])) frame.begin();
    if (access.role !== 'none' && access.kind === 'gateway') loadHazardNames();
    if (!access.live || access.role === 'none') link.hear();
  } catch (error) {
    link.lose();
    askAccessIn(3);
  }
}

/**
 * Starts with the gateway's last known response, which is nearly always still valid, without waiting for a new one.
 * Hazards can then be tapped even while the link is down, and if the link is up, the stream starts sooner.
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

