// Maps. Both kinds show the same layers:
//   track: [[latitude, longitude], …]
//   hazards: [{latitude, longitude, name, intensity}, …]
//   places: [{latitude, longitude, accuracy, name, isStale}, …]: this gateway, or those of a fleet

const METRES_PER_DEGREE = 111320;

let tilesAnswer = null;

/** A map with tiles if the gateway has some, otherwise one with a grid. */
async function makeMap(container) {
  if (!state.access.tiles) return gridMap(container);
  // The answer is kept while the page is open, unless there was none. A 404 means that the file is not a map.
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

/** The points of all layers. */
function pointsOf(layers) {
  return [...layers.track, ...[...layers.hazards, ...layers.places].map((place) => [place.latitude, place.longitude])];
}

/** South, west, north and east of all layers; `null` if they are empty. */
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

/** A longitude, or the same one a full turn away, within half a turn of another. */
function nearLongitude(longitude, other) { return longitude + 360 * Math.round((other - longitude) / 360); }

/** The layers without the jump at the date line, which would separate neighbours. */
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

