// The boards, one card each

/**
 * Creates a card for each board. The cards are kept until a board or a stream is added, removed or renamed, so that the
 * layout does not jump.
 */
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

/** Returns the key of a card. A board with a new name or a new stream needs a new card. */
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
    const { condition } = next;
    setLevel(element, condition.level);
    sign.firstChild.setAttribute('href', '#sign-' + condition.level);
    setText(sentence, sentenceOf(condition.phone.text + (condition.age ? `, for ${spanText(condition.age)}` : '')));
    setText(facts, boardFacts(next));
    next.streams.forEach((stream, index) => {
      setText(rows[index].rate, `${figure(stream.measuredRate, 1)} of ${figure(stream.requestedRate, stream.requestedRate % 1 ? 1 : 0)} Hz`);
      setText(rows[index].loss, streamText(stream));
    });
  }
  return { element, update };
}

/** Returns the battery charge and the signal strength: the last known values if the board is out of range. */
function boardFacts(board) {
  const was = board.isHeard ? '' : 'was ';
  const signal = board.rssi === null ? '' : `signal ${was}${figure(board.rssi)} dBm (${board.reception})`;
  return [board.battery === null ? 'battery unknown' : `battery ${was}${board.battery} %`, signal, board.address].filter(Boolean).join(' · ');
}

function streamText(stream) {
  const lost = lossText(stream.lost, stream.received);
  if (stream.silence === null) return `${figure(stream.received)} samples, ${lost}`;
  // While a stream is silent, its missing samples are not yet included in the number of lost samples.
  return [`${figure(stream.received)} samples`, lost === 'none lost' ? '' : lost,
    `silent for ${spanText(stream.silence)}, about ${figure(stream.missing)} lost since then`].filter(Boolean).join(', ');
}

