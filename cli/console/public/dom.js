const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element. Children become text nodes, as what is shown can contain anything. Properties that start with `on` are
 * listeners. Undefined, null and false omit an attribute or a child.
 */
export function h(tag, properties, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** Makes an element of SVG, as `h` makes one of HTML. */
export function svg(tag, properties, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  const present = children.flat(Number.POSITIVE_INFINITY).filter(isShown);
  element.append(...present.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

function isShown(child) {
  return child !== undefined && child !== null && child !== false && child !== '';
}

/** A link to a screen of this page. */
export function link(screen, key, text = key) {
  return h('a', { href: hrefOf(screen, key) }, text);
}

export function hrefOf(screen, key, query = {}) {
  const search = new URLSearchParams(query).toString();
  return `#/${screen}${key === undefined ? '' : `/${encodeURIComponent(key)}`}${search && `?${search}`}`;
}

/** `tone`: ok, warn, bad, info or mute. */
export function pill(text, tone = 'mute') {
  return h('span', { class: `pill ${tone}` }, text);
}

export function mono(text) {
  return h('code', null, text);
}

/** A value as indented JSON, in a scroll area that the keyboard can reach. */
export function block(label, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return h('pre', { tabindex: 0, role: 'region', 'aria-label': label }, text);
}

export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** Names and values. An entry without a value is left out. */
export function facts(entries) {
  return h(
    'dl',
    { class: 'facts' },
    entries
      .filter(([, value]) => isShown(value))
      .map(([name, value]) => [h('dt', null, name), h('dd', null, value)]),
  );
}

export function table(label, headings, rows) {
  return h(
    'table',
    { 'aria-label': label },
    tableHead(headings),
    h(
      'tbody',
      null,
      rows.map((cells) => tableRow(headings, cells)),
    ),
  );
}

export function tableHead(headings) {
  const cells = headings.map((heading) => h('th', { scope: 'col' }, heading));
  return h('thead', null, h('tr', null, cells));
}

/** Each cell has its heading, which narrow screens show beside its one child. */
export function tableRow(headings, cells) {
  return h(
    'tr',
    null,
    cells.map((cell, index) => h('td', { 'data-label': headings[index] }, h('div', null, cell ?? '–'))),
  );
}

const shownAs = new WeakMap();

/**
 * Shows `items` in `place`: the key of each by `keyOf`, its element by `build`. What did not change is not built again, so
 * that it keeps focus and selection.
 */
export function showItems(place, items, { keyOf, build }) {
  const wanted = new Map(items.map((item) => [String(keyOf(item)), item]));
  for (const child of [...place.children]) if (!wanted.has(child.dataset.key)) removeItem(child);
  const known = new Map([...place.children].map((child) => [child.dataset.key, child]));
  let next = place.firstElementChild;
  for (const [key, item] of wanted) {
    const json = JSON.stringify(item);
    const old = known.get(key);
    const element = old !== undefined && shownAs.get(old) === json ? old : build(item);
    element.dataset.key = key;
    shownAs.set(element, json);
    if (old !== undefined && element !== old) {
      if (next === old) next = element;
      replaceItem(old, element);
    }
    if (element === next) next = element.nextElementSibling;
    else place.insertBefore(element, next);
  }
}

/** The focus goes to the screen when what had it is gone. */
function removeItem(element) {
  const hadFocus = element.contains(document.activeElement);
  element.remove();
  if (hadFocus) document.querySelector('main').focus();
}

function replaceItem(old, element) {
  const controls = (place) => [place, ...place.querySelectorAll('a, button, summary, pre, input, select')];
  const focused = controls(old).indexOf(document.activeElement);
  old.replaceWith(element);
  controls(element)[focused]?.focus();
}
