// A walk's chart, which shows any signal at any zoom level

/**
 * Creates a chart of a session of `total` seconds. `marks()` returns `{seconds, text, sign, kind}` objects.
 * The chart requests the envelope of the visible part. Until the response arrives, it stretches the previous envelope.
 */
function waveChart({ session, total, marks }) {
  const canvas = make('canvas', {
    class: 'wave', tabindex: '0', role: 'application',
    'aria-label': 'Chart. Arrows move, plus and minus zoom, Home and End go to the start and the end, 0 shows all.',
  });
  const range = make('p', { class: 'small quiet', 'aria-live': 'polite' });
  const gaps = make('p', { class: 'small quiet' });
  const failure = make('p', { class: 'failure', role: 'alert' });
  const tools = make('div', { class: 'row' },
    toolButton('−', 'Zoom out', () => zoom(0.5)), toolButton('+', 'Zoom in', () => zoom(2)),
    toolButton('‹', 'Earlier', () => shift(-0.5)), toolButton('›', 'Later', () => shift(0.5)),
    toolButton('All', 'Show the whole walk', () => see(0, total)));
  const element = make('div', {}, canvas, make('div', { class: 'row apart' }, range, tools), gaps, failure);
  const whole = Math.max(total, 0.1);
  const view = { from: 0, to: whole };
  let stream = null;
  /** The envelope of the whole walk, and that of the most recently requested part. */
  let overview = null;
  let part = null;
  let timer = 0;
  let abort = null;
  const draw = onNextFrame(() => drawWave(canvas, view, [overview, part], marks(), whole));

  function toolButton(text, name, press) {
    return make('button', { type: 'button', class: 'tight', text, 'aria-label': name, click: press });
  }

  function see(from, to) {
    // At least 50 ms stay visible. At 100 Hz, they contain five samples.
    const span = Math.min(whole, Math.max(0.05, to - from));
    view.from = Math.max(0, Math.min(from, whole - span));
    view.to = view.from + span;
    const decimals = span < 20 ? 2 : 0;
    setText(range, `${clockText(view.from, decimals)} to ${clockText(view.to, decimals)}`);
    if (overview) setText(gaps, gapsText(overview.gaps.filter((gap) => gap.from < view.to && gap.to > view.from)));
    draw();
    clearTimeout(timer);
    timer = setTimeout(load, 120);
  }

  function zoom(factor, at = (view.from + view.to) / 2) {
    see(at - (at - view.from) / factor, at + (view.to - at) / factor);
  }

  function shift(share) {
    const by = share * (view.to - view.from);
    see(view.from + by, view.to + by);
  }

  async function load() {
    if (!stream) return;
    if (abort) abort.abort();
    abort = new AbortController();
    const asked = abort;
    const columns = Math.max(50, Math.min(2000, Math.round(canvas.clientWidth * Math.min(2, window.devicePixelRatio || 1))));
    const query = new URLSearchParams({ board: stream.board, signal: stream.signal, from: view.from, to: view.to, columns });
    try {
      const picture = await callWhenReady(
        sessionPath(session, '/envelope?' + query), { signal: asked.signal, seconds: 20, tell: (sentence) => setText(failure, sentence) });
      if (asked.signal.aborted) return;
      // A gap may have no sample before or after it.
      for (const gap of picture.gaps) { gap.from ??= picture.from; gap.to ??= picture.to; }
      part = picture;
      setText(gaps, gapsText(picture.gaps));
      if (!overview || picture.to - picture.from >= whole * 0.99) overview = picture;
      setText(failure, '');
      draw();
    } catch (error) {
      if (error instanceof CallError && !asked.signal.aborted) setText(failure, error.sentence);
    }
  }

  const secondsAt = (x) => view.from + (view.to - view.from) * (x - WAVE.left) / Math.max(1, canvas.clientWidth - WAVE.left - WAVE.right);
  followGestures(canvas, {
    move(dx, dy, factor, x) {
      const by = -dx * (view.to - view.from) / Math.max(1, canvas.clientWidth - WAVE.left - WAVE.right);
      view.from += by;
      view.to += by;
      zoom(factor, secondsAt(x));
    },
  });
  canvas.addEventListener('keydown', (event) => {
    const keys = {
      ArrowLeft: () => shift(event.shiftKey ? -1 : -0.1), ArrowRight: () => shift(event.shiftKey ? 1 : 0.1),
      ArrowUp: () => zoom(1.5), ArrowDown: () => zoom(1 / 1.5),
      '+': () => zoom(1.5), '=': () => zoom(1.5), '-': () => zoom(1 / 1.5),
      Home: () => see(0, view.to - view.from), End: () => see(whole - (view.to - view.from), whole), 0: () => see(0, whole),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const sizes = new ResizeObserver(() => { draw(); if (stream && !part) load(); });
  sizes.observe(canvas);
  see(0, whole);

  return {
    element, draw,
    get middle() { return (view.from + view.to) / 2; },
    show(chosen) { stream = chosen; overview = null; part = null; draw(); load(); },
    leave() { clearTimeout(timer); if (abort) abort.abort(); sizes.disconnect(); },
  };
}

/** Margins in pixels for the values on the left, the names on the right, and the marks and times. */
const WAVE = { left: 50, right: 20, top: 24, bottom: 24 };

/** Draws the overview where the requested part has no data, then that part, and then gaps and marks. */
function drawWave(canvas, view, [overview, part], marks, whole) {
  const drawing = contextOf(canvas);
  if (!drawing) return;
  const { context, width, height } = drawing;
  const box = { left: WAVE.left, top: WAVE.top, width: width - WAVE.left - WAVE.right, height: height - WAVE.top - WAVE.bottom };
  const x = (seconds) => box.left + box.width * (seconds - view.from) / (view.to - view.from);
  const covers = part && part.from <= view.from + 1e-6 && part.to >= Math.min(view.to, whole) - 1e-6;
  const pictures = covers ? [part] : [overview, part].filter((picture, index, all) => picture && all.indexOf(picture) === index);
  drawTimeAxis(context, box, view);
  if (!pictures.length) {
    context.fillStyle = palette().dim;
    context.textAlign = 'center';
    context.fillText('loading …', width / 2, height / 2);
    return;
  }
  // Each axis has its own lane, because overlapping bands could not be distinguished.
  const axes = pictures[0].axes;
  const laneHeight = box.height / axes.length;
  for (let k = 0; k < axes.length; k += 1) {
    const lane = { left: box.left, top: box.top + k * laneHeight + 2, width: box.width, height: laneHeight - 4 };
    drawLane(context, lane, pictures, k, view, x);
    const ends = axes.map((name, index) => (axes.length > 1 && index === k ? lane.top + lane.height / 2 : NaN));
    drawAxisNames(context, axes, ends, box.left + box.width + 5, lane);
  }
  // The overview contains all gaps, even while the visible part is being loaded.
  drawGaps(context, box, pictures[0].gaps || [], x);
  drawMarks(context, box, marks, x);
}

function drawLane(context, lane, pictures, axis, view, x) {
  const range = laneRange(pictures, axis, view);
  drawValueAxis(context, lane, range, axis === 0 ? pictures[0].unit : '');
  const y = (value) => lane.top + lane.height * (range[1] - value) / (range[1] - range[0]);
  context.save();
  context.beginPath();
  context.rect(lane.left, lane.top - 2, lane.width, lane.height + 4);
  context.clip();
  pictures.forEach((picture, index) => {
    context.save();
    const finer = pictures[index + 1];
    if (finer) {
      // The coarse envelope is drawn only where the fine one has no data.
      context.beginPath();
      context.rect(lane.left, lane.top - 2, x(finer.from) - lane.left, lane.height + 4);
      context.rect(x(finer.to), lane.top - 2, lane.left + lane.width - x(finer.to), lane.height + 4);
      context.clip();
    }
    const columns = picture.columns;
    const step = (picture.to - picture.from) / columns.length;
    const filled = filledColumns(columns, axis);
    const ends = breaks(picture, filled, step);
    drawEnvelope(context, filled.length, {
      x: (i) => x(picture.from + (filled[i] + 0.5) * step),
      low: (i) => y(columns[filled[i]][2 * axis]),
      high: (i) => y(columns[filled[i]][2 * axis + 1]),
      ends: (i) => ends.has(i),
      colour: palette().axes[axis % 4], dash: null,
    });
    context.restore();
  });
  context.restore();
}

/** Returns the indices of the columns that contain a sample. */
function filledColumns(columns, axis) {
  return columns.flatMap((column, place) => (Number.isFinite(column?.[2 * axis]) ? [place] : []));
}

/**
 * Returns the filled columns where the line resumes after an interruption. An interruption is a gap, or an unusually
 * large distance between samples. At high magnification, most columns are empty because they lie between two samples.
 */
function breaks(picture, filled, step) {
  const distances = filled.slice(1).map((column, i) => column - filled[i]).sort((a, b) => a - b);
  // Use the median: most columns are one sample apart, and two close columns must not make the others look far apart.
  const usual = distances[(distances.length - 1) >> 1];
  const found = new Set();
  for (let i = 1; i < filled.length; i += 1) {
    const [last, next] = [filled[i - 1], filled[i]];
    const isFar = next - last > 1.6 * usual + 1;
    const [from, to] = [picture.from + (last + 1) * step, picture.from + next * step];
    const isGap = next - last > 1 && picture.gaps.some((gap) => gap.from < to && gap.to > from);
    if (isFar || isGap) found.add(i);
  }
  return found;
}

/** Returns the range of values in the visible columns. */
function laneRange(pictures, axis, view) {
  let low = Infinity;
  let high = -Infinity;
  for (const picture of pictures) {
    const step = (picture.to - picture.from) / picture.columns.length;
    picture.columns.forEach((column, i) => {
      const end = picture.from + (i + 1) * step;
      if (!column || end < view.from || end - step > view.to) return;
      low = Math.min(low, column[2 * axis] ?? low);
      high = Math.max(high, column[2 * axis + 1] ?? high);
    });
  }
  return roomy(low, high);
}

function drawTimeAxis(context, box, view) {
  const { grid, dim } = palette();
  const span = view.to - view.from;
  const step = niceTimeStep(span, box.width / 90);
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  for (let time = Math.ceil(view.from / step - 1e-9) * step; time <= view.to + 1e-9; time += step) {
    const x = box.left + box.width * (time - view.from) / span;
    context.strokeStyle = grid;
    context.beginPath();
    context.moveTo(x, box.top);
    context.lineTo(x, box.top + box.height);
    context.stroke();
    context.fillStyle = dim;
    context.textAlign = x < box.left + 20 ? 'left' : x > box.left + box.width - 20 ? 'right' : 'center';
    context.fillText(clockText(time, step < 1 ? decimalsFor(step) : 0), x, box.top + box.height + 13);
  }
}

