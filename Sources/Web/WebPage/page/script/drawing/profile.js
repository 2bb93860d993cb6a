// A walk's elevation profile

function metresBetween([latitude, longitude], [otherLatitude, otherLongitude]) {
  const east = (nearLongitude(otherLongitude, longitude) - longitude) * Math.cos((latitude + otherLatitude) / 2 * Math.PI / 180);
  return METRES_PER_DEGREE * Math.hypot(otherLatitude - latitude, east);
}

/** Returns the points of a profile, [[metres from the start, altitude], …], for the fixes that have an altitude. */
function profileOf(fixes) {
  const points = [];
  let metres = 0;
  let former = null;
  for (const [, latitude, longitude, altitude] of fixes) {
    if (!isPlace({ latitude, longitude })) continue;
    if (former) metres += metresBetween(former, [latitude, longitude]);
    former = [latitude, longitude];
    if (Number.isFinite(altitude)) points.push([metres, altitude]);
  }
  return points;
}

function elevationProfile() {
  const canvas = make('canvas', { class: 'profile', role: 'img' });
  const element = make('div', { hidden: true }, make('h3', { text: 'Elevation' }), canvas);
  let points = [];
  const draw = onNextFrame(() => drawProfile(canvas, points));
  const sizes = new ResizeObserver(draw);
  sizes.observe(canvas);

  function show(fixes) {
    points = profileOf(fixes);
    element.hidden = points.length < 2;
    if (element.hidden) return;
    const altitudes = points.map(([, altitude]) => altitude);
    canvas.setAttribute('aria-label', `Elevation from ${figure(Math.min(...altitudes))} to ${figure(Math.max(...altitudes))} m along ${distanceText(points[points.length - 1][0])}`);
    draw();
  }
  return { element, show, draw, leave() { sizes.disconnect(); } };
}

function drawProfile(canvas, points) {
  const drawing = points.length > 1 ? contextOf(canvas) : null;
  if (!drawing) return;
  const { context, width, height } = drawing;
  const altitudes = points.map(([, altitude]) => altitude);
  const [low, high] = [Math.min(...altitudes), Math.max(...altitudes)];
  const length = points[points.length - 1][0] || 1;
  // The profile's height represents at least 20 metres of altitude, so that flat ground looks flat.
  const span = Math.max(high - low, 20);
  const [left, right, top, bottom] = [52, 10, 12, 24];
  const x = (metres) => left + metres / length * (width - left - right);
  const y = (altitude) => height - bottom - (altitude - (low + high - span) / 2) / span * (height - top - bottom);
  const colour = palette();
  context.strokeStyle = colour.grid;
  context.fillStyle = colour.dim;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const altitude of [low, high]) {
    if (altitude === high && y(low) - y(high) < 16) continue;
    context.beginPath();
    context.moveTo(left, y(altitude));
    context.lineTo(width - right, y(altitude));
    context.stroke();
    context.fillText(`${figure(altitude)} m`, left - 6, y(altitude));
  }
  context.textAlign = 'center';
  const step = niceStep(length, Math.max(1, Math.floor((width - left) / 90)));
  for (let metres = 0; metres <= length * 1.0001; metres += step) {
    context.fillText(distanceText(metres), Math.min(x(metres), width - 24), height - 10);
  }
  context.strokeStyle = colour.track;
  context.lineWidth = 2;
  context.lineJoin = 'round';
  context.beginPath();
  for (const [metres, altitude] of points) context.lineTo(x(metres), y(altitude));
  context.stroke();
}
