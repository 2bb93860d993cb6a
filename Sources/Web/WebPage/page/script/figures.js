// Converts values to text

const numbers = new Map();

function figure(value, decimals = 0) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (!numbers.has(decimals)) {
    numbers.set(decimals, new Intl.NumberFormat('en', {
      minimumFractionDigits: decimals, maximumFractionDigits: decimals,
    }));
  }
  const text = numbers.get(decimals).format(value);
  // A small negative number may be rounded to −0.0, which is shown without its sign.
  return /[1-9]/.test(text) ? text.replace('-', '−') : text.replace('-', '');
}

/** Formats a number and its unit, never separated by a line break. */
function withUnit(number, unit) { return `${number}\u00a0${unit}`; }

/** Formats seconds as `1:02:03`, or as `2:03` if less than an hour. Rounds down unless there are decimals. */
function clockText(seconds, decimals = 0) {
  if (!Number.isFinite(seconds)) return '–';
  const scale = 10 ** decimals;
  const units = decimals ? Math.round(Math.abs(seconds) * scale) : Math.floor(Math.abs(seconds) + 1e-6);
  const whole = Math.floor(units / scale);
  const pad = (number) => String(number).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = decimals ? '.' + String(units % scale).padStart(decimals, '0') : '';
  return (seconds < 0 ? '−' : '') + (hours ? `${hours}:${pad(minutes)}` : minutes) + `:${pad(whole % 60)}${rest}`;
}

/** Parses `1:02:03`, `2:03` or `63`. Returns the seconds, or NaN for any other text. */
function secondsOf(text) {
  const parts = text.trim().split(':');
  if (parts.length > 3 || !parts.every((part) => /^\d+(\.\d+)?$/.test(part))) return NaN;
  return parts.reduce((sum, part) => sum * 60 + Number(part), 0);
}

function spanText(seconds) {
  if (!Number.isFinite(seconds)) return 'an unknown time';
  const s = Math.max(0, seconds);
  if (s < 90) return withUnit(Math.round(s), 's');
  if (s < 5400) return withUnit(Math.round(s / 60), 'min');
  const minutes = Math.round(s / 60);
  if (s < 172800) return withUnit(Math.floor(minutes / 60), 'h') + ' ' + withUnit(minutes % 60, 'min');
  return withUnit(figure(s / 86400), 'days');
}

function agoText(seconds) { return seconds < 1.5 ? 'now' : `${spanText(seconds)} ago`; }

function bytesText(bytes) {
  if (!Number.isFinite(bytes)) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return withUnit(figure(value, unit && value < 100 ? 1 : 0), units[unit]);
}

/** Formats a distance in metres as a number and a suitable unit. */
function distanceParts(metres) {
  if (!Number.isFinite(metres)) return ['–', ''];
  return metres < 1000 ? [figure(metres), 'm'] : [figure(metres / 1000, 2), 'km'];
}

function distanceText(metres) { return distanceParts(metres).join(' ').trim(); }

function paceText(metresPerSecond) {
  // Below 0.2 m/s, a person is considered to be standing still: the pace would be an arbitrarily large number.
  if (!(metresPerSecond >= 0.2)) return '–';
  return clockText(1000 / metresPerSecond);
}

function speedText(metresPerSecond) {
  return Number.isFinite(metresPerSecond) ? withUnit(figure(metresPerSecond * 3.6, 1), 'km/h') : '';
}

function speedParts(metresPerSecond) {
  return Number.isFinite(metresPerSecond) ? [figure(metresPerSecond * 3.6, 1), 'km/h'] : ['–', ''];
}

function placeText(latitude, longitude) {
  const north = `${figure(Math.abs(latitude), 5)}° ${latitude < 0 ? 'S' : 'N'}`;
  return `${north}, ${figure(Math.abs(longitude), 5)}° ${longitude < 0 ? 'W' : 'E'}`;
}

/** Returns whether a position is valid. Some receivers report 0, 0 when they have no position. */
function isPlace(place) {
  return Boolean(place) && Number.isFinite(place.latitude) && Number.isFinite(place.longitude)
    && !(place.latitude === 0 && place.longitude === 0);
}

function dateText(iso) {
  const date = iso ? new Date(iso) : null;
  if (!date || Number.isNaN(date.getTime())) return 'time unknown';
  return date.toLocaleString('en-GB', {
    weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit',
  });
}

function timeOfDay(date) {
  return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** Shortens text to `most` characters, with '…' at the end. */
function shortened(text, most) { return text.length > most ? text.slice(0, most - 1) + '…' : text; }

function capitalised(text) { return text ? text[0].toUpperCase() + text.slice(1) : ''; }

/** Turns text from the gateway into a sentence. Names such as hci0 or footbridge.service stay in lower case. */
function sentenceOf(text) {
  if (!text) return '';
  return (/^[a-z]+[ ,:;]/.test(text) ? capitalised(text) : text) + (/[.!?…]$/.test(text) ? '' : '.');
}

function plural(count, one, many = one + 's') { return withUnit(figure(count), count === 1 ? one : many); }

const lossWords = {
  link: 'radio', disconnected: 'no link', linkLost: 'no link', overflow: 'gateway too busy',
  malformed: 'unreadable', store: 'not stored', restarted: 'board restarted', silent: 'sensor silent',
  paused: 'paused', interrupted: 'gateway restarted', chunks: 'chunks missing',
};

/** Returns the reason for a loss in words. If this page does not know the reason, returns the reason's name. */
function reasonText(reason) {
  return lossWords[reason] || String(reason).replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function signalText(signal) { return capitalised(String(signal).replace(/[_-]/g, ' ')); }

function lossText(lost, received) {
  const parts = Object.entries(lost || {}).filter(([, count]) => count > 0);
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return 'none lost';
  const share = 100 * total / (total + (received || 0));
  const reasons = parts.map(([reason, count]) => `${reasonText(reason)} ${figure(count)}`).join(', ');
  return `${figure(total)} lost (${share < 0.01 ? '<0.01' : figure(share, 2)} %): ${reasons}`;
}

const intensityWords = ['no hazard', 'slight', 'medium', 'severe'];

function intensityText(intensity) { return `${intensity} of 3, ${intensityWords[intensity] || ''}`; }

