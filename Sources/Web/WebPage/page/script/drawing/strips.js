// Strips: the last 20 seconds of each stream

const strips = {
  /** The canvases, with the key of each canvas's stream. */
  shown: new Map(),
  seen: new Set(),
  drawnAt: -Infinity,
  watcher: null,

  /** Creates a canvas for a stream. The canvas is drawn only while it is visible. */
  canvas(key, name) {
    const canvas = make('canvas', { class: 'strip', role: 'img', 'aria-label': name });
    this.shown.set(canvas, key);
    if (!this.watcher) {
      this.watcher = new IntersectionObserver((entries) => {
        for (const entry of entries) {
          if (entry.isIntersecting) this.seen.add(entry.target); else this.seen.delete(entry.target);
        }
        this.draw();
      });
    }
    this.watcher.observe(canvas);
    return canvas;
  },

  clear() {
    if (this.watcher) this.watcher.disconnect();
    this.shown.clear();
    this.seen.clear();
  },

  draw: onNextFrame(() => {
    const pause = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 0;
    if (steadyNow() - strips.drawnAt < pause) return;
    strips.drawnAt = steadyNow();
    for (const canvas of strips.seen) drawStrip(canvas, state.streams.get(strips.shown.get(canvas)));
  }),
};

function drawStrip(canvas, stream) {
  const drawing = contextOf(canvas);
  if (!drawing) return;
  const { context, width, height } = drawing;
  const box = { left: 46, top: 4, width: width - 46 - 20, height: height - 8 };
  const columns = stream ? stream.columns : [];
  const begin = state.newest - STRIP_SECONDS;
  const first = columns.findIndex((column) => column[0] >= begin);
  if (first < 0) {
    context.fillStyle = palette().dim;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText('no samples in the last 20 s', width / 2, height / 2);
    return;
  }
  const shown = columns.slice(first);
  const axes = stream.axes.length;
  let low = Infinity;
  let high = -Infinity;
  for (const column of shown) {
    for (let k = 0; k < axes; k += 1) {
      if (column[1 + 2 * k] < low) low = column[1 + 2 * k];
      if (column[2 + 2 * k] > high) high = column[2 + 2 * k];
    }
  }
  const range = roomy(low, high);
  drawValueAxis(context, box, range, stream.unit);
  const y = (value) => box.top + box.height * (range[1] - value) / (range[1] - range[0]);
  const ends = [];
  for (let k = 0; k < axes; k += 1) {
    drawEnvelope(context, shown.length, {
      x: (i) => box.left + box.width * (shown[i][0] - begin) / STRIP_SECONDS,
      low: (i) => y(shown[i][1 + 2 * k]), high: (i) => y(shown[i][2 + 2 * k]),
      // A pause of more than two columns counts as a gap, which interrupts the line.
      ends: (i) => shown[i][0] - shown[i - 1][0] > 0.25,
      colour: palette().axes[k % 4], dash: DASHES[k % 4],
    });
    const last = shown[shown.length - 1];
    ends.push(y((last[1 + 2 * k] + last[2 + 2 * k]) / 2));
  }
  drawAxisNames(context, axes > 1 ? stream.axes : [''], ends, box.left + box.width + 5, box);
}

