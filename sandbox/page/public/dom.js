/**
 * Makes an element. Children become text nodes, as values of requests can contain anything. Properties that start with
 * `on` are listeners. Undefined, null and false omit an attribute.
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  const present = children
    .flat(Number.POSITIVE_INFINITY)
    .filter((child) => child !== undefined && child !== null && child !== false);
  element.append(...present.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

export function link(view, key, text = key) {
  return h('a', { href: `#/${view}/${encodeURIComponent(key)}` }, text);
}

/** `tone`: ok, warn, bad, info or mute. */
export function pill(text, tone) {
  return h('span', { class: `pill ${tone}` }, text);
}

export function time(iso) {
  const date = new Date(iso);
  const clock = date.toLocaleTimeString('en-GB', { hour12: false });
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return h('time', { datetime: iso, title: iso }, `${clock}.${ms}`);
}

export function mono(text) {
  return h('code', null, text);
}

/** A text in a scroll area that the keyboard can reach. JSON is indented. */
export function block(label, text) {
  return h('pre', { tabindex: 0, 'aria-label': label }, indented(text));
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function facts(entries) {
  return h(
    'dl',
    { class: 'facts' },
    entries.filter(Boolean).map(([name, value]) => [h('dt', null, name), h('dd', null, value ?? '–')]),
  );
}

/** A short table. Long ones are lists (list.js). */
export function table(label, headings, rows) {
  const cells = (row) => row.map((cell, index) => tableCell(headings[index], cell ?? '–'));
  return h(
    'table',
    { 'aria-label': label, class: headings.length > 3 && 'broad' },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        headings.map((heading) => h('th', { scope: 'col' }, heading)),
      ),
    ),
    h(
      'tbody',
      null,
      rows.map((row) => h('tr', null, cells(row))),
    ),
  );
}

/** A cell with its heading, for narrow screens, where some cells take the whole width. */
export function tableCell(heading, content) {
  return h(
    'td',
    { 'data-label': heading, class: WIDE.has(heading) ? 'wide' : heading === 'Answer' && 'double' },
    content,
  );
}

const WIDE = new Set(['Request', 'Message', 'Rule', 'Path', 'Name', 'Row sent']);

const shownAs = new WeakMap();

/** Shows the rows `{key, json, build}`. Unchanged rows are not rebuilt, so that they keep focus and selection. */
export function showRows(body, rows) {
  const wanted = new Set(rows.map(({ key }) => key));
  for (const child of [...body.children]) if (!wanted.has(child.dataset.key)) child.remove();
  const known = new Map([...body.children].map((child) => [child.dataset.key, child]));
  let next = body.firstElementChild;
  for (const row of rows) {
    const old = known.get(row.key);
    const element = old !== undefined && shownAs.get(old) === row.json ? old : build(row);
    if (old !== undefined && element !== old) {
      const hadFocus = old.contains(document.activeElement);
      if (next === old) next = element;
      old.replaceWith(element);
      if (hadFocus) element.querySelector('a')?.focus();
    }
    if (element === next) next = element.nextElementSibling;
    else body.insertBefore(element, next);
  }
}

function build({ key, json, build: make }) {
  const element = make();
  element.dataset.key = key;
  shownAs.set(element, json);
  return element;
}
