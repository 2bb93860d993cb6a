// Maps. Both kinds of map show the same layers:
//   track: [[latitude, longitude], …]
//   hazards: [{latitude, longitude, name, intensity}, …]
//   routes: the routes that the gateway suggests, which every map shows
//   places: [{latitude, longitude, accuracy, name, isStale}, …]: this gateway, or the gateways of a fleet
//   others: the other gateways in the fleet: like places, but with an age, and drawn smaller

const METRES_PER_DEGREE = 111320;

let tilesAnswer = null;

let routesAnswer = null;

/** Returns the routes that the gateway suggests: [{name, difficulty, lines: [[[latitude, longitude], …], …]}, …]. */
async function loadRoutes() {
  routesAnswer = routesAnswer || call('/api/v1/routes').then(({ routes }) => routes).catch(() => { routesAnswer = null; return []; });
  return routesAnswer;
}

/** Returns the colour and the line style of a difficulty. An unknown difficulty gets the colour of dimmed text. */
function routeLook(difficulty) {
  const { ok, warning, fault, dim } = palette();
  const word = difficulty.toLowerCase();
  if (/^(easy|leicht|1)/.test(word)) return { ink: ok, dash: [] };
  if (/^(moderate|medium|intermediate|mittel|2)/.test(word)) return { ink: warning, dash: [8, 4] };
  if (/^(hard|difficult|schwer|3)/.test(word)) return { ink: fault, dash: [2, 4] };
  return { ink: dim, dash: [8, 4, 2, 4] };
}

/** The names and difficulties of the routes on a map; hidden if there are none. */
function routeLegend() {
  const element = make('ul', { class: 'plain routes', hidden: true });
  loadRoutes().then((routes) => {
    element.hidden = !routes.length;
    element.replaceChildren(...routes.map(({ name, difficulty }) => {
      const line = make('span', { class: 'line' });
      const { ink, dash } = routeLook(difficulty);
      line.style.borderTop = `4px ${dash.length ? 'dashed' : 'solid'} ${ink}`;
      return make('li', {}, line, make('span', { text: [name || 'Route', difficulty].filter(Boolean).join(' · ') }));
    }));
  });
  return element;
}

/** Creates a map with tiles if the gateway has any; otherwise, creates a map with a grid. */
async function makeMap(container) {
  const routes = await loadRoutes();
  const map = await makeBareMap(container);
  return { ...map, show: (layers) => map.show({ others: [], ...layers, routes }) };
}

async function makeBareMap(container) {
  if (!state.access.tiles) return gridMap(container);
  // The response is cached while the page is open. A 404 status means that the file is not a map.
  tilesAnswer = tilesAnswer || call('/tiles', undefined, { seconds: 5 }).catch((error) => {
    if (error.status !== 404) tilesAnswer = null;
    return null;
  });
  const tiles = await tilesAnswer;
  if (!tiles) return gridMap(container);
  try {
    await loadLeaflet();
    return tileMap(container, tiles);
  } catch (error) {
    return gridMap(container);
  }
}

/**
 * Returns the points that a map must show. Routes and other gateways are included only if there is nothing
 * else.
 */
function pointsOf(layers) {
  const own = [...layers.track, ...[...layers.hazards, ...layers.places].map((place) => [place.latitude, place.longitude])];
  if (own.length) return own;
  return [...layers.others.map((place) => [place.latitude, place.longitude]), ...layers.routes.flatMap((route) => route.lines.flat())];
}

/** Returns the south, west, north and east limits of the points that a map must show; `null` if there are none. */
function boundsOf(layers) {
  const points = pointsOf(layers);
  if (!points.length) return null;
  const bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [latitude, longitude] of points) {
    bounds[0] = Math.min(bounds[0], latitude);
    bounds[1] = Math.min(bounds[1], longitude);
    bounds[2] = Math.max(bounds[2], latitude);
    bounds[3] = Math.max(bounds[3], longitude);
  }
  return bounds;
}

/** Shifts a longitude by full turns, so that it is within half a turn of another longitude. */
function nearLongitude(longitude, other) { return longitude + 360 * Math.round((other - longitude) / 360); }

/** Removes the jump in longitude at the date line, which would separate adjacent points in the layers. */
function joined(layers) {
  const others = layers.others.map((place) => [place.latitude, place.longitude]);
  const points = [...pointsOf(layers), ...others, ...layers.routes.flatMap((route) => route.lines.flat())];
  if (points.every(([, longitude]) => Math.abs(longitude - points[0][1]) <= 180)) return layers;
  const near = (longitude) => nearLongitude(longitude, points[0][1]);
  const moved = (place) => ({ ...place, longitude: near(place.longitude) });
  const line = (given) => given.map(([latitude, longitude]) => [latitude, near(longitude)]);
  return {
    track: line(layers.track), routes: layers.routes.map((route) => ({ ...route, lines: route.lines.map(line) })),
    hazards: layers.hazards.map(moved), places: layers.places.map(moved), others: layers.others.map(moved),
  };
}

function labelOf(place) { return place.name + (place.isStale ? ' (not current)' : ''); }

function otherLabelOf(other) { return [other.name, agoText(other.age), other.isStale ? 'stale' : ''].filter(Boolean).join(' · '); }

const noLayers = { track: [], routes: [], hazards: [], places: [], others: [] };

