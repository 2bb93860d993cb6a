// Colours, gestures and envelopes for drawing charts and maps

let colours = null;

/** The style sheet's colours, for drawing on a canvas. */
function palette() {
  if (!colours) {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue('--' + name).trim();
    colours = {
      ink: get('ink'), dim: get('dim'), grid: get('grid'), hatch: get('hatch'), card: get('card'),
      warning: get('warning'), ok: get('ok'), fault: get('fault'), accent: get('accent'), track: get('track'), edge: get('edge'),
      axes: [get('axis-1'), get('axis-2'), get('axis-3'), get('dim')],
    };
  }
  return colours;
}

/** Line styles. Axes differ in colour, in line style, and in the name at the end of the line. */
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const FONT = '13px system-ui, sans-serif';

/** Returns the cleared context of a canvas, scaled to CSS pixels; `null` while the canvas has no size. */
function contextOf(canvas) {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (!width || !height) return null;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  return { context, width, height };
}

/** Wraps a drawing function so that it draws at most once per frame, no matter how often it is called. */
function onNextFrame(draw) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => { isAsked = false; draw(); });
  };
}

/** Returns a step of 1, 2 or 5 times a power of ten. About `count` such steps fill the span. */
function niceStep(span, count) {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough * 0.999);
  return factor * power;
}

function niceTimeStep(span, count) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
  const rough = span / Math.max(1, count);
  return rough < 1 ? niceStep(span, count) : steps.find((step) => step >= rough) || 86400 * Math.ceil(rough / 86400);
}

/**
 * Handles drag, pinch, wheel and double tap. `move(dx, dy, factor, x, y)` is called to shift the view by pixels and
 * then magnify it around a point. `tap(x, y)` is called for a single tap.
 */
function followGestures(element, { move, tap }) {
  const fingers = new Map();
  let travelled = 0;
  let lastTap = { time: -Infinity, x: 0, y: 0 };

  function place(event) {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  function middle() {
    const all = [...fingers.values()];
    const x = all.reduce((sum, finger) => sum + finger.x, 0) / all.length;
    const y = all.reduce((sum, finger) => sum + finger.y, 0) / all.length;
    const spread = all.length > 1 ? Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y) : 0;
    return { x, y, spread };
  }

  element.addEventListener('pointerdown', (event) => {
    if (event.button) return;
    if (!fingers.size) travelled = 0;
    fingers.set(event.pointerId, place(event));
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = middle();
    fingers.set(event.pointerId, place(event));
    const after = middle();
    travelled += Math.hypot(after.x - before.x, after.y - before.y) + Math.abs(after.spread - before.spread);
    const factor = before.spread > 10 && after.spread > 10 ? after.spread / before.spread : 1;
    move(after.x - before.x, after.y - before.y, factor, after.x, after.y);
  });
  function lift(event) {
    const finger = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    if (event.type !== 'pointerup' || !finger || fingers.size || travelled > 8) return;
    const isDouble = event.timeStamp - lastTap.time < 320
      && Math.hypot(finger.x - lastTap.x, finger.y - lastTap.y) < 30;
    lastTap = { time: isDouble ? -Infinity : event.timeStamp, ...finger };
    if (isDouble) move(0, 0, 2, finger.x, finger.y);
    else if (tap) tap(finger.x, finger.y);
  }
  element.addEventListener('pointerup', lift);
  element.addEventListener('pointercancel', lift);
  element.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { x, y } = place(event);
    const unit = event.deltaMode === 1 ? 20 : 1;
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isSideways) move(-event.deltaX * unit, 0, 1, x, y);
    else move(0, 0, Math.exp(-event.deltaY * unit * 0.002), x, y);
  }, { passive: false });
}

/**
 * Draws an axis as a band from its minimum to its maximum, with a line in the middle.
 * `x(i)` is the position of a column. `low(i)` and `high(i)` are in pixels, or NaN if the column is empty.
 * Without `dash`, a wide band has an outline instead of the line.
 */
function drawEnvelope(context, count, { x, low, high, colour, dash, ends }) {
  context.fillStyle = colour;
  context.strokeStyle = colour;
  let start = -1;
  for (let i = 0; i <= count; i += 1) {
    const isThere = i < count && !Number.isNaN(high(i));
    if (isThere && start < 0) start = i;
    const endsHere = start >= 0 && (!isThere || (i > start && ends && ends(i)));
    if (!endsHere) continue;
    drawRun(context, start, i, x, low, high, dash);
    start = isThere ? i : -1;
  }
}

function meanHeight(from, to, low, high) {
  let sum = 0;
  for (let i = from; i < to; i += 1) sum += low(i) - high(i);
  return sum / (to - from);
}

function drawRun(context, from, to, x, low, high, dash) {
  context.beginPath();
  for (let i = from; i < to; i += 1) context.lineTo(x(i), high(i) - 0.5);
  for (let i = to - 1; i >= from; i -= 1) context.lineTo(x(i), low(i) + 0.5);
  context.closePath();
  // The middle line of a wide band does not represent any sample, so the band's outline is more useful.
  const isWide = dash === null && meanHeight(from, to, low, high) > 8;
  context.globalAlpha = isWide ? 0.5 : 0.28;
  context.fill();
  context.globalAlpha = 1;
  if (isWide) { context.lineWidth = 1; context.stroke(); return; }
  context.lineWidth = 1.7;
  context.beginPath();
  context.setLineDash(dash || []);
  for (let i = from; i < to; i += 1) context.lineTo(x(i), (low(i) + high(i)) / 2);
  context.stroke();
  context.setLineDash([]);
  // If there is enough space, dots show individual samples. A single sample cannot form a line.
  if (x(to - 1) - x(from) < 10 * (to - from - 1)) return;
  for (let i = from; i < to; i += 1) {
    if (low(i) === high(i) || to - from === 1) drawDot(context, x(i), (low(i) + high(i)) / 2);
  }
}

function drawDot(context, x, y) {
  context.beginPath();
  context.arc(x, y, 2.2, 0, 2 * Math.PI);
  context.fill();
}

/** Returns the range of the values plus some margin. The range is never empty. */
function roomy(low, high) {
  if (!(high >= low)) return [-1, 1];
  const room = Math.max((high - low) * 0.08, Math.abs(high) * 0.002, 1e-6);
  return [low - room, high + room];
}

function decimalsFor(step) { return Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))); }

/**
 * Returns the step that results in about one label per 26 pixels. If each label gets 10 pixels, there are at least
 * three labels.
 */
function labelStep(low, high, height) {
  let step = niceStep(high - low, Math.max(2, height / 26));
  const count = (one) => Math.floor(high / one + 1e-9) - Math.ceil(low / one - 1e-9) + 1;
  for (let finer = 3; finer < 9 && count(step) < 3; finer += 1) {
    const next = niceStep(high - low, finer);
    if (height * next / (high - low) >= 10) step = next;
  }
  return step;
}

/** Draws the grid lines, and the values on the left. */
function drawValueAxis(context, box, [low, high], unit) {
  const { grid, dim } = palette();
  const top = box.top + (unit ? 18 : 7);
  const bottom = box.top + box.height - 1;
  const [from, to] = [bottom, top].map((y) => high - (high - low) * (y - box.top) / box.height);
  const step = labelStep(from, to, bottom - top);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
    const y = box.top + box.height * (high - value) / (high - low);
    context.strokeStyle = grid;
    context.beginPath();
    context.moveTo(box.left, y);
    context.lineTo(box.left + box.width, y);
    context.stroke();
    context.fillStyle = dim;
    if (y >= top && y <= bottom) context.fillText(figure(value, decimalsFor(step)), box.left - 5, y);
  }
  context.fillStyle = dim;
  context.fillText(unit || '', box.left - 5, box.top + 8);
}

/** Draws the axes' names at the right ends of their lines. Moves the names apart if they would overlap. */
function drawAxisNames(context, names, places, x, box) {
  const rows = names.map((name, index) => ({ name, index, y: places[index] }))
    .filter((row) => Number.isFinite(row.y)).sort((a, b) => a.y - b.y);
  let above = box.top - 8;
  for (const row of rows) { row.y = Math.max(row.y, above + 15); above = row.y; }
  let below = box.top + box.height + 8;
  for (const row of rows.slice().reverse()) { row.y = Math.min(row.y, below - 15); below = row.y; }
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.font = 'bold 14px system-ui, sans-serif';
  for (const row of rows) {
    context.fillStyle = palette().axes[row.index % 4];
    context.fillText(row.name, x, row.y);
  }
  context.font = FONT;
}

