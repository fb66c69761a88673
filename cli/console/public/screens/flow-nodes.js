import { hrefOf } from '../dom.js';
import { QUEUES } from '../words.js';

const q = (topic) => ({ topic });
const fn = (name) => ({ name });

/** Each way from where its work comes in to the rate limiter, which all requests pass. */
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
];
/** The way back. */
const ANSWERS = [fn('webhook-receiver'), q('Summaries'), fn('summary-processor'), { isBatches: true }];

/** What the picture shows at this time: each stop with its name, its numbers and where a click leads. */
export function flowNodes(state, seen) {
  const shown = (stops) => stops.map((stop) => nodeOf(stop, state, seen));
  return {
    ways: WAYS.map(({ title, stops }) => ({ title, stops: shown(stops) })),
    limiter: limiterNode(seen),
    marketplace: marketplaceNode(state.marketplace),
    answers: shown(ANSWERS),
  };
}

function nodeOf({ topic, name, isLanes, isBatches }, state, seen) {
  if (name !== undefined) return { kind: 'function', name };
  if (isLanes) return lanesNode(seen, state.stores);
  if (isBatches) {
    const { count, hasMore } = state.openBatches;
    return {
      kind: 'list',
      name: 'open batches',
      number: `${count}${hasMore ? '+' : ''}`,
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
  const failed = lanes.filter(({ tries, waiting }) => tries !== undefined && waiting > 0).length;
  return {
    kind: 'list',
    name: `listings wait in ${cursor === undefined ? '' : 'the first '}${lanes.length} lanes`,
    number: `${waiting}${lanes.some(({ hasMore }) => hasMore) ? '+' : ''}`,
    notes: [
      held > 0 && `${held} in work`,
      stopped > 0 && `${stopped} wait for you`,
      failed > 0 && `${failed} whose last request failed`,
    ].filter(Boolean),
    oldest,
    href: hrefOf('stores'),
  };
}

/** The rate that is used is what was sent since the last read; the pace is what the marketplace lets us use at most. */
function limiterNode({ limiter: { requestsPerSecond, pace, permits, pausedUntil, stopped }, rate }) {
  const isSlowed = pace < 1;
  return {
    kind: 'limiter',
    name: `of ${requestsPerSecond} requests per second used`,
    number: String(rate),
    notes: [
      `${permits} in flight`,
      isSlowed ? `pace ${Math.round(100 * pace)} %: the marketplace asked for less` : 'full pace',
    ],
    pausedUntil,
    isStopped: stopped !== undefined,
  };
}

const STATES = {
  healthy: ['answers', 'ok'],
  idle: ['idle', 'mute'],
  paused: ['asked to wait', 'warn'],
  failing: ['fails', 'bad'],
  refused: ['gets nothing: credentials', 'bad'],
};

function marketplaceNode({ state } = { state: 'idle' }) {
  const [text, tone] = STATES[state];
  return { text, tone };
}
