// The body of a function that returns the visible texts whose contrast is lower than WCAG 2.1 requires for level AA.
const parts = (colour) => { const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number); return [r, g, b, a]; };
const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const light = (colour) => colour.slice(0, 3).map((v) => v / 255)
  .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
const ground = (element) => {
  const layers = [];
  for (let one = element; one; one = one.parentElement) layers.push(parts(getComputedStyle(one).backgroundColor));
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
};
const found = [];
for (const element of document.querySelectorAll('body *')) {
  const own = [...element.childNodes].filter((node) => node.nodeType === 3);
  const text = own.map((node) => node.data.trim()).join(' ').trim()
    || (/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) && element.value);
  // The background of a hazard's number is a drawing, not a colour.
  if (!text || !element.checkVisibility() || element.closest('.unseen, .map-mark')) continue;
  const style = getComputedStyle(element);
  const size = parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  const value = ratio(parts(style.color), ground(element));
  if (value < (isLarge ? 3 : 4.5)) found.push(`${value.toFixed(2)}: ${text.slice(0, 30)}`);
}
// Text on a canvas has the colours of the style sheet.
const root = getComputedStyle(document.documentElement);
const probe = document.createElement('i');
document.body.append(probe);
const colour = (name) => {
  probe.style.color = root.getPropertyValue(name);
  return parts(getComputedStyle(probe).color);
};
for (const name of ['--ink', '--dim', '--axis-1', '--axis-2', '--axis-3', '--warning', '--accent']) {
  const value = ratio(colour(name), colour('--card'));
  if (value < 4.5) found.push(`${value.toFixed(2)}: ${name} on a canvas`);
}
probe.remove();
return found;
