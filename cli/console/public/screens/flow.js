import { get } from '../api.js';
import { age, h, hrefOf, pill, showItems } from '../dom.js';
import { chart } from '../drawings.js';
import { QUEUES } from '../words.js';

const q = (topic) => ({ topic });
const fn = (name) => ({ name });

/** The picture of the README: each way from where its work comes in to where it ends. */
const WAYS = [
  {
    title: 'Stock and prices',
    stops: [q('Changes'), fn('change-intake'), { isLanes: true }, q('Wake'), fn('listing-producer')],
  },
  {
    title: 'Catalog and products',
    stops: [q('CatalogImport'), fn('catalog-importer'), q('ProductCommands'), fn('product-producer')],
  },
  { title: 'Orders', stops: [q('OrderCommands'), fn('order-producer')] },
  { title: 'Documents', stops: [q('DocumentCommands'), fn('document-fetcher')] },
  { title: 'All requests', stops: [{ isLimiter: true }, { isMarketplace: true }] },
  {
    title: 'Answers',
    stops: [fn('webhook-receiver'), q('Summaries'), fn('summary-processor'), { isBatches: true }],
  },
];

/** Where work is, and how much of it. */
export const flow = {
  title: 'Flow',
  mount(place) {
    const charts = h('div', { class: 'charts' });
    const picture = h('div', { class: 'flow' });
    place.append(charts, picture);
    const rates = [];
    let before;
    return async (state) => {
      const seen = { ...(await get('/flow')), at: performance.now() };
      // The server may have answered with what it had read for another page.
      if (before !== undefined && seen.limiter.sent >= before.limiter.sent)
        rates.push((1000 * (seen.limiter.sent - before.limiter.sent)) / (seen.at - before.at));
      rates.splice(0, rates.length - RATES_KEPT);
      before = seen;
      showCharts(charts, state, rates);
      showItems(
        picture,
        WAYS.map(({ title, stops }) => ({ title, stops: stops.map((one) => nodeOf(one, state, seen)) })),
        { keyOf: ({ title }) => title, build: way },
      );
    };
  },
};

const RATES_KEPT = 360;

function showCharts(place, { measures }, rates) {
  const rounded = rates.map((rate) => Math.round(10 * rate) / 10);
  place.replaceChildren(
    chart(
      'Messages in queues',
      measures.map(({ waiting }) => waiting),
    ),
    chart('Requests per second', rounded),
    chart(
      'Dead letters',
      measures.map(({ deadLetters }) => deadLetters),
    ),
  );
}

/** What a stop shows at this time: its name, its numbers and where a click leads. */
function nodeOf({ topic, name, isLanes, isLimiter, isMarketplace, isBatches }, state, seen) {
  if (name !== undefined) return { kind: 'function', name };
  if (isMarketplace) return { kind: 'end', name: 'marketplace' };
  if (isLanes) return lanesNode(seen, state.stores);
  if (isLimiter) return limiterNode(seen.limiter);
  if (isBatches) {
    const { count, hasMore } = state.openBatches;
    const number = `${count}${hasMore ? '+' : ''}`;
    return {
      kind: 'list',
      name: 'open batches',
      number,
      href: hrefOf('batches', undefined, { state: 'submitted' }),
    };
  }
  const queue = state.queues.find((one) => one.topic === topic);
  const { waiting = 0, inFlight = 0, delayed = 0, deadLetters = 0 } = queue ?? {};
  return {
    kind: 'queue',
    name: QUEUES[topic] ?? topic,
    number: String(waiting),
    notes: [inFlight > 0 && `${inFlight} in work`, delayed > 0 && `${delayed} delayed`].filter(Boolean),
    deadLetters,
    href: hrefOf('dead-letters', topic),
  };
}

/** The lanes of the first stores only, if there is a `cursor`. */
function lanesNode({ lanes, cursor }, stores) {
  const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0);
  const oldest = lanes
    .map(({ oldestSince }) => oldestSince)
    .filter(Boolean)
    .sort()[0];
  const held = lanes.filter(({ isHeld }) => isHeld).length;
  const suspended = new Set(
    stores.filter(({ state }) => state === 'suspended').map(({ storeClientId }) => storeClientId),
  );
  const stopped = lanes.filter(
    ({ storeClientId, waitsFor }) => waitsFor !== undefined || suspended.has(storeClientId),
  ).length;
  return {
    kind: 'list',
    name: `listings wait in ${cursor === undefined ? '' : 'the first '}${lanes.length} lanes`,
    number: `${waiting}${lanes.some(({ hasMore }) => hasMore) ? '+' : ''}`,
    notes: [held > 0 && `${held} in work`, stopped > 0 && `${stopped} wait for you`].filter(Boolean),
    oldest,
    href: hrefOf('stores'),
  };
}

function limiterNode({ requestsPerSecond, pace, permits, pausedUntil, stopped }) {
  return {
    kind: 'limiter',
    name: `of ${requestsPerSecond} requests per second`,
    number: `${Math.round(100 * pace)} %`,
    notes: [`${permits} in flight`, pausedUntil && 'paused', stopped && 'stopped'].filter(Boolean),
    href: hrefOf('needs-you'),
  };
}

function way({ title, stops }) {
  return h(
    'section',
    { 'aria-label': title },
    h('h2', null, title),
    h('ol', { class: 'way' }, stops.map(stop)),
  );
}

function stop({ kind, name, number, notes = [], oldest, deadLetters = 0, href }) {
  const content = [
    number !== undefined && h('b', null, number),
    h('span', null, name),
    notes.map((note) => h('small', null, note)),
    oldest && h('small', null, 'oldest ', age(oldest)),
    deadLetters > 0 && pill(`${deadLetters} dead`, 'bad'),
  ];
  return h('li', { class: kind }, href === undefined ? h('div', null, content) : h('a', { href }, content));
}
