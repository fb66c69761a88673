import { field, select, work, writing } from '../actions.js';
import { get, pagesOf, send } from '../api.js';
import { facts, h, hrefOf, link, pill, showItems, tableRow } from '../dom.js';
import { exportButtons } from '../exports.js';
import { growingList } from '../growing-list.js';
import { listTable } from '../list-table.js';
import { age, time } from '../times.js';
import { DOCUMENTS, documentState, statePill, triesText, waitingPart } from '../words.js';
import { erasureOf } from './erasure.js';
import { remediesOf } from './remedies.js';

/** What this stack did with the orders of a store, or with one of them, and its documents. */
export const orders = {
  title: 'Orders and documents',
  mount: (place, route, state) =>
    route.key === undefined ? list(place, route, state) : detail(place, route, state),
};

const HEADINGS = ['Order', 'Last request', 'Decision', 'Dropoff', 'Documents', 'Waits'];
const STATES = ['sending', 'accepted', 'rejected', 'unknown'];

function list(place, route, { stores }) {
  const { query } = route;
  const store = query.get('store') ?? stores[0]?.storeClientId ?? '';
  const more = growingList();
  const path = `/api/stores/${encodeURIComponent(store)}/orders`;
  const asked = { state: query.get('state') ?? '' };
  const save = exportButtons({
    name: `orders-${store}`,
    columns: COLUMNS,
    pages: () => pagesOf(path, 'orders', asked),
  });
  const rows = listTable('Orders', HEADINGS, { keyOf: ({ orderKey }) => orderKey, build: orderRow, save });
  place.append(searchForm({ query, store, stores }), ...rows.elements, more.element);
  return async () => {
    if (store === '') return;
    const cursor = query.get('cursor') ?? '';
    const answer = await get(path, { ...asked, limit: more.limit, cursor });
    const none =
      answer.cursor === undefined
        ? `No record of an order of ${store} is like this.`
        : 'Of what was read nothing is like this.';
    rows.show(answer.orders, none);
    more.show(`${answer.orders.length} are shown.`, answer.cursor !== undefined, {
      cursor: answer.cursor,
      route,
    });
  };
}

const COLUMNS = {
  storeClientId: (order) => order.storeClientId,
  orderId: (order) => order.orderId,
  invoiceNumber: (order) => order.invoiceNumber,
  decision: ({ decision }) => decision?.decision,
  decisionState: ({ decision }) => decision?.state,
  decisionAt: ({ decision }) => decision?.endedAt ?? decision?.startedAt,
  decisionCode: ({ decision }) => decision?.code,
  decisionTries: ({ decision }) => decision?.tries?.count,
  dropoffState: ({ dropoff }) => dropoff?.state,
  dropoffAt: ({ dropoff }) => dropoff?.endedAt ?? dropoff?.startedAt,
  dropoffCode: ({ dropoff }) => dropoff?.code,
  dropoffTries: ({ dropoff }) => dropoff?.tries?.count,
  waitingCommands: ({ waits }) => waits?.map(({ commandId }) => commandId).join(' '),
  waitsFor: ({ waits }) => waits?.[0]?.message,
  nextTryAt: ({ waits }) => waits?.[0]?.nextAt,
};

function orderRow({ storeClientId, orderId, invoiceNumber, decision, dropoff, documents, waits = [] }) {
  const name = orderId ?? invoiceNumber;
  const times = [decision?.startedAt, dropoff?.startedAt, ...waits.map(({ since }) => since)].filter(Boolean);
  const last = times.sort().at(-1);
  const stateOf = (action) =>
    action && [
      statePill(action.state),
      ' ',
      action.decision,
      ' ',
      action.code,
      action.tries && h('small', null, triesText(action.tries)),
    ];
  return tableRow(HEADINGS, [
    h('a', { class: 'id', href: hrefOf('orders', name, { store: storeClientId }) }, name),
    last && [age(last), ' ago'],
    stateOf(decision),
    stateOf(dropoff),
    documents &&
      Object.entries(documents).map(([document, record]) =>
        h('small', null, `${DOCUMENTS[document]}: ${documentState(record)}`),
      ),
    waits.length === 0
      ? undefined
      : waits.map((wait) => [pill(`${waitingPart(wait)} waits`, 'warn'), h('small', null, wait.message)]),
  ]);
}

function detail(place, { key, query }, { stores, canWrite }) {
  const store = query.get('store') ?? stores[0]?.storeClientId ?? '';
  // A store names its orders one way.
  const name = stores.find(({ storeClientId }) => storeClientId === store)?.names.orders;
  const one = h('div');
  const documents = documentsOf({ store, orderId: key, canWrite });
  const all = h('a', { href: hrefOf('orders', undefined, { store }) }, `All orders of ${store}`);
  // Documents go by the order ID, whatever the store's name of orders is.
  const erasure = erasureOf({
    store,
    order: key,
    names: [...new Set(['orderId', name ?? 'orderId'])],
    canWrite,
  });
  place.append(all, one, documents, erasure);
  return async ({ attention }) => {
    const path = `/orders/${encodeURIComponent(store)}/${encodeURIComponent(key)}`;
    const { order } = await get(path, { name });
    const entries = attention.filter(
      (entry) =>
        entry.kind === 'order-unknown' && entry.storeClientId === store && orderOf(entry).name === key,
    );
    showItems(one, [{ ...order, key, canWrite, entries }], { keyOf: () => key, build: orderCard });
  };
}

/** Any order may have documents, those too that this stack has sent nothing for. */
function searchForm({ query, store, stores }) {
  const order = h('input', { name: 'order', autocomplete: 'off', spellcheck: 'false' });
  const names = select(
    'store',
    stores.map(({ storeClientId }) => storeClientId),
    store,
  );
  const state = select('state', [['', 'any state'], ...STATES], query.get('state') ?? '');
  const onsubmit = (event) => {
    event.preventDefault();
    const name = order.value.trim();
    if (name !== '') location.hash = hrefOf('orders', name, { store: names.value });
    else
      location.hash = hrefOf('orders', undefined, {
        store: names.value,
        ...(state.value && { state: state.value }),
      });
  };
  return h(
    'form',
    { class: 'fields', role: 'search', 'aria-label': 'Filter', onsubmit },
    field('Store', names),
    field('State', state),
    field('Order', order),
    h('div', { class: 'actions' }, h('button', { type: 'submit' }, 'Show')),
  );
}

/** The order that an entry of what waits for a person is about. */
function orderOf({ remedies }) {
  const { orderId, invoiceNumber, action } = remedies.find(({ button }) => button)?.button.body ?? {};
  return { name: orderId ?? invoiceNumber ?? '', action };
}

function orderCard(order) {
  const { key, decision, dropoff, waits = [] } = order;
  return h(
    'section',
    { class: 'card', 'aria-label': 'Order' },
    h('h2', { class: 'id' }, key),
    waits.map((wait) => [
      h('h3', null, pill(`its ${waitingPart(wait)} waits`, 'warn')),
      facts([
        ['For', `${wait.message} (${wait.code})`],
        ['Since', [time(wait.since), ' (', age(wait.since), ')']],
        ['Next try', time(wait.nextAt)],
        ['Command', link('find', wait.commandId)],
      ]),
    ]),
    decision === undefined && dropoff === undefined
      ? h('p', { class: 'hint' }, 'There is no record of a decision or dropoff of it.')
      : [actionPart('Decision', 'decision', order), actionPart('Dropoff', 'dropoff', order)],
    h('p', null, link('find', key, 'History')),
  );
}

function actionPart(title, action, order) {
  const record = order[action];
  if (record === undefined) return undefined;
  const {
    state,
    startedAt,
    endedAt = startedAt,
    decision,
    code,
    message,
    tries,
    batchId,
    resolution,
  } = record;
  const entry = order.entries.find((one) => orderOf(one).action === action);
  return h(
    'div',
    { class: 'part' },
    h('h3', null, title, ' ', statePill(state)),
    facts([
      ['Decision', decision],
      ['At', [time(endedAt), ' (', age(endedAt), ' ago)']],
      ['Code', code],
      ['Message', message],
      ['Tries', triesText(tries)],
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
          const { trace, message } = await send(path);
          return trace === undefined ? show() : message;
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
