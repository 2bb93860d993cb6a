// The cards of the boards

/** A card for each board; cards stay while their board does, so that nothing jumps. */
function boardCards() {
  const element = make('div', {});
  const cards = new Map();

  function update() {
    const boards = state.status ? state.status.boards : [];
    const keys = boards.map(cardKey).join();
    if (keys !== element.dataset.keys) {
      element.dataset.keys = keys;
      strips.clear();
      cards.clear();
      for (const board of boards) cards.set(board.address, boardCard(board));
      element.replaceChildren(...[...cards.values()].map((card) => card.element));
      strips.draw();
    }
    for (const board of boards) cards.get(board.address).update(board);
  }
  return { element, update };
}

/** What a card is built for: another name or another stream needs another card. */
function cardKey(board) { return JSON.stringify([board.address, board.name, board.streams.map((stream) => stream.signal)]); }

function boardCard(board) {
  const sign = icon('sign-unknown');
  const sentence = make('p');
  const facts = make('p', { class: 'facts' });
  const rows = board.streams.map((stream) => {
    const rate = make('span', {});
    const loss = make('p', {});
    const canvas = strips.canvas(`${board.address}|${stream.signal}`, `${signalText(stream.signal)} of ${board.name}, last 20 seconds`);
    const row = make('div', { class: 'stream' }, make('div', { class: 'head' }, make('b', { text: signalText(stream.signal) }), rate), canvas, loss);
    return { row, rate, loss };
  });
  const element = make('section', { class: 'card board live' },
    make('h2', {}, sign, make('span', { text: board.name || board.address })), sentence, facts, ...rows.map((row) => row.row));

  function update(next) {
    const { level, text } = boardSentence(next);
    setLevel(element, level);
    sign.firstChild.setAttribute('href', '#sign-' + level);
    setText(sentence, text);
    setText(facts, boardFacts(next));
    next.streams.forEach((stream, index) => {
      setText(rows[index].rate, `${figure(stream.measuredRate, 1)} of ${figure(stream.requestedRate, stream.requestedRate % 1 ? 1 : 0)} Hz`);
      setText(rows[index].loss, streamText(stream));
    });
  }
  return { element, update };
}

function boardSentence(board) {
  const bad = (level, text) => ({ level, text });
  if (board.isCrowdedOut) return bad('fault', 'Waits: every Bluetooth adapter has as many boards as it takes.');
  switch (board.phase) {
    case 'streaming': {
      const age = board.sampleAge;
      if (age === null) return bad('unknown', 'Is set up and waits for the other boards.');
      return age < 3 ? bad('ok', 'Sends samples.') : bad(age < 10 ? 'warning' : 'fault', `Sent its last sample ${spanText(age)} ago.`);
    }
    case 'watching': return bad('ok', 'Waits for somebody to walk.');
    case 'connecting': return bad('unknown', 'Is being connected.');
    case 'identifying': return bad('unknown', 'Is being set up.');
    case 'missing': return bad('fault', 'Was not found yet. Press its button and bring it nearer.');
    case 'reconnecting': return bad(board.phaseAge < 10 ? 'warning' : 'fault', `Lost its link ${spanText(board.phaseAge)} ago and is being connected again.`);
    case 'failed': return bad('fault', 'The gateway gave up on it.');
    case 'stopping': return bad('unknown', 'Is being stopped.');
    case 'finished': return bad('unknown', 'Has stopped.');
    default: return bad('unknown', 'Is not in use now.');
  }
}

/** Battery and signal; of a board that is not heard they are the last ones known. */
function boardFacts(board) {
  const was = isHeard(board) ? '' : 'was ';
  const signal = board.rssi === null ? '' : `signal ${was}${figure(board.rssi)} dBm (${board.rssi > -70 ? 'good' : board.rssi > -85 ? 'fair' : 'weak'})`;
  return [board.battery === null ? 'battery not known' : `battery ${was}${board.battery} %`, signal, board.address].filter(Boolean).join(' · ');
}

function isHeard(board) {
  if (board.phase === 'streaming') return board.sampleAge === null || board.sampleAge < 3;
  return ['watching', 'identifying', 'stopping'].includes(board.phase);
}

function streamText(stream) {
  const lost = lossText(stream.lost, stream.received);
  if (stream.silence === null) return `${figure(stream.received)} samples, ${lost}`;
  // What a silent stream misses is not counted as lost yet.
  return [`${figure(stream.received)} samples`, lost === 'none lost' ? '' : lost,
    `silent for ${spanText(stream.silence)}, about ${figure(stream.missing)} lost meanwhile`].filter(Boolean).join(', ');
}

