import { say } from './actions.js';
import { CallError, get } from './api.js';
import { h, hrefOf, showItems } from './dom.js';
import { healthLine } from './health.js';
import { batches } from './screens/batches.js';
import { deadLetters } from './screens/dead-letters.js';
import { drift } from './screens/drift.js';
import { events } from './screens/events.js';
import { find } from './screens/find.js';
import { flow } from './screens/flow.js';
import { imports } from './screens/imports.js';
import { needsYou } from './screens/needs-you.js';
import { orders } from './screens/orders.js';
import { rejections } from './screens/rejections.js';
import { sandbox } from './screens/sandbox.js';
import { stores } from './screens/stores.js';
import { tickAges, timeText, zoneButton } from './times.js';

/**
 * The screens in the order of the navigation: `title`; `count(state)` of what is wrong, for the navigation; `isShown(state)`; and
 * `mount(place, route, state)`, which fills `place` once and returns a function that shows a new state.
 */
const SCREENS = {
  'needs-you': needsYou,
  flow,
  find,
  orders,
  batches,
  rejections,
  imports,
  drift,
  stores,
  'dead-letters': deadLetters,
  events,
  sandbox,
};
const FIRST_RETRY_MS = 2_000;

const nav = document.getElementById('screens');
const main = document.getElementById('content');
const live = document.getElementById('live');
const target = document.getElementById('target');
const health = document.getElementById('health');
const search = document.getElementById('find');
const trouble = document.getElementById('trouble');

let state;
let shownHash;
let update = () => {};
let timer;
let refreshes = 0;
let goodAt;
let shownTrouble;

/** Parses `#/screen/key?query`. Any other hash shows the first screen. */
function route() {
  const [path, query = ''] = location.hash.replace(/^#\//, '').split('?');
  const [screen, ...rest] = path.split('/').map(decoded);
  const key = rest.length === 0 ? undefined : rest.join('/');
  const isKnown = Object.hasOwn(SCREENS, screen) && (SCREENS[screen].isShown?.(state) ?? true);
  return isKnown
    ? { screen, key, query: new URLSearchParams(query) }
    : { screen: 'needs-you', query: new URLSearchParams() };
}

/** A person may type any text after the `#`. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function refresh() {
  clearTimeout(timer);
  refreshes += 1;
  const own = refreshes;
  const isLatest = () => own === refreshes;
  try {
    const read = await get('/state');
    if (!isLatest()) return;
    state = read;
    showFrame();
    if (shownHash !== location.hash || shownHash === undefined) mount();
    await update(state);
    if (isLatest()) showTrouble(state.error, state.error === undefined);
  } catch (error) {
    // A call can fail alone, such as that of a batch that does not exist, or with all others.
    const isOfStack = error instanceof CallError && state?.error !== undefined;
    const isLive = error instanceof CallError && !isOfStack;
    if (isLatest()) showTrouble(isOfStack ? state.error : error, isLive);
  } finally {
    if (isLatest()) {
      main.removeAttribute('aria-busy');
      if (!document.hidden) timer = setTimeout(refresh, state?.refreshMs ?? FIRST_RETRY_MS);
    }
  }
}

/** Says whether the present state is shown, and what failed, if anything did. */
function showTrouble(error, isLive) {
  if (isLive) goodAt = new Date();
  setLive(isLive ? 'Live' : 'Not live', isLive ? 'ok' : 'bad');
  trouble.hidden = error === undefined;
  // The message of the same error can name another request each time.
  const kind = error && `${isLive} ${error.code ?? error.message}`;
  if (kind === shownTrouble) return;
  shownTrouble = kind;
  const since = !isLive && goodAt && `What is shown was read at ${timeText(goodAt.getTime())}.`;
  trouble.textContent = [error?.message, error?.hint, since].filter(Boolean).map(asSentence).join(' ');
}

function asSentence(text) {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

function setLive(text, tone) {
  if (live.textContent !== text) live.textContent = text;
  live.className = tone;
}

function showFrame() {
  target.textContent = state.canWrite ? state.target : `${state.target} · read-only (--write allows changes)`;
  const known = state.marketplace === undefined ? [] : [state.marketplace];
  showItems(health, known, { keyOf: () => 'marketplace', build: healthLine });
  const shown = Object.entries(SCREENS).filter(([, { isShown }]) => isShown?.(state) ?? true);
  const items = shown.map(([screen, { title, count }]) => ({
    screen,
    title,
    number: count?.(state) ?? 0,
    isCurrent: screen === route().screen,
  }));
  showItems(nav, items, { keyOf: ({ screen }) => screen, build: screenLink });
}

/** On a narrow screen the navigation is one line that can be pushed. */
function showCurrentLink() {
  const current = nav.querySelector('[aria-current]');
  if (current !== null) nav.scrollLeft = current.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
}

function screenLink({ screen, title, number, isCurrent }) {
  const current = isCurrent && 'page';
  return h('a', { href: `#/${screen}`, 'aria-current': current }, title, number > 0 && h('b', null, number));
}

function mount() {
  shownHash = location.hash;
  main.dataset.shown = shownHash;
  const { screen, key, query } = route();
  const { title, mount: fill } = SCREENS[screen];
  document.title = `${title} · Marketplace Connector`;
  const place = h('div', { class: 'stack' });
  main.setAttribute('aria-busy', 'true');
  main.replaceChildren(h('h1', null, title), place);
  update = fill(place, { screen, key, query }, state);
  showCurrentLink();
  if (screen === 'find') search.elements.word.value = key ?? '';
}

search.addEventListener('submit', (event) => {
  event.preventDefault();
  location.hash = hrefOf('find', search.elements.word.value.trim());
});
/** The key that leads to a search on many pages. */
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, textarea, select')) return;
  event.preventDefault();
  search.elements.word.focus();
});

addEventListener('hashchange', () => {
  if (!location.hash.startsWith('#/') || state === undefined) return;
  showFrame();
  mount();
  main.focus();
  say('');
  void refresh();
});
addEventListener('visibilitychange', () => {
  if (!document.hidden) void refresh();
});
document.addEventListener('changed', () => void refresh());
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
document.getElementById('zone').append(zoneButton());
setInterval(tickAges, 1000);
void refresh();
