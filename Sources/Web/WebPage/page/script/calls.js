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

