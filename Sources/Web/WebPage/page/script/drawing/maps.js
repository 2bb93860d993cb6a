// Maps. Both kinds of map show the same layers:
//   track: [[latitude, longitude], …]
//   hazards: [{latitude, longitude, name, intensity}, …]
//   places: [{latitude, longitude, accuracy, name, isStale}, …]: this gateway, or the gateways of a fleet

const METRES_PER_DEGREE = 111320;

let tilesAnswer = null;

/** Creates a map with tiles if the gateway has some, and otherwise one with a grid. */
async function makeMap(container) {
  if (!state.access.tiles) return gridMap(container);
  // The response is cached while the page is open. A 404 means that the file is not a map.
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

/** Returns the points of all layers. */
function pointsOf(layers) {
  return [...layers.track, ...[...layers.hazards, ...layers.places].map((place) => [place.latitude, place.longitude])];
}

/** Returns the south, west, north and east limits of all layers; `null` if they are empty. */
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

/** Shifts a longitude by full turns so that it is within half a turn of another. */
function nearLongitude(longitude, other) { return longitude + 360 * Math.round((other - longitude) / 360); }

/** Removes the jump in longitude at the date line, which would separate adjacent points of the layers. */
function joined(layers) {
  const points = pointsOf(layers);
  if (points.every(([, longitude]) => Math.abs(longitude - points[0][1]) <= 180)) return layers;
  const near = (longitude) => nearLongitude(longitude, points[0][1]);
  const moved = (place) => ({ ...place, longitude: near(place.longitude) });
  return {
    track: layers.track.map(([latitude, longitude]) => [latitude, near(longitude)]),
    hazards: layers.hazards.map(moved), places: layers.places.map(moved),
  };
}

function labelOf(place) { return place.name + (place.isStale ? ' (not current)' : ''); }

const noLayers = { track: [], hazards: [], places: [] };

