import { field, select, work, writing } from '../actions.js';
import { changesMade, get } from '../api.js';
import { facts, h, hrefOf, link, pill, showItems } from '../dom.js';
import { age, time } from '../times.js';

const TONES = { good: 'ok', bad: 'bad', open: 'warn' };
/** A search reads many keys: it is done anew after this time, or after a change. */
const READ_EVERY_MS = 10_000;

/** What a word names, and the history of it: desired, sent, accepted, live. */
export const find = {
  title: 'Find',
  mount(place, { key, query }, { stores, canWrite }) {
    if (key === undefined) {
      place.append(explanation());
      return () => {};
    }
    const store = query.get('store') ?? '';
    const note = h('p', { class: 'empty', role: 'status' });
    const hits = h('ul', { class: 'hits', 'aria-label': 'What it is' });
    const more = h('p', { class: 'hint', hidden: true });
    const found = h('div', { class: 'stack' });
    place.append(h('h2', null, key), filters({ key, store, stores, canWrite }), note, hits, more, found);
    let read = { at: Number.NEGATIVE_INFINITY };
    return async () => {
      const changes = changesMade();
      if (read.changes === changes && performance.now() - read.at < READ_EVERY_MS) return;
      const answer = await get('/find', { word: key, store });
      read = { at: performance.now(), changes };
      note.hidden = answer.hits.length > 0;
      note.textContent = answer.message ?? '';
      more.hidden = !answer.hasMore;
      more.textContent = answer.hits.some(({ kind }) => kind === 'file')
        ? 'Earlier files have this name, too: give the whole key of the file, or its store.'
        : 'More products begin with this: give more of the SKU.';
      const items = answer.hits.map((hit) => ({ ...hit, isOpen: answer.traces.length > 0 }));
      showItems(hits, items, {
        keyOf: (hit) => JSON.stringify([hit.kind, hit.id, hit.path]),
        build: hitEntry,
      });
      showItems(found, answer.traces, { keyOf: ({ title }) => JSON.stringify(title), build: timeline });
    };
  },
};

function explanation() {
  const names = [
    ['A product', 'SKU, externalId or product ID; the beginning of a SKU lists the products'],
    ['An order', 'order ID or invoice number'],
    ['What came in', 'ID of an event or a command, name of a file'],
    ['What went out', 'ID of a batch or a request, the marketplace’s or the connector’s'],
  ];
  return h(
    'section',
    { class: 'card' },
    h('p', null, 'The field at the top of each screen finds anything by any of its names, with its history.'),
    facts(names),
    h('p', { class: 'hint' }, 'The key / leads to it.'),
  );
}

function filters({ key, store, stores, canWrite }) {
  const names = stores.map(({ storeClientId }) => storeClientId);
  const chosen = select('store', [['', 'any store'], ...names], store);
  const onchange = () => {
    location.hash = hrefOf('find', key, chosen.value === '' ? {} : { store: chosen.value });
  };
  const readLive = () =>
    work(async () => {
      const { read } = await get('/find', { word: key, store, live: true });
      document.dispatchEvent(new Event('changed'));
      return read > 0
        ? 'Read at the marketplace.'
        : 'Nothing was read: none of the first stores lists this product. Choose its store.';
    });
  return h(
    'form',
    { class: 'fields', onchange, onsubmit: (event) => event.preventDefault() },
    field('Store', chosen),
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'button', onclick: readLive, ...writing(canWrite) }, 'Read what is live'),
    ),
  );
}

/** Screens that show a thing of a kind; the others have their history only. */
const SCREENS_OF = {
  order: ({ id, storeClientId }) => hrefOf('orders', id, { store: storeClientId }),
  batch: ({ id }) => hrefOf('batches', id),
  file: ({ storeClientId }) => hrefOf('imports', undefined, { storeClientId }),
  // One that was never connected is in no list of stores.
  store: ({ id, path }) =>
    path.endsWith('/rejections') ? hrefOf('rejections', undefined, { storeClientId: id }) : hrefOf('stores'),
};

function hitEntry(hit) {
  const { kind, id, storeClientId, what, at, trace, isOpen } = hit;
  const screen = SCREENS_OF[kind]?.(hit);
  const history = trace && !isOpen && hrefOf('find', id, storeClientId && { store: storeClientId });
  return h(
    'li',
    null,
    pill(kind, 'info'),
    h('b', null, history || screen ? h('a', { href: screen ?? history }, id) : id),
    // The kind stands before it.
    h('span', null, what.replace(/^an? (product|order|event|command|batch|request|file|store)( · |$)/, '')),
    h(
      'small',
      null,
      storeClientId,
      at && [' · ', age(at), ' ago'],
      screen && history && [' · ', h('a', { href: history }, 'History')],
    ),
  );
}

/** A coloured word needs no separator. */
function separator(before, tone) {
  return before.tone === undefined && tone === undefined ? ' · ' : ' ';
}

/** The subject of a trace, in words. */
const NAMES = {
  eventId: 'Event',
  commandId: 'Command',
  batchId: 'Batch',
  requestId: 'Request',
  target: 'Product',
  orderId: 'Order',
  invoiceNumber: 'Invoice',
  storeClientId: 'Store',
};

function timeline({ title, steps }) {
  return h(
    'section',
    { class: 'card' },
    facts(title.map(([name, value]) => [NAMES[name] ?? name, value])),
    h(
      'ol',
      { class: 'timeline' },
      steps.map(({ at, after, what, facts: words, batchId }, index) =>
        h(
          'li',
          null,
          h('span', { class: 'when' }, time(at, steps[index - 1]?.at), ' ', h('small', null, after)),
          h('b', null, what),
          h(
            'span',
            { class: 'words' },
            words.map(({ text, tone, at: until }, index) => [
              index > 0 && separator(words[index - 1], tone),
              tone === undefined ? text : pill(text, TONES[tone]),
              until && [' ', time(until, at)],
            ]),
            batchId && [words.length > 0 && ' · ', link('batches', batchId, `batch ${batchId.slice(0, 8)}…`)],
          ),
        ),
      ),
    ),
  );
}
