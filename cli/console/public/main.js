import { say } from './actions.js';
import { get, NoAnswer } from './api.js';
import { h, tickAges } from './dom.js';
import { batches } from './screens/batches.js';
import { deadLetters } from './screens/dead-letters.js';
import { events } from './screens/events.js';
import { flow } from './screens/flow.js';
import { imports } from './screens/imports.js';
import { needsYou } from './screens/needs-you.js';
import { orders } from './screens/orders.js';
import { sandbox } from './screens/sandbox.js';
import { stores } from './screens/stores.js';
import { trace } from './screens/trace.js';

/**
 * The screens in the order of the navigation: `title`; `count(state)` for the navigation; `isShown(state)`; and `mount(place,
 * route, state)`, which fills `place` once and returns a function that shows a new state.
 */
const SCREENS = {
  'needs-you': needsYou,
  flow,
  trace,
  stores,
  batches,
  imports,
  orders,
  'dead-letters': deadLetters,
  events,
  sandbox,
};
const FIRST_RETRY_MS = 2_000;

const nav = document.getElementById('screens');
const main = document.getElementById('content');
const live = document.getElementById('live');
const target = document.getElementById('target');

let state;
let shownHash;
let update = () => {};
let timer;

/** Parses `#/screen/key?query`. Any other hash shows the first screen. */
function route() {
  const [path, query = ''] = location.hash.replace(/^#\//, '').split('?');
  const [screen, ...rest] = path.split('/').map(decodeURIComponent);
  const key = rest.length === 0 ? undefined : rest.join('/');
  const isKnown = screen in SCREENS && (SCREENS[screen].isShown?.(state) ?? true);
  return isKnown
    ? { screen, key, query: new URLSearchParams(query) }
    : { screen: 'needs-you', query: new URLSearchParams() };
}

async function refresh() {
  clearTimeout(timer);
  const asked = location.hash;
  try {
    state = await get('/state');
    showFrame();
    if (shownHash !== location.hash || shownHash === undefined) mount();
    showLive();
    await update(state);
  } catch (error) {
    if (!(error instanceof NoAnswer)) say([error.message, error.hint].filter(Boolean).join(' '), 'bad');
    else setLive(error.message, 'bad');
  } finally {
    if (asked === location.hash) main.removeAttribute('aria-busy');
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(refresh, state?.refreshMs ?? FIRST_RETRY_MS);
  }
}

function showLive() {
  const { error } = state;
  if (error === undefined) setLive('Live', 'ok');
  else setLive([error.message, error.hint].filter(Boolean).join('. '), 'bad');
}

function setLive(text, tone) {
  if (live.textContent !== text) live.textContent = text;
  live.className = tone;
}

function showFrame() {
  const mode = state.canWrite ? '' : ' · read-only';
  target.textContent = `${state.target}${mode}`;
  const shown = Object.entries(SCREENS).filter(([, { isShown }]) => isShown?.(state) ?? true);
  const focused = [...nav.children].indexOf(document.activeElement);
  nav.replaceChildren(
    ...shown.map(([screen, { title, count }]) => {
      const number = count?.(state) ?? 0;
      const current = screen === route().screen && 'page';
      return h(
        'a',
        { href: `#/${screen}`, 'aria-current': current },
        title,
        number > 0 && h('b', null, number),
      );
    }),
  );
  nav.children[focused]?.focus();
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
}

addEventListener('hashchange', () => {
  if (!location.hash.startsWith('#/') || state === undefined) return;
  mount();
  showFrame();
  main.focus();
  say('', '');
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
setInterval(tickAges, 1000);
void refresh();
