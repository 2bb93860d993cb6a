// Elements of the user interface

/** Creates an element with attributes and children. `text` sets its text, and functions become listeners. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'text') element.textContent = value;
    else if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(space, 'use');
  use.setAttribute('href', '#' + name);
  svg.append(use);
  return svg;
}

/**
 * Sets an element's text only if it has changed. Otherwise, a screen reader would read the same text aloud
 * again.
 */
function setText(element, text) { if (element.textContent !== text) element.textContent = text; }

function setLevel(element, level) {
  if (element.dataset.level === level) return;
  element.classList.remove('level-' + element.dataset.level);
  element.classList.add('level-' + level);
  element.dataset.level = level;
}

function button(text, press, kind = '') { return make('button', { type: 'button', class: kind, text, click: press }); }

/**
 * Creates a button that takes effect only if it is pressed again within eight seconds. A double tap is treated as one
 * press.
 */
function twoStepButton(text, question, press, kind = 'danger') {
  let timer = 0;
  let armedAt = 0;
  const element = button(text, () => {
    if (timer && performance.now() - armedAt < 700) return;
    if (timer) { disarm(); press(element); return; }
    armedAt = performance.now();
    element.textContent = question;
    element.classList.add('armed');
    say(question);
    timer = setTimeout(disarm, 8000);
  }, kind);
  function disarm() {
    clearTimeout(timer);
    timer = 0;
    element.textContent = text;
    element.classList.remove('armed');
  }
  return element;
}

/** Makes a screen reader announce this text. */
function say(text) { document.getElementById('said').textContent = text; }

function field(name, input) { return make('label', { text: name }, input); }

/** Returns the text that was typed, as a single line, which is how the gateway stores it. */
function oneLine(input) { return input.value.replace(/\s+/g, ' ').trim(); }

/** Creates a large number with its name above and a remark below. */
function figureTile(name, kind = '') {
  const value = make('p', { class: 'value', text: '–' });
  const beside = make('p', { class: 'beside' });
  const element = make('div', { class: 'figure live ' + kind }, make('p', { class: 'name', text: name }), value, beside);
  let shown = '';
  return {
    element,
    show(number, unit = '', remark = '') {
      const key = `${number}\n${unit}`;
      if (key !== shown) {
        shown = key;
        value.replaceChildren(String(number), unit ? make('small', { text: ' ' + unit }) : '');
      }
      setText(beside, remark);
    },
  };
}

/** Creates a list item for a problem or a finding, with a sign, the subject, the text and the remedy. */
function finding(level, subject, text, remedy) {
  const names = { ok: 'Good: ', warning: 'Warning: ', fault: 'Fault: ' };
  return make('li', { class: `finding level-${level}` }, icon('sign-' + level),
    make('div', {}, make('p', { class: 'title', text: (names[level] || '') + subject }),
      make('p', { text: text.startsWith(subject) ? `${text}.` : sentenceOf(text) }),
      remedy ? make('p', { class: 'remedy', text: remedyText(remedy) }) : null));
}

function factList(pairs) {
  const list = make('dl', { class: 'facts' });
  for (const [name, value] of pairs) {
    if (value) list.append(make('dt', { text: name }), make('dd', { text: value }));
  }
  return list;
}

