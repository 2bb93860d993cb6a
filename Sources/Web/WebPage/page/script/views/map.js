// The Map view

function mapView() {
  const container = make('div', { class: 'map large' });
  const isFleet = state.access.kind === 'fleet';
  const rows = placeList((place) => { if (map) map.centre(place); });
  const heading = make('p', { class: 'quiet', role: 'status' });
  const search = make('input', { type: 'search', autocomplete: 'off', 'aria-label': 'Filter by name', placeholder: 'Name', input: () => show() });
  const study = make('select', { 'aria-label': 'Study', change: () => show() }, make('option', { value: '', text: 'All studies' }));
  const filter = make('div', { class: 'filter', hidden: !isFleet }, study, search);
  let map = null;
  let isLeft = false;
  let shownAt = -Infinity;
  /** The session for which the track was last requested. */
  let askedFor = null;
  const others = state.access.kind === 'gateway' ? pollOthers(() => show()) : null;

  function show() {
    shownAt = steadyNow();
    const people = isFleet ? fleetPeople(study.value, search.value) : ownPeople();
    const hazards = state.session ? (state.session.hazards || []).filter((hazard) => isPlace(hazard) && hazard.intensity > 0) : [];
    if (map) map.show({ track: isFleet ? [] : state.track.points, hazards, places: people.filter(isPlace), others: others ? others.now() : [] });
    heading.hidden = !isFleet;
    setText(heading, isFleet ? fleetHeading(people) : '');
    // A list of thousands of gateways would be slow. The filter also finds gateways that are not
    // listed.
    rows.show([...people.slice(0, 200), ...(others ? others.now() : []), ...hazards.map((hazard) => (
      { ...hazard, facts: `intensity ${intensityText(hazard.intensity)}, at ${clockText(hazard.seconds)}` }))]);
  }

  function update(topic) {
    if (isFleet) fillStudies(study);
    if (topic === 'fleet' && steadyNow() - shownAt < 1) return;
    show();
    // So far, the map was fitted to the gateway that was reported first. Now all gateways are known.
    if (topic === 'ready' && map) map.fit();
    followSession();
  }

  /** Loads the whole track of the current session, as soon as that session is known. */
  async function followSession() {
    const id = state.session ? state.session.id : null;
    if (isFleet || !map || !id || id === askedFor) return;
    askedFor = id;
    await loadOwnTrack(id);
    if (isLeft) return;
    show();
    map.fit();
  }

  async function begin() {
    const made = await makeMap(container);
    if (isLeft) { made.leave(); return; }
    map = made;
    show();
    followSession();
  }
  begin();
  const element = make('div', {}, make('h1', { class: 'unseen', text: 'Map' }), filter, container, routeLegend(), make('section', { class: 'card' }, heading, rows.element));
  return { element, title: 'Map', update, repaint: show, leave() { isLeft = true; if (map) map.leave(); if (others) others.leave(); } };
}

/** Polls the other gateways of the fleet until `leave`, and calls `tell` after each response. */
function pollOthers(tell) {
  const abort = new AbortController();
  let known = [];
  let cameAt = 0;
  let timer = 0;
  async function poll(seconds) {
    try {
      if (!document.hidden) {
        known = (await call('/api/v1/others', undefined, { signal: abort.signal })).others;
        cameAt = steadyNow();
        tell();
      }
    } catch (error) { /* Until the next response, the last known positions are shown with growing ages. */ }
    if (!abort.signal.aborted) timer = setTimeout(() => poll(10), seconds * 1000);
  }
  // The first request only makes the gateway connect to the broker, so the response is empty.
  poll(2);
  return {
    now() {
      const since = steadyNow() - cameAt;
      return known.map((one) => ({ ...one, age: one.age + since, isStale: one.isStale || link.isLost || since > 30 }))
        .map((one) => ({ ...one, facts: [agoText(one.age), one.isStale ? 'stale' : ''].filter(Boolean).join(' · ') }));
    },
    leave() { abort.abort(); clearTimeout(timer); },
  };
}

/** Loads the track of the current session up to now. */
async function loadOwnTrack(id) {
  try {
    const points = trackPoints(await call(sessionPath(id, '/track?points=2000'), undefined, { seconds: 30 }));
    if (state.track.session === id && points.length > state.track.points.length / 2) state.track.points = points;
  } catch (error) { /* The map still shows the part received from the stream. */ }
}

/** Returns a list that contains this gateway's position, for use on the map. */
function ownPeople() {
  const { position, access } = state;
  const name = access.gateway || 'This gateway';
  if (!position) return [{ name, facts: placeFigure()[2] ? `No position: ${placeFigure()[2]}` : 'No position', isStale: true }];
  const age = position.age + (link.isLost ? link.age : 0);
  return [{ ...position, name, isStale: age > 10 || link.isLost, facts: placesFacts(position, age) }];
}

function placesFacts(place, age) {
  return [
    age === null ? 'age unknown' : agoText(age),
    Number.isFinite(place.speed) ? speedText(place.speed) : '',
    Number.isFinite(place.accuracy) ? `within ${withUnit(figure(place.accuracy), 'm')}` : 'accuracy unknown',
    place.sharing === 'rounded' ? 'rounded' : '',
  ].filter(Boolean).join(' · ');
}

/** Returns the gateways of a fleet that match the filter. Gateways with a current position come first. */
function fleetPeople(study, text) {
  const wanted = text.trim().toLowerCase();
  return [...state.fleet.values()]
    .filter((one) => (!study || studyOf(one) === study) && one.gateway.toLowerCase().includes(wanted))
    .map(fleetPerson)
    .sort((a, b) => Number(a.isStale) - Number(b.isStale) || a.name.localeCompare(b.name));
}

/** The study, which is the name of the fleet. An upload server that follows only one fleet may omit this name. */
function studyOf(news) { return news.fleet || (news.status && news.status.fleet) || ''; }

function fleetPerson(news) {
  const { location, status } = news;
  const worth = location ? location.worth : news.worth;
  const since = steadyNow() - news.cameAt;
  const isStale = worth !== 'fresh' || link.isLost;
  const age = location && location.age !== null ? location.age + since : null;
  const doing = status ? (status.state === 'off' ? 'switched off' : status.works ? status.state : `${status.state}, not working`) : '';
  const facts = [
    news.worth === 'stale' ? 'no recent message' : worth === 'stale' ? 'no recent position' : '',
    news.worth === 'stale' && doing ? `was ${doing}` : doing,
    location ? placesFacts(location, age) : 'shares no position',
    location && location.clock_doubtful ? 'its clock may be wrong' : '',
  ];
  return { ...(location || {}), name: news.gateway, isStale, facts: facts.filter(Boolean).join(' · ') };
}

function fleetHeading(people) {
  const fresh = people.filter((person) => !person.isStale).length;
  const rest = people.length > 200 ? ' The first 200 are listed: type part of a name to see others.' : '';
  return `${plural(people.length, 'gateway')}, ${figure(fresh)} current.${rest}`;
}

/** The positions on the map as a list. A row stays while its position exists, so that it keeps the focus. */
function placeList(centre) {
  const element = make('ul', { class: 'plain people live' });
  const rows = new Map();

  function row(name) {
    const one = { place: null, facts: make('p') };
    one.button = make('button', { type: 'button', text: 'Show', 'aria-label': `Show ${name} on the map`, click: () => centre(one.place) });
    one.element = make('li', {}, make('div', {}, make('b', { text: name }), one.facts), one.button);
    return one;
  }

  function show(places) {
    const names = new Set(places.map((place) => place.name));
    for (const [name, one] of rows) {
      if (!names.has(name)) { one.element.remove(); rows.delete(name); }
    }
    places.forEach((place, index) => {
      if (!rows.has(place.name)) rows.set(place.name, row(place.name));
      const one = rows.get(place.name);
      one.place = place;
      one.button.hidden = !isPlace(place);
      one.element.classList.toggle('gone', Boolean(place.isStale));
      setText(one.facts, place.facts);
      if (element.children[index] !== one.element) element.insertBefore(one.element, element.children[index] || null);
    });
  }
  return { element, show };
}

function fillStudies(select) {
  const names = [...new Set([...state.fleet.values()].map(studyOf))].filter(Boolean).sort();
  const key = names.join('\n');
  if (select.dataset.names === key) return;
  select.dataset.names = key;
  const chosen = select.value;
  select.replaceChildren(make('option', { value: '', text: 'All studies' }), ...names.map((name) => make('option', { value: name, text: name })));
  select.value = names.includes(chosen) ? chosen : '';
  // If there is only one study, there is nothing to choose from.
  select.hidden = names.length < 2;
}

