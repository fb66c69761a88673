import { get, NoAnswer } from './api.js';
import { DETAILS } from './details.js';
import { h } from './dom.js';
import { listSection } from './list.js';
import { VIEWS } from './views.js';

const POLL_MS = 1000;

const nav = document.getElementById('views');
const main = document.getElementById('content');
const aside = document.getElementById('detail');
const live = document.getElementById('live');

/** The shown state as text and parsed. */
let stateText;
let state;
let shownView;
/** Filters of the view, as in the URL. */
let filters = new URLSearchParams();
let updateView = () => {};
let shownDetail;
let detailText;
let timer;

/** Parses `#/view/key?query`. Any other hash shows the start. */
function route() {
  const [path, query = ''] = location.hash.replace(/^#\//, '').split('?');
  const [view, key] = path.split('/').map(decoded);
  return { view: Object.hasOwn(VIEWS, view) ? view : 'start', key, query: new URLSearchParams(query) };
}

/** A person may type any text after the `#`. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hashOf(view, key, query) {
  const text = query.toString();
  return `#/${view}${key === undefined ? '' : `/${encodeURIComponent(key)}`}${text === '' ? '' : `?${text}`}`;
}

async function refresh() {
  clearTimeout(timer);
  try {
    const text = await get('state');
    if (text !== stateText) {
      stateText = text;
      state = JSON.parse(text);
      showView();
    }
    await showDetail();
    markOpenRow();
    setLive('Live', 'ok');
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    setLive('The sandbox does not answer', 'bad');
  } finally {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(refresh, POLL_MS);
  }
}

function setLive(text, tone) {
  if (live.textContent !== text) live.textContent = text;
  live.className = tone;
}

function showNav(current) {
  const links = Object.entries(VIEWS).map(([view, { title }]) => {
    const count = state.counts[view];
    return h(
      'a',
      { href: `#/${view}`, 'aria-current': view === current && 'page' },
      title,
      count !== undefined && h('b', null, count),
    );
  });
  const focused = [...nav.children].indexOf(document.activeElement);
  nav.replaceChildren(...links);
  links[focused]?.focus();
}

/** Opening a detail keeps the filters of its view. */
function showView() {
  const { view, key, query } = route();
  showNav(view);
  if (shownView !== view || (key === undefined && query.toString() !== filters.toString())) {
    shownView = view;
    filters = query;
    updateView = mount(view);
  }
  updateView(state);
}

/** Shows a view. @returns a function that updates it */
function mount(view) {
  const { title, forms, live: liveOf, list } = VIEWS[view];
  const livePart = h('div');
  let liveText;
  const setQuery = (changed) => {
    filters = changed;
    history.replaceState(null, '', hashOf(view, route().key, filters));
    aside.querySelector('.close')?.setAttribute('href', hashOf(view, undefined, filters));
  };
  const listPart = list && listSection({ view: title, query: filters, setQuery, ...list });
  document.title = `${title} · Sandbox marketplace`;
  const formPart = forms && h('div', { class: 'forms' }, forms(state));
  main.replaceChildren(...[h('h1', null, title), formPart, livePart, listPart?.element].filter(Boolean));
  return (current) => {
    const built = liveOf?.(current);
    if (built !== undefined && built.outerHTML !== liveText) {
      liveText = built.outerHTML;
      livePart.replaceChildren(built);
    }
    listPart?.update(current);
  };
}

async function showDetail() {
  const { view, key } = route();
  if (key === undefined || DETAILS[view] === undefined) {
    closeDetail();
    return;
  }
  const address = hashOf(view, key, new URLSearchParams());
  const text = await get(address.slice('#/'.length));
  if (route().view !== view || route().key !== key) return;
  if (shownDetail !== address) openDetail(view, address, JSON.parse(text));
  if (detailText !== text) updateDetail(view, JSON.parse(text));
  detailText = text;
}

function openDetail(view, address, detail) {
  shownDetail = address;
  detailText = undefined;
  const heading = h('h2', { tabindex: -1 });
  const close = h('a', { class: 'close', href: hashOf(view, undefined, filters) }, 'Close');
  const forms = detail === null ? [] : (DETAILS[view].forms?.(detail) ?? []);
  aside.replaceChildren(
    h('div', { class: 'bar' }, heading, close),
    h('div', { class: 'stack' }),
    h('div', { class: 'forms' }, forms),
  );
  aside.hidden = false;
  document.body.classList.add('with-detail');
  heading.focus();
}

function updateDetail(view, detail) {
  const { title, live: liveOf } = DETAILS[view];
  aside.querySelector('h2').textContent = detail === null ? 'Not found or removed' : title(detail);
  aside.querySelector('.stack').replaceWith(h('div', { class: 'stack' }, detail && liveOf(detail)));
}

function openRow() {
  return [...main.querySelectorAll('a')].find((link) => link.getAttribute('href') === shownDetail);
}

function markOpenRow() {
  const open = openRow();
  for (const link of main.querySelectorAll('[aria-current]'))
    if (link !== open) link.removeAttribute('aria-current');
  open?.setAttribute('aria-current', 'true');
}

/** Returns the focus to the row of the closed detail. */
function closeDetail() {
  if (aside.hidden) return;
  const row = openRow();
  aside.hidden = true;
  aside.replaceChildren();
  shownDetail = undefined;
  document.body.classList.remove('with-detail');
  row?.focus();
}

addEventListener('hashchange', () => {
  if (location.hash !== '' && !location.hash.startsWith('#/')) return;
  if (state !== undefined) showView();
  void refresh();
});
addEventListener('keydown', (event) => {
  const closing = event.key === 'Escape' && !aside.hidden;
  if (closing) aside.querySelector('.close').click();
});
addEventListener('visibilitychange', () => {
  if (!document.hidden) void refresh();
});
document.addEventListener('changed', () => void refresh());
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
void refresh();
