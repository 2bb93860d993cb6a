// The map without tiles: a grid with a scale and a north arrow

function gridMap(container) {
  const canvas = make('canvas', {
    tabindex: '0', role: 'application',
    'aria-label': 'Map with a grid. Arrows move, plus and minus zoom, 0 shows all. The list below contains the same positions.',
  });
  const zoomButton = (text, name, press) => make('button', { type: 'button', text, 'aria-label': name, click: press });
  container.replaceChildren(canvas, make('div', { class: 'zoom' },
    zoomButton('+', 'Zoom in', () => zoom(2)), zoomButton('−', 'Zoom out', () => zoom(0.5)), zoomButton('⤢', 'Show all', fit)));
  const view = { latitude: 0, longitude: 0, metresPerPixel: 1 };
  let layers = noLayers;
  let hasView = false;
  /** Whether the user has moved the map. If so, it no longer follows positions. */
  let isMoved = false;
  const draw = onNextFrame(() => drawGrid(canvas, view, layers));

  const eastMetres = () => METRES_PER_DEGREE * Math.max(0.01, Math.cos(view.latitude * Math.PI / 180));

  function fit() {
    const bounds = boundsOf(layers);
    if (!bounds || !canvas.clientWidth) { draw(); return; }
    hasView = true;
    view.latitude = (bounds[0] + bounds[2]) / 2;
    view.longitude = (bounds[1] + bounds[3]) / 2;
    const across = (bounds[3] - bounds[1]) * eastMetres() / Math.max(60, canvas.clientWidth - 110);
    const up = (bounds[2] - bounds[0]) * METRES_PER_DEGREE / Math.max(60, canvas.clientHeight - 90);
    // A single position is shown with its surroundings, 100 metres in each direction.
    view.metresPerPixel = Math.max(across, up, 200 / canvas.clientWidth);
    draw();
  }

  /** Whether a current position is outside the visible map. */
  function hasLeft() {
    const [across, up] = [canvas.clientWidth / 2 * view.metresPerPixel, canvas.clientHeight / 2 * view.metresPerPixel];
    return layers.places.some((place) => !place.isStale && (Math.abs(place.longitude - view.longitude) * eastMetres() > across
      || Math.abs(place.latitude - view.latitude) * METRES_PER_DEGREE > up));
  }

  function move(dx, dy, factor, x, y) {
    hasView = isMoved = true;
    view.longitude -= dx * view.metresPerPixel / eastMetres();
    view.latitude += dy * view.metresPerPixel / METRES_PER_DEGREE;
    const scale = Math.min(20000, Math.max(0.02, view.metresPerPixel / factor));
    // Keep the point under the finger in place while zooming.
    const change = view.metresPerPixel - scale;
    view.longitude += (x - canvas.clientWidth / 2) * change / eastMetres();
    view.latitude -= (y - canvas.clientHeight / 2) * change / METRES_PER_DEGREE;
    view.latitude = Math.max(-85, Math.min(85, view.latitude));
    view.metresPerPixel = scale;
    draw();
  }

  function zoom(factor) { move(0, 0, factor, canvas.clientWidth / 2, canvas.clientHeight / 2); }

  followGestures(canvas, { move });
  canvas.addEventListener('keydown', (event) => {
    const keys = {
      ArrowLeft: () => move(60, 0, 1, 0, 0), ArrowRight: () => move(-60, 0, 1, 0, 0),
      ArrowUp: () => move(0, 60, 1, 0, 0), ArrowDown: () => move(0, -60, 1, 0, 0),
      '+': () => zoom(1.5), '=': () => zoom(1.5), '-': () => zoom(1 / 1.5), 0: fit, Home: fit,
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const sizes = new ResizeObserver(() => (hasView ? draw() : fit()));
  sizes.observe(canvas);

  return {
    show(next) {
      layers = joined(next);
      // The map follows positions that move out of view, until the user moves the map.
      if (!hasView || (!isMoved && hasLeft())) fit(); else draw();
    },
    centre(place) {
      hasView = isMoved = true;
      view.latitude = place.latitude;
      view.longitude = nearLongitude(place.longitude, view.longitude);
      draw();
    },
    fit() { if (!isMoved) fit(); },
    leave() { sizes.disconnect(); },
  };
}

function drawGrid(canvas, view, layers) {
  const drawing = contextOf(canvas);
  if (!drawing) return;
  const { context, width, height } = drawing;
  const east = METRES_PER_DEGREE * Math.max(0.01, Math.cos(view.latitude * Math.PI / 180));
  const x = (longitude) => width / 2 + (longitude - view.longitude) * east / view.metresPerPixel;
  const y = (latitude) => height / 2 - (latitude - view.latitude) * METRES_PER_DEGREE / view.metresPerPixel;
  const colour = palette();
  const step = niceStep(view.metresPerPixel * 100, 1);
  const pixels = step / view.metresPerPixel;
  if (!pointsOf(layers).length) {
    context.fillStyle = colour.dim;
    context.textAlign = 'center';
    context.fillText('no position yet', width / 2, height / 2);
    return;
  }
  drawGridLines(context, width, height, x(Math.round(view.longitude * 10) / 10), y(Math.round(view.latitude * 10) / 10), pixels);

  context.lineJoin = 'round';
  for (const route of layers.routes) {
    const { ink, dash } = routeLook(route.difficulty);
    context.setLineDash(dash);
    context.lineWidth = 3;
    context.strokeStyle = ink;
    for (const line of route.lines) {
      context.beginPath();
      for (const [latitude, longitude] of line) context.lineTo(x(longitude), y(latitude));
      context.stroke();
    }
  }
  context.setLineDash([]);
  for (const [lineWidth, ink] of [[6, colour.card], [3, colour.track]]) {
    context.lineWidth = lineWidth;
    context.strokeStyle = ink;
    context.beginPath();
    for (const [latitude, longitude] of layers.track) context.lineTo(x(longitude), y(latitude));
    context.stroke();
  }
  if (layers.track.length > 1) drawEndOfTrack(context, x(layers.track[0][1]), y(layers.track[0][0]));
  const labels = [];
  const otherLabels = layers.others.map((other) => {
    const at = { x: x(other.longitude), y: y(other.latitude) };
    drawPlace(context, at, other, 0, 0, 5);
    return { ...at, text: otherLabelOf(other), colour: other.isStale ? colour.dim : colour.accent };
  });
  for (const place of layers.places) {
    const at = { x: x(place.longitude), y: y(place.latitude) };
    drawPlace(context, at, place, (place.accuracy || 0) / view.metresPerPixel, Math.min(width, height));
    if (layers.places.length > 60) continue;
    labels.push({ ...at, text: labelOf(place), colour: place.isStale ? colour.dim : colour.accent });
  }
  for (const hazard of layers.hazards) {
    const at = { x: x(hazard.longitude), y: y(hazard.latitude) };
    drawHazard(context, at, hazard);
    labels.push({ ...at, text: hazard.name, colour: colour.ink });
  }
  drawLabels(context, [...labels, ...otherLabels], width);
  drawScale(context, width, height, step, pixels);
  drawNorth(context);
}

function drawGridLines(context, width, height, originX, originY, pixels) {
  context.strokeStyle = palette().grid;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = originX - Math.ceil(originX / pixels) * pixels; at < width; at += pixels) { context.moveTo(at, 0); context.lineTo(at, height); }
  for (let at = originY - Math.ceil(originY / pixels) * pixels; at < height; at += pixels) { context.moveTo(0, at); context.lineTo(width, at); }
  context.stroke();
}

function drawEndOfTrack(context, x, y) {
  context.beginPath();
  context.arc(x, y, 5, 0, 2 * Math.PI);
  context.fillStyle = palette().card;
  context.fill();
  context.lineWidth = 3;
  context.strokeStyle = palette().track;
  context.stroke();
}

/** Draws a position as a dot: filled if the position is current, dashed otherwise. A circle shows the accuracy. */
function drawPlace(context, { x, y }, place, radius, side, size = 8) {
  const { accent, dim, card } = palette();
  const colour = place.isStale ? dim : accent;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  if (radius > 9) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.lineWidth = 1;
    context.stroke();
    // A circle larger than the map would only tint the map.
    context.globalAlpha = radius < side / 2 ? 0.14 : 0;
    context.fill();
    context.globalAlpha = 1;
  }
  context.beginPath();
  context.arc(x, y, size, 0, 2 * Math.PI);
  context.fillStyle = place.isStale ? card : colour;
  context.fill();
  context.lineWidth = 2.5;
  context.setLineDash(place.isStale ? [3, 3] : []);
  context.strokeStyle = place.isStale ? colour : card;
  context.stroke();
  context.setLineDash([]);
}

function drawHazard(context, { x, y }, hazard) {
  const { warning, card } = palette();
  context.beginPath();
  context.moveTo(x, y - 14);
  context.lineTo(x + 14, y + 10);
  context.lineTo(x - 14, y + 10);
  context.closePath();
  context.fillStyle = warning;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = card;
  context.stroke();
  context.fillStyle = card;
  context.font = 'bold 14px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(String(hazard.intensity), x, y + 2);
  context.font = FONT;
}

/** Draws labels next to their marks. A label moves up or down, or is omitted, if another is in the way. */
function drawLabels(context, labels, width) {
  const taken = [];
  const isFree = (box) => taken.every((other) => box.right < other.left || box.left > other.right || Math.abs(box.y - other.y) > 15);
  for (const label of labels) {
    const text = shortened(label.text, 28);
    const length = context.measureText(text).width;
    const goesRight = label.x + 17 + length < width - 4;
    const left = goesRight ? label.x + 17 : label.x - 17 - length;
    const rows = [0, 16, -16, 32, -32].map((by) => ({ left, right: left + length, y: label.y + by }));
    const box = rows.find(isFree);
    if (!box) continue;
    taken.push(box);
    drawLabel(context, box.left, box.y, text, label.colour);
  }
}

/** Draws text with an outline in the background colour, so that it is readable over lines. */
function drawLabel(context, x, y, text, colour) {
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = palette().card;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

function drawScale(context, width, height, metres, pixels) {
  const left = 14;
  const y = height - 14;
  context.strokeStyle = palette().ink;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(left, y - 6);
  context.lineTo(left, y);
  context.lineTo(left + pixels, y);
  context.lineTo(left + pixels, y - 6);
  context.stroke();
  const text = metres >= 1000 ? `${figure(metres / 1000)} km` : metres >= 1 ? `${figure(metres)} m` : `${figure(metres * 100)} cm`;
  drawLabel(context, left + 5, y - 12, text, palette().ink);
}

function drawNorth(context) {
  context.fillStyle = palette().ink;
  context.beginPath();
  context.moveTo(24, 10);
  context.lineTo(31, 32);
  context.lineTo(24, 27);
  context.lineTo(17, 32);
  context.fill();
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = 'bold 13px system-ui, sans-serif';
  context.fillText('N', 24, 42);
  context.font = FONT;
}

