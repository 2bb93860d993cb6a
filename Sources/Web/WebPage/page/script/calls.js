// Calls to the API

/** A failed call. A status of 0 means that no response arrived. */
class CallError extends Error {
  constructor(status, text, remedy = '', retryAfter = 0) {
    super(text);
    Object.assign(this, { status, remedy, retryAfter });
  }

  get sentence() { return `${sentenceOf(this.message)} ${this.remedy && remedyText(this.remedy)}`.trim(); }
}

/** Fetches a path, or posts a body to it. The caller can cancel the call with `signal`. */
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
    const { text, remedy } = (answer && answer.phone) || { text: (answer && answer.error) || `the gateway returned status ${response.status}`, remedy: '' };
    throw new CallError(response.status || 502, text, remedy, Number(response.headers.get('Retry-After')) || 0);
  } catch (error) {
    if (error instanceof CallError) throw error;
    if (signal && signal.aborted) throw error;
    throw new CallError(0, 'the gateway does not respond', 'move closer to it and check that its Wi-Fi is on');
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Fetches a path, and retries as long as the server asks the page to wait. A fleet fetches a walk only when someone
 * opens it, and a database may be temporarily unavailable. `tell` is called with the server's message.
 */
async function callWhenReady(path, { signal, seconds, tell }) {
  for (;;) {
    try {
      return await call(path, undefined, { signal, seconds });
    } catch (error) {
      const isLater = error instanceof CallError && error.status === 503 && error.retryAfter > 0;
      if (!isLater || signal.aborted) throw error;
      tell(error.sentence);
      await new Promise((done) => { setTimeout(done, error.retryAfter * 1000); });
      if (signal.aborted) throw error;
    }
  }
}

/** Returns a walk's name for use in URLs: the walk's id and, in a fleet, the gateway that sent the walk. */
function walkName({ session, gatewayID }) {
  return gatewayID && state.access.kind === 'fleet' ? `${session}@${gatewayID}` : session;
}

/** Returns the API path of a walk's resource, given the walk's name. */
function sessionPath(name, rest = '') {
  const [id, gateway] = name.split('@');
  const path = `/api/v1/sessions/${encodeURIComponent(id)}${rest}`;
  return gateway ? `${path}${rest.includes('?') ? '&' : '?'}gateway=${encodeURIComponent(gateway)}` : path;
}

