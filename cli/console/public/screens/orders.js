import { field, select, work, writing } from '../actions.js';
import { get, send } from '../api.js';
import { facts, h, hrefOf, link, showItems } from '../dom.js';
import { age, time } from '../times.js';
import { statePill } from '../words.js';
import { remediesOf } from './remedies.js';

const DOCUMENTS = { 'shipping-label': 'shipping label', invoice: 'invoice' };

/** One order with its decision, its dropoff and its documents, and those of unknown outcome. */
export const orders = {
  title: 'Orders and documents',
  mount(place, { key, query }, state) {
    const store = query.get('store') ?? state.stores[0]?.storeClientId ?? '';
    // A store names its orders one way.
    const name = state.stores.find(({ storeClientId }) => storeClientId === store)?.names.orders;
    const unknown = h('ul', { class: 'plain', 'aria-label': 'Orders of unknown outcome' });
    const one = h('div');
    const nothing = h('p', { class: 'empty' }, 'No order has an unknown outcome.');
    place.append(searchForm({ key, store, stores: state.stores }), one, unknown, nothing);
    if (key !== undefined) one.after(documentsOf({ store, orderId: key, canWrite: state.canWrite }));
    return async ({ attention, canWrite }) => {
      const entries = attention.filter(({ kind }) => kind === 'order-unknown');
      showItems(unknown, entries, { keyOf: ({ call }) => call, build: unknownEntry });
      nothing.hidden = entries.length > 0 || key !== undefined;
      if (key === undefined) return;
      const path = `/orders/${encodeURIComponent(store)}/${encodeURIComponent(key)}`;
      const { order } = await get(path, { name });
      const own = entries.filter((one) => one.storeClientId === store && orderOf(one).name === key);
      showItems(one, [{ ...order, key, name, store, canWrite, entries: own }], {
        keyOf: () => key,
        build: orderCard,
      });
    };
  },
};

function searchForm({ key = '', store, stores }) {
  const order = h('input', {
    name: 'order',
    value: key,
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const names = select(
    'store',
    stores.map(({ storeClientId }) => storeClientId),
    store,
  );
  const onsubmit = (event) => {
    event.preventDefault();
    location.hash = hrefOf('orders', order.value.trim(), { store: names.value });
  };
  return h(
    'form',
    { class: 'fields', role: 'search', onsubmit },
    field('Order', order),
    field('Store', names),
    h('div', { class: 'actions' }, h('button', { type: 'submit' }, 'Show')),
  );
}

/** The order that an entry of what waits for a person is about. */
function orderOf({ remedies }) {
  const { orderId, invoiceNumber, action } = remedies.find(({ button }) => button)?.button.body ?? {};
  return { name: orderId ?? invoiceNumber ?? '', action };
}

function unknownEntry(entry) {
  const { storeClientId, since, why } = entry;
  const { name } = orderOf(entry);
  return h(
    'li',
    { class: 'card need bad' },
    h('h2', null, h('a', { href: hrefOf('orders', name, { store: storeClientId }) }, name)),
    h('p', null, `${storeClientId} · ${why} · for `, age(since)),
  );
}

function orderCard(order) {
  const { key, decision, dropoff } = order;
  return h(
    'section',
    { class: 'card', 'aria-label': 'Order' },
    h('h2', { class: 'id' }, key),
    decision === undefined && dropoff === undefined
      ? h('p', { class: 'hint' }, 'This stack has sent no decision and no dropoff for it.')
      : [actionPart('Decision', 'decision', order), actionPart('Dropoff', 'dropoff', order)],
    h('p', null, link('find', key, 'History')),
  );
}

function actionPart(title, action, order) {
  const record = order[action];
  if (record === undefined) return undefined;
  const { state, startedAt, endedAt = startedAt, decision, code, message, batchId, resolution } = record;
  const entry = order.entries.find((one) => orderOf(one).action === action);
  return h(
    'div',
    null,
    h('h3', null, title, ' ', statePill(state)),
    facts([
      ['Decision', decision],
      ['At', [time(endedAt), ' (', age(endedAt), ' ago)']],
      ['Code', code],
      ['Message', message],
      ['Batch', batchId && link('batches', batchId)],
      ['Recorded', resolution && [`${resolution.outcome} by a person, `, time(resolution.at)]],
      ['Because', resolution?.reason],
    ]),
    entry && [h('p', null, h('b', null, 'First look at '), entry.lookAt), remediesOf(entry, order.canWrite)],
  );
}

/** Fetches a document once, then opens it by a link that is valid for some minutes. */
function documentsOf({ store, orderId, canWrite }) {
  return h(
    'section',
    { class: 'card', 'aria-label': 'Documents' },
    h('h2', null, 'Documents'),
    Object.entries(DOCUMENTS).map(([document, name]) => {
      const path = `/api/stores/${encodeURIComponent(store)}/orders/${encodeURIComponent(orderId)}/documents/${document}`;
      const place = h('span');
      const show = async () => {
        const { url, expiresAt } = await get(path);
        const until = expiresAt.slice(11, 16);
        place.replaceChildren(
          h(
            'a',
            { href: url, target: '_blank', rel: 'noreferrer noopener' },
            `Open the PDF (until ${until}Z)`,
          ),
        );
        return `The ${name} is ready.`;
      };
      const fetchAndShow = () =>
        work(async () => {
          await send(path);
          return show();
        });
      return h(
        'div',
        { class: 'actions' },
        h('button', { type: 'button', onclick: fetchAndShow, ...writing(canWrite) }, `Fetch the ${name}`),
        h('button', { type: 'button', onclick: () => work(show) }, `Open the stored ${name}`),
        place,
      );
    }),
  );
}
