// The Pair view

function pairView() {
  const pin = make('input', {
    class: 'pin', inputmode: 'numeric', autocomplete: 'one-time-code', pattern: '[0-9 ]*', maxlength: '7', required: true, 'aria-describedby': 'pin-help',
  });
  const name = make('input', { type: 'text', maxlength: '40', autocomplete: 'off', value: keptText('phone-name') || usualName(), required: true });
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
    const isOver = error.sentence.includes('wrong PINs');
    setText(failure, error.status === 403 && !isOver ? 'This PIN is wrong or has expired. Check which PIN is shown now.' : error.sentence);
    pin.focus();
  }

  /** Disables the button and counts down: the gateway permits five attempts within a minute. */
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
    make('p', { id: 'pin-help', text: state.access.kind === 'gateway'
      ? `Type the six digits that ${state.access.gateway || 'the gateway'} shows. The command ‘footbridge web pair’ shows new ones.`
      : `Type the six digits shown in the terminal of ${state.access.gateway || 'the computer'}, below the address of this page.` }),
    field('PIN', pin), field('Name of this phone', name), failure, send);
  return { element, title: 'Pair', first: pin, leave() { clearInterval(timer); } };
}


/** Returns a default name that distinguishes this phone: its kind, and two random digits. */
function usualName() {
  const kinds = [[/iPad/, 'iPad'], [/iPhone/, 'iPhone'], [/Android.*Mobile/, 'Android phone'], [/Android/, 'Android tablet']];
  const [, kind] = kinds.find(([pattern]) => pattern.test(navigator.userAgent)) || [null, 'Computer'];
  return `${kind} ${10 + Math.floor(Math.random() * 90)}`;
}
