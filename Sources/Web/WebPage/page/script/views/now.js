// The Now view

function nowView() {
  const sentence = sentenceSign();
  const troubles = make('ul', { class: 'plain card live', hidden: true });
  const controls = recordingControls();
  const studyTasks = tasksCard();
  const survey = surveyAfterStop();
  const tiles = {
    time: figureTile('Time'), distance: figureTile('Distance'), pace: figureTile('Pace'), speed: figureTile('Speed'),
    steps: figureTile('Steps'), climb: figureTile('Climb'), place: figureTile('Position', 'wide'),
  };
  const boards = boardCards();
  const tray = outboxTray();
  let troubleKey = '';

  function update() {
    sentence.update();
    controls.update();
    studyTasks.update();
    survey.update();
    tray.update();
    showFigures(tiles);
    const list = state.status ? state.status.troubles : [];
    const key = JSON.stringify(list.map((trouble) => [trouble.level, trouble.subject, trouble.phone, trouble.age && spanText(trouble.age)]));
    if (key !== troubleKey) {
      troubleKey = key;
      troubles.hidden = !list.length;
      troubles.replaceChildren(...list.map(troubleItem));
    }
    boards.update();
  }

  const figures = make('div', { class: 'figures' }, ...Object.values(tiles).map((tile) => tile.element));
  const element = make('div', {}, make('h1', { class: 'unseen', text: 'Now' }),
    make('div', { class: 'columns' }, make('div', {}, sentence.element, troubles, controls.element, survey.element, studyTasks.element, figures), boards.element), tray.element);
  return { element, title: 'Now', update, leave() { strips.clear(); studyTasks.leave(); } };
}

/** A problem and its remedy. For swapped boards, a button corrects the labels. */
function troubleItem(trouble) {
  const item = finding(trouble.level, trouble.subject + (trouble.age ? `, for ${spanText(trouble.age)}` : ''),
    trouble.phone.text, trouble.phone.remedy);
  const { mountings = [], recording } = state.status;
  const swapped = mountings.find(({ kind, phone }) => kind === 'swapped' && phone.text === trouble.phone.text);
  if (swapped && recording.session && mayOperate()) item.lastChild.append(swapButton(recording.session, swapped));
  return item;
}

/** Turns each line of a remedy into a sentence. */
function remedyText(remedy) { return remedy.split('\n').map(sentenceOf).join('\n'); }

/** The state of the gateway: a sign, a word and a sentence. */
function sentenceSign() {
  const use = icon('sign-unknown');
  const word = make('p', { class: 'word' });
  const text = make('p', { class: 'text' });
  const element = make('div', { class: 'sign live' }, use, make('div', { role: 'status' }, word, text));

  function update() {
    const { level, title, rest } = judgement();
    setLevel(element, level);
    if (use.firstChild.getAttribute('href') !== '#sign-' + level) use.firstChild.setAttribute('href', '#sign-' + level);
    setText(word, title);
    setText(text, rest);
  }
  return { element, update };
}

/** Returns the level, title and text of the gateway's state. */
function judgement() {
  const { status } = state;
  if (!status) return { level: 'unknown', title: 'Not yet known', rest: 'Waiting for the gateway.' };
  const rest = sentenceOf(status.phone.text);
  if (link.isLost) return { level: 'unknown', title: 'No response', rest: `Last known: ${rest}` };
  return { level: status.level, title: capitalised(status.verdict), rest };
}

function showFigures(tiles) {
  const { session, position } = state;
  const statistics = (session && session.statistics) || {};
  const none = session ? '' : 'not recording';
  tiles.time.show(session ? clockText(session.elapsed) : '–', '', none);
  tiles.distance.show(...distanceParts(statistics.distanceMetres));
  const pace = paceText(statistics.meanSpeed);
  tiles.pace.show(pace, pace === '–' ? '' : '/km', pace === '–' ? '' : 'while moving');
  const isMoving = position !== null && position.isCurrent && Number.isFinite(position.speed);
  tiles.speed.show(isMoving ? figure(position.speed * 3.6, 1) : '–', isMoving ? 'km/h' : '', isMoving ? 'now' : '');
  const steps = stepsOf(statistics, namesOf(state.status ? state.status.boards : []));
  tiles.steps.show(steps.value, '', steps.remark);
  tiles.climb.show(figure(statistics.gainMetres), Number.isFinite(statistics.gainMetres) ? 'm' : '',
    Number.isFinite(statistics.lossMetres) ? `down ${figure(statistics.lossMetres)} m` : '');
  tiles.place.show(...placeFigure());
  tiles.place.element.classList.toggle('past', !position || !position.isCurrent);
}

/** Returns the first board's steps, with the counts of all boards as a remark: both feet count the same steps. */
function stepsOf(statistics, names) {
  const all = statistics.steps || [];
  if (!all.length) return { value: '–', remark: '' };
  const name = (one) => names[one.board] || one.board;
  const remark = all.length === 1 ? name(all[0]) : all.map((one) => `${name(one)} ${figure(one.count)}`).join(', ');
  return { value: figure(all[0].count), remark };
}

/** Returns the names of boards by address. If boards share a name, the end of the address is appended. */
function namesOf(boards) {
  const isAlone = (name) => boards.filter((board) => board.name === name).length === 1;
  return Object.fromEntries(boards.map(({ address, name }) => [address, isAlone(name) ? name : `${name} ${address.slice(-5)}`]));
}

function placeFigure() {
  const { position, status } = state;
  const receiver = status && status.receiver;
  if (!position) {
    const why = !receiver ? 'no receiver is set up' : receiver.fixAge !== null ? `the last one was ${spanText(receiver.fixAge)} ago` : receiver.state || '';
    return ['No position', '', why];
  }
  const facts = [
    position.accuracy !== null && position.accuracy !== undefined ? `within ${withUnit(figure(position.accuracy), 'm')}` : 'accuracy unknown',
    position.isCurrent ? agoText(position.age) : `outdated: ${spanText(position.age)} ago`,
    Number.isFinite(position.altitude) ? `altitude ${withUnit(figure(position.altitude), 'm')}` : '',
    Number.isFinite(position.satellites) ? plural(position.satellites, 'satellite') : '',
  ];
  return [placeText(position.latitude, position.longitude), '', facts.filter(Boolean).join(' · ')];
}

