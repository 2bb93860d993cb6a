// The Health view

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

/** Returns the status as groups of names and values. */
function healthGroups(status) {
  const { store, clock, receiver, bluetooth, sharing } = status;
  const groups = [];
  if (store) {
    groups.push(['Store', [
      ['Space', `${bytesText(store.free)} free${store.space === 'ok' ? '' : `, ${store.space}`}`],
      ['Time left', store.daysLeft === null ? 'unknown: nothing is being added' : `${figure(store.daysLeft, store.daysLeft < 10 ? 1 : 0)} days at this rate`],
      ['Added per day', bytesText(store.bytesPerDay)], ['Used', bytesText(store.used)], ['File', store.path],
    ]]);
  }
  for (const upload of status.uploads) groups.push([`Upload to ${upload.destination}`, uploadFacts(upload)]);
  const unknown = status.troubles.filter((trouble) => status.unknownDestinations.includes(trouble.subject));
  for (const { subject, phone } of unknown) groups.push([`Upload to ${subject}`, [['State', phone.text]]]);
  const devices = [
    ['Clock', clock.isSynchronised ? 'synchronised' : 'not synchronised'],
    ['Uncertainty', clock.uncertainty === null ? 'unknown' : clock.uncertainty < 1 ? `${figure(clock.uncertainty * 1000)} ms` : spanText(clock.uncertainty)],
    ['Receiver', receiver ? receiverText(receiver) : 'none'],
    ['Bluetooth', !bluetooth ? 'not in use' : bluetooth.isReady ? 'ready' : [bluetooth.phone.text, bluetooth.phone.remedy].filter(Boolean).join(': ')],
    ...status.adapters.map((adapter) => [adapter.name, [adapter.complaint || 'works', adapter.portProblem && adapter.portProblem.phone.text].filter(Boolean).join(' · ')]),
    ['Sharing', sharing ? sharingText(sharing) : 'off'],
  ];
  groups.push(['Clock and devices', devices]);
  groups.push(['Program', [['Version', status.version], ['Running for', spanText(status.uptime)],
    ['Recording restarted', status.recording.restarts ? plural(status.recording.restarts, 'time') : 'never'],
    ['Configuration', status.refusedConfiguration ? `rejected: ${status.refusedConfiguration.phone.text}` : '']]]);
  return groups;
}

function receiverText(receiver) {
  const age = receiver.fixAge === null ? '' : `last position ${agoText(receiver.fixAge)}`;
  return [receiver.state || 'not in use', age, receiver.source].filter(Boolean).join(' · ');
}

function sharingText(sharing) {
  const failure = (sharing.failure && sharing.failure.phone.text) || 'not connected';
  return `${sharing.share} with ${sharing.broker}: ${sharing.isConnected ? 'connected' : failure}`;
}

function uploadFacts(upload) {
  return [
    ['State', upload.activity],
    ['Waiting', `${plural(upload.waiting, 'chunk')}, ${bytesText(upload.waitingBytes)}`],
    ['Sent', plural(upload.sent, 'chunk')],
    ['Last success', upload.successAge === null ? 'never' : `${spanText(upload.successAge)} ago`],
    ['Next attempt', upload.retry === null ? '' : `in ${spanText(upload.retry)}`],
    ['Error', [sentenceOf(upload.phone.text), remedyText(upload.phone.remedy).replace(/\n/g, ' ')].filter(Boolean).join(' ')], ['Rejected', upload.parked ? plural(upload.parked, 'chunk') : ''],
  ];
}

function doctorCard() {
  const result = make('div', { 'aria-live': 'polite' });
  const run = button('Check the gateway', examine, 'main');

  async function examine() {
    run.disabled = true;
    result.replaceChildren(make('p', { class: 'quiet', text: 'This takes a few seconds …' }));
    try {
      const answer = await call('/api/v1/doctor', undefined, { seconds: 60 });
      const findings = Array.isArray(answer) ? answer : answer.findings;
      const order = ['fault', 'warning', 'ok'];
      const sorted = findings.slice().sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
      const wrong = findings.filter((one) => one.level !== 'ok').length;
      result.replaceChildren(make('p', { text: wrong ? `${plural(wrong, 'problem')} found, ${figure(findings.length - wrong)} OK.` : 'Everything is in order.' }),
        make('ul', { class: 'plain' }, ...sorted.map((one) => finding(one.level, one.check, one.phone.text, one.phone.remedy))));
    } catch (error) {
      result.replaceChildren(make('p', { class: 'failure', text: error.sentence }));
    }
    run.disabled = false;
  }
  return make('section', { class: 'card' }, make('h2', { text: 'Doctor' }),
    make('p', { class: 'quiet', text: 'Checks Bluetooth, receiver, clock, disk, uploads and power. It changes nothing.' }), run, result);
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
    make('p', { text: `${name ? `It is “${name}” and` : 'It'} can ${role === 'operate' ? 'view and control' : 'only view'}.` }),
    make('p', { class: 'small quiet', text: `${gateway}, Footbridge ${version}` }), failure, forget);
}

