// The Hazards view

function hazardsView() {
  const hint = make('p', { class: 'quiet hint', role: 'status' });
  const grid = make('div', { class: 'hazard-grid' });
  const tray = outboxTray();
  const buttons = new Map();

  function build() {
    buttons.clear();
    for (const name of state.hazardNames) buttons.set(name, hazardButton(name));
    grid.replaceChildren(...[...buttons.values()].map((one) => one.element));
  }

  function update(topic) {
    if (topic === 'names' || buttons.size !== state.hazardNames.length) build();
    setText(hint, hazardHint());
    for (const one of buttons.values()) one.update();
    tray.update();
  }
  const element = make('div', { class: 'hazard-view' }, make('h1', { class: 'unseen', text: 'Hazards' }), hint, grid, tray.element);
  // The hint also reports a lost link. The hint has a fixed height, because buttons that move get tapped by mistake.
  return { element, title: 'Hazards', update, tellsOfLink: true };
}

function hazardHint() {
  if (!mayOperate()) return 'This phone can only view. It cannot note hazards.';
  if (!outbox.isKept) return 'This browser cannot store data. Leave the page open until everything is sent.';
  if (link.isLost) return lostText() + ' Your taps are kept here and sent later.';
  if (state.status && !isRecording()) return 'Nothing is being recorded now. Hazards can be added to the last walk.';
  return 'Tap a hazard on the spot. Tap again: 1 slight, 2 medium, 3 severe, then none.';
}

/** A button with the name and the intensity of a hazard. */
function hazardTile(name, press) {
  const bars = [1, 2, 3].map(() => make('i', {}));
  const said = make('span', { class: 'said' });
  const element = make('button', { type: 'button', class: 'hazard', click: press },
    make('span', { text: name }), make('span', { class: 'bars', 'aria-hidden': 'true' }, ...bars), said);

  function show(intensity, text, isOpen = false) {
    element.classList.toggle('open', isOpen);
    element.classList.toggle('on', !isOpen && intensity > 0);
    bars.forEach((bar, index) => bar.classList.toggle('full', index < intensity));
    setText(said, text);
  }
  return { element, show };
}

function hazardButton(name) {
  const { element, show } = hazardTile(name, () => outbox.tapHazard(name));

  function update() {
    const open = outbox.openHazard(name);
    const waiting = outbox.waitingHazard(name);
    const noted = notedIntensity(name);
    const intensity = outbox.intensityOf(name);
    element.disabled = !mayOperate();
    const level = intensityWords[intensity];
    const text = open ? `${intensity}: ${level}` : waiting ? `waiting: ${level}` : noted ? `noted: ${level}` : mayOperate() ? 'tap to note' : 'not noted';
    show(intensity, text, Boolean(open));
  }
  return { element, update };
}

