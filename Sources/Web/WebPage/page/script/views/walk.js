// The view of a single walk

function walkView(id) {
  const element = make('div', {}, make('p', {}, make('a', { href: '#walks', class: 'button', text: '‹ All walks' })));
  const wait = make('p', { class: 'quiet', role: 'status', text: 'Loading …' });
  const body = make('div', {}, wait);
  const tray = outboxTray();
  element.append(body, tray.element);
  const parts = [];
  const leaving = new AbortController();
  let repaint = () => {};
  let update = () => {};
  let take = () => {};

  function tellProgress(sentence) {
    setText(wait, sentence);
    if (!wait.isConnected) body.replaceChildren(wait);
  }
  async function load() {
    try {
      const report = await callWhenReady(sessionPath(id), { signal: leaving.signal, seconds: 30, tell: tellProgress });
      if (leaving.signal.aborted) return;
      end();
      const walk = { id, report, reload: load };
      const map = walkMap(walk);
      const chart = walkChart(walk);
      parts.push(map, chart);
      walk.redraw = () => { map.update(); chart.draw(); };
      repaint = walk.redraw;
      const survey = surveyCard(walk);
      update = survey.update;
      take = ({ hazards, reports = report.reports }) => {
        report.reports = reports;
        if (!hazards) return;
        report.hazards = hazards;
        walk.showMarks();
        walk.redraw();
      };
      body.replaceChildren(walkHead(walk), mountingCard(walk), walkStatistics(report), make('div', { class: 'columns' },
        make('div', {}, map.element, marksCard(walk, chart)), make('div', {}, chart.element, downloadsCard(walk), editCard(walk))),
        walkTasks(walk), survey.element, streamsCard(walk), eventsCard(report), mayOperate() ? deleteCard(walk) : '');
    } catch (error) {
      if (leaving.signal.aborted) return;
      if (!(error instanceof CallError)) throw error;
      update = take = () => {};
      body.replaceChildren(make('p', { class: 'failure', role: 'alert', text: error.sentence }), button('Try again', load));
    }
  }
  function end() { for (const part of parts.splice(0)) part.leave(); }
  load();
  return {
    element,
    title: 'Walk',
    repaint: () => repaint(),
    update() { tray.update(); update(); },
    /** Shows the gateway's response to an item from the outbox. */
    take(session, answer) { if (session === id) take(answer); },
    leave() { leaving.abort(); end(); },
  };
}

function walkHead({ id, report, reload }) {
  const isRunning = state.session !== null && state.session.id === id;
  return make('div', {}, make('h1', { text: dateText(report.start) }),
    isRunning ? make('p', {}, button('Refresh', reload, 'tight')) : null,
    make('p', { class: 'quiet', text: [report.gatewayName || report.gateway, report.participant && report.participant.id, report.wearer && `worn by ${report.wearer}`, report.ended].filter(Boolean).join(' · ') }),
    report.note ? make('p', { text: report.note }) : null,
    report.timeWarning ? make('p', { class: 'failure', text: sentenceOf(report.timeWarning) }) : null);
}

function walkStatistics(report) {
  const statistics = report.statistics;
  const tile = (name, ...content) => { const one = figureTile(name); one.show(...content); return one.element; };
  const pace = paceText(statistics.meanSpeed);
  const steps = stepsOf(statistics, namesOf(report.boards));
  return make('div', { class: 'figures' },
    tile('Time', clockText(report.seconds), '', Number.isFinite(statistics.movingSeconds) ? `moving ${clockText(statistics.movingSeconds)}` : ''),
    tile('Distance', ...distanceParts(statistics.distanceMetres), `position for ${figure(100 * statistics.fixShare)} % of the time`),
    tile('Pace', pace, pace === '–' ? '' : '/km', pace === '–' ? '' : 'while moving'),
    tile('Speed', ...speedParts(statistics.meanSpeed), speedText(statistics.highestSpeed) && `highest ${speedText(statistics.highestSpeed)}`),
    tile('Steps', steps.value, '', steps.remark),
    tile('Climb', figure(statistics.gainMetres), Number.isFinite(statistics.gainMetres) ? 'm' : '',
      Number.isFinite(statistics.lossMetres) ? `down ${figure(statistics.lossMetres)} m` : ''));
}

function walkMap({ id, report }) {
  const container = make('div', { class: 'map' });
  const failure = make('p', { class: 'failure', role: 'alert' });
  const profile = elevationProfile();
  const lack = report.missingFixes
    ? make('p', { class: 'failure', text: `${figure(report.missingFixes)} positions of this walk are missing from the fleet's database.` }) : null;
  const element = make('section', { class: 'card' }, make('h2', { text: 'Track' }), lack, container, routeLegend(), profile.element, failure);
  let map = null;
  let track = [];
  const leaving = new AbortController();

  function update() {
    if (map) map.show({ track, hazards: report.hazards.filter((hazard) => isPlace(hazard) && hazard.intensity > 0), places: [] });
  }
  async function load() {
    const made = await makeMap(container);
    if (leaving.signal.aborted) { made.leave(); return; }
    map = made;
    try {
      const answer = await callWhenReady(
        sessionPath(id, '/track?points=2000'), { signal: leaving.signal, seconds: 30, tell: (sentence) => setText(failure, sentence) });
      track = trackPoints(answer);
      profile.show(answer.fixes);
      setText(failure, '');
    } catch (error) {
      if (leaving.signal.aborted) return;
      setText(failure, error.sentence);
    }
    if (!leaving.signal.aborted) update();
  }
  load();
  return { element, update() { update(); profile.draw(); }, leave() { leaving.abort(); profile.leave(); if (map) map.leave(); } };
}

function trackPoints(answer) {
  return answer.fixes.map(([, latitude, longitude]) => [latitude, longitude])
    .filter(([latitude, longitude]) => isPlace({ latitude, longitude }));
}

function walkChart({ id, report }) {
  const marks = () => [
    ...report.hazards.filter((hazard) => hazard.intensity > 0)
      .map(({ seconds, name, intensity }) => ({ seconds, text: name, sign: String(intensity), kind: 'hazard' })),
    ...report.annotations.map(({ seconds, text }) => ({ seconds, text: shortened(text, 40), sign: 'n', kind: 'note' })),
    ...taskMarks(report),
  ];
  const chart = waveChart({ session: id, total: report.seconds, marks });
  const names = namesOf(report.boards);
  const choice = make('select', { change: () => chart.show(report.streams[choice.value]) },
    ...report.streams.map((stream, index) => {
      const name = names[stream.board] || stream.board;
      return make('option', { value: index, text: `${name}: ${signalText(stream.signal).toLowerCase()} (${stream.unit})` });
    }));
  const element = make('section', { class: 'card' }, make('h2', { text: 'Signals' }));
  if (report.streams.length) {
    element.append(field('Signal', choice), chart.element);
    chart.show(report.streams[0]);
  } else {
    element.append(make('p', { class: 'quiet', text: 'This walk has no samples.' }));
  }
  return { element, draw: chart.draw, leave: chart.leave, get middle() { return chart.middle; } };
}

