import { h, hrefOf, pill, showItems } from '../dom.js';
import { chart } from '../drawings.js';
import { QUEUES } from '../words.js';

const q = (topic) => ({ topic });
const fn = (name) => ({ name });

/** The picture of the README: each way from where its work comes in to where it ends. */
const WAYS = [
  {
    title: 'Stock and prices',
    stops: [
      q('Changes'),
      fn('change-intake'),
      { lanes: true },
      q('Wake'),
      fn('listing-producer'),
      { marketplace: true },
    ],
  },
  {
    title: 'Catalog and products',
    stops: [
      q('CatalogImport'),
      fn('catalog-importer'),
      q('ProductCommands'),
      fn('product-producer'),
      { marketplace: true },
    ],
  },
  { title: 'Orders', stops: [q('OrderCommands'), fn('order-producer'), { marketplace: true }] },
  { title: 'Documents', stops: [q('DocumentCommands'), fn('document-fetcher'), { marketplace: true }] },
  {
    title: 'Answers',
    stops: [fn('webhook-receiver'), q('Summaries'), fn('summary-processor'), { batches: true }],
  },
];

/** Where work is, and how much of it. */
export const flow = {
  title: 'Flow',
  mount(place) {
    const charts = h('div', { class: 'charts' });
    const picture = h('div', { class: 'flow' });
    place.append(charts, picture);
    return (state) => {
      const { measures } = state;
      charts.replaceChildren(
        chart(
          'Messages in queues',
          measures.map(({ waiting }) => waiting),
        ),
        chart(
          'Dead letters',
          measures.map(({ deadLetters }) => deadLetters),
        ),
      );
      showItems(
        picture,
        WAYS.map(({ title, stops }) => ({ title, stops: stops.map((stop) => nodeOf(stop, state)) })),
        { keyOf: ({ title }) => title, build: way },
      );
    };
  },
};

/** What a stop shows at this time: its name, its numbers and where a click leads. */
function nodeOf({ topic, name, lanes, marketplace, batches }, state) {
  if (name !== undefined) return { kind: 'function', name };
  if (marketplace) return { kind: 'end', name: 'marketplace', href: hrefOf('trace') };
  if (lanes) return lanesNode(state);
  if (batches) {
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

function lanesNode({ stores }) {
  const stopped = stores.filter(({ state }) => state === 'suspended').length;
  return {
    kind: 'list',
    name: stores.length === 1 ? 'lane' : 'lanes',
    number: String(stores.length),
    notes: stopped > 0 ? [`${stopped} suspended`] : [],
    href: hrefOf('stores'),
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

function stop({ kind, name, number, notes = [], deadLetters = 0, href }) {
  const content = [
    number !== undefined && h('b', null, number),
    h('span', null, name),
    notes.map((note) => h('small', null, note)),
    deadLetters > 0 && pill(`${deadLetters} dead`, 'bad'),
  ];
  return h('li', { class: kind }, href === undefined ? h('div', null, content) : h('a', { href }, content));
}
