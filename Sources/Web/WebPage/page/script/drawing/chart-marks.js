// Gaps, hazards and notes on a walk's chart

/** Returns text that lists the gaps, for screen readers and for gaps too narrow for a label. */
function gapsText(gaps) {
  const sums = {};
  for (const { reason, lost } of gaps) sums[reason] = (sums[reason] || 0) + lost;
  const parts = Object.entries(sums).map(([reason, lost]) => `${reasonText(reason)}, ${lost ? figure(lost) : 'some'} lost`);
  return parts.length ? `Hatched: ${parts.join('; ')}.` : '';
}

/** Draws each gap as a hatched area, and adds the reason if there is enough space. */
function drawGaps(context, box, gaps, x) {
  const { hatch, ink, card } = palette();
  context.save();
  context.beginPath();
  context.rect(box.left, box.top, box.width, box.height);
  context.clip();
  let drawnTo = -Infinity;
  for (const gap of gaps) {
    const left = x(gap.from);
    const width = Math.max(2, x(gap.to) - left);
    // Several gaps within the same pixel are drawn as one gap.
    if (left + width < box.left || left > box.left + box.width || left + width <= drawnTo + 0.5) continue;
    drawnTo = left + width;
    const begin = Math.max(left, box.left - 10);
    const end = Math.min(left + width, box.left + box.width + 10);
    hatchBox(context, begin, box.top, end - begin, box.height, hatch);
    const text = `${reasonText(gap.reason)}: ${gap.lost ? figure(gap.lost) : 'some'} lost`;
    const needed = context.measureText(text).width + 10;
    const from = Math.max(left, box.left);
    const room = Math.min(left + width, box.left + box.width) - from;
    if (room < needed) continue;
    context.fillStyle = card;
    context.fillRect(from + (room - needed) / 2, box.top + box.height / 2 - 11, needed, 22);
    context.fillStyle = ink;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(text, from + room / 2, box.top + box.height / 2);
  }
  context.restore();
}

function hatchBox(context, left, top, width, height, colour) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.fillStyle = colour;
  context.globalAlpha = 0.18;
  context.fillRect(left, top, width, height);
  context.globalAlpha = 0.9;
  context.strokeStyle = colour;
  context.lineWidth = width < 6 ? 2 : 1;
  context.beginPath();
  for (let offset = -height; offset < width; offset += 8) {
    context.moveTo(left + offset, top + height);
    context.lineTo(left + offset + height, top);
  }
  context.stroke();
  context.restore();
}

/** Draws hazards as triangles, and notes and tasks as squares, each with its text if there is enough space. */
function drawMarks(context, box, marks, x) {
  const { warning, accent, ink, card } = palette();
  let textTo = -Infinity;
  const seen = marks.filter((mark) => x(mark.seconds) >= box.left && x(mark.seconds) <= box.left + box.width)
    .sort((a, b) => a.seconds - b.seconds);
  seen.forEach((mark, index) => {
    const at = x(mark.seconds);
    context.strokeStyle = mark.kind === 'hazard' ? warning : accent;
    context.fillStyle = context.strokeStyle;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(at, box.top - 4);
    context.lineTo(at, box.top + box.height);
    context.stroke();
    context.beginPath();
    if (mark.kind === 'hazard') { context.moveTo(at, 4); context.lineTo(at + 9, 20); context.lineTo(at - 9, 20); } else context.rect(at - 7, 5, 14, 15);
    context.fill();
    context.fillStyle = card;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.font = 'bold 11px system-ui, sans-serif';
    context.fillText(mark.sign, at, 14);
    context.font = FONT;
    const next = seen[index + 1] ? x(seen[index + 1].seconds) - 10 : box.left + box.width + WAVE.right;
    const needed = context.measureText(mark.text).width;
    if (at + 12 < textTo || at + 12 + needed > next) return;
    context.fillStyle = ink;
    context.textAlign = 'left';
    context.fillText(mark.text, at + 12, 13);
    textTo = at + 12 + needed;
  });
}

