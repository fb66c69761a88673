import * as controls from './controls.js';
import { facts, h, link, mono, pill, table, time } from './dom.js';
import { answerClass, answerPill, deliveryPill, faultText, statePill } from './tones.js';

const short = (id) => `${id.slice(0, 8)}…`;
const store = (row) => (row.storeClientId === null ? '–' : link('stores', row.storeClientId));
const storeFilter = {
  name: 'store',
  label: 'Store',
  options: (_rows, state) => state.stores.map(({ clientId }) => clientId),
  matches: (row, value) => row.storeClientId === value,
};
const choice = (name, label, read) => ({
  name,
  label,
  options: (rows) => rows.map(read).toSorted(),
  matches: (row, value) => read(row) === value,
});
const rupiah = (price) => Number(price).toLocaleString('en-GB');

/** The views. `forms` are built once, `live` parts are rebuilt whenever the state changes, `list` is updated row by row. */
export const VIEWS = {
  start: { title: 'Start', live: startPage },
  requests: {
    title: 'Requests',
    list: {
      rowsOf: (state) => state.requests,
      total: (state) => state.counts.requests,
      keyOf: (row) => row.sequence,
      empty: 'No request has come yet. “Start” shows one to paste.',
      columns: [
        ['#', (row) => link('requests', row.sequence)],
        ['Time', (row) => time(row.time)],
        [
          'Request',
          (row) => [pill(row.method, 'method'), ' ', mono(row.path + (row.query && `?${row.query}`))],
        ],
        ['Store', store],
        ['Rows', (row) => row.items],
        ['Answer', (row) => [answerPill(row), row.fault && [' ', pill('fault', 'info')]]],
      ],
      filters: [
        choice('answer', 'Answer', answerClass),
        choice('method', 'Method', (row) => row.method),
        storeFilter,
      ],
    },
  },
  stores: {
    title: 'Stores',
    list: {
      rowsOf: (state) => state.stores,
      keyOf: (row) => row.clientId,
      empty: 'There are no stores.',
      columns: [
        ['Store', (row) => link('stores', row.clientId)],
        ['State', (row) => statePill(row.state)],
        ['Partner', (row) => row.partnerClientId],
        ['Warehouses', (row) => row.warehouses.join(', ') || 'none'],
        [
          'Products',
          (row) => h('a', { href: `#/products?store=${encodeURIComponent(row.clientId)}` }, row.products),
        ],
        [
          'Orders',
          (row) => h('a', { href: `#/orders?store=${encodeURIComponent(row.clientId)}` }, row.orders),
        ],
      ],
      filters: [
        choice('state', 'State', (row) => row.state),
        choice('partner', 'Partner', (row) => row.partnerClientId),
      ],
    },
  },
  batches: {
    title: 'Batches',
    list: {
      rowsOf: (state) => state.batches,
      total: (state) => state.counts.batches,
      keyOf: (row) => row.batchId,
      empty: 'No batch has been accepted yet.',
      columns: [
        ['Batch', (row) => link('batches', row.batchId, short(row.batchId))],
        ['Accepted', (row) => time(row.acceptedAt)],
        ['Kind', (row) => row.kind],
        ['Store', store],
        ['State', (row) => statePill(row.state)],
        ['Rows', (row) => row.total],
        ['Failed', (row) => (row.failed > 0 ? pill(row.failed, 'bad') : 0)],
        ['Deliveries', (row) => row.deliveries],
      ],
      filters: [
        choice('kind', 'Kind', (row) => row.kind),
        choice('state', 'State', (row) => row.state),
        storeFilter,
      ],
    },
  },
  orders: {
    title: 'Orders',
    forms: (state) => [controls.orderForm(state)],
    list: {
      rowsOf: (state) => state.orders,
      total: (state) => state.counts.orders,
      keyOf: (row) => row.orderId,
      empty: 'There are no orders: create one above.',
      columns: [
        ['Invoice', (row) => link('orders', row.orderId, row.invoiceNumber)],
        ['Created', (row) => time(row.createdAt)],
        ['Status', (row) => statePill(row.subStatus)],
        ['Store', store],
        ['Decisions', (row) => row.decisions],
        ['Dropoffs', (row) => row.dropoffs],
      ],
      filters: [choice('status', 'Status', (row) => row.subStatus), storeFilter],
    },
  },
  products: {
    title: 'Products',
    list: {
      rowsOf: (state) => state.products,
      total: (state) => state.counts.products,
      keyOf: (row) => row.id,
      empty: 'There are no products.',
      columns: [
        ['SKU', (row) => link('products', row.id, row.sku || '(no SKU)')],
        ['Name', (row) => row.name],
        ['Store', store],
        [
          'Price',
          (row) => [
            rupiah(row.price),
            row.specialPrice !== null && [' → ', h('ins', null, rupiah(row.specialPrice))],
          ],
        ],
        ['Stock', (row) => (row.stock > 0 ? row.stock : pill(row.stock, 'bad'))],
        ['Variants', (row) => row.variants],
      ],
      filters: [storeFilter],
    },
  },
  webhooks: {
    title: 'Webhooks',
    forms: (state) => [controls.webhookForm(state)],
    live: webhookFacts,
    list: {
      rowsOf: (state) => state.deliveries,
      total: (state) => state.counts.webhooks,
      keyOf: (row) => row.key,
      empty: 'No final summary has been delivered yet.',
      columns: [
        ['Time', (row) => time(row.time)],
        ['Outcome', (row) => deliveryPill(row.outcome)],
        ['Attempt', (row) => row.attempt],
        ['Event', (row) => `${row.kind}.completed`],
        ['Batch', (row) => link('batches', row.batchId, short(row.batchId))],
        ['Store', store],
      ],
      filters: [choice('outcome', 'Outcome', (row) => String(row.outcome)), storeFilter],
    },
  },
  faults: {
    title: 'Faults',
    forms: (state) => [controls.faultForm(state), controls.clearFaults()],
    live: (state) =>
      h('h2', null, state.faults.length === 0 ? 'No fault waits for a request' : 'Waiting for a request'),
    list: {
      rowsOf: (state) => state.faults.map((rule, index) => ({ index, ...rule })),
      keyOf: (row) => row.index,
      empty: 'Used faults are shown with their request.',
      columns: [
        ['Fault', (row) => faultText(row.fault)],
        ['Method', (row) => row.method ?? 'any'],
        ['Path', (row) => mono(row.path ?? 'any')],
        ['Times left', (row) => row.times],
      ],
      filters: [],
    },
  },
  settings: {
    title: 'Settings',
    forms: (state) => [controls.limitsForm(state), controls.clockForm(state), controls.resetButton()],
    live: settingsFacts,
  },
};

function startPage(state) {
  const copied = h('output', { role: 'status' });
  const copy = async () => {
    await navigator.clipboard.writeText(state.curlExample);
    copied.textContent = 'Copied.';
  };
  return h(
    'div',
    { class: 'stack' },
    h(
      'p',
      null,
      'An in-memory server of the Partner Marketplace API: a restart or a reset deletes everything.',
    ),
    facts([
      ['Base URL', mono(`${state.sandboxUrl}/api/v1`)],
      ['Description', h('a', { href: '/openapi.json' }, 'openapi.json')],
    ]),
    h('h2', null, 'Credentials'),
    h('p', { class: 'hint' }, 'For the sandbox only.'),
    table(
      'Partners',
      ['Partner', 'Secret key'],
      state.partners.map((partner) => [mono(partner.clientId), mono(partner.secretKey)]),
    ),
    table(
      'Store credentials',
      ['Store', 'Token', 'Partner', 'State'],
      state.stores.map((row) => [
        link('stores', row.clientId),
        mono(row.token ?? 'revoked'),
        row.partnerClientId,
        statePill(row.state),
      ]),
    ),
    h('h2', null, 'A signed call'),
    h('pre', { tabindex: 0, 'aria-label': 'A signed call' }, state.curlExample),
    h('div', { class: 'actions' }, h('button', { type: 'button', onclick: copy }, 'Copy'), copied),
  );
}

function webhookFacts({ settings: { webhook } }) {
  return facts([
    ['Now', webhook.url === null ? 'No URL: summaries are not sent' : mono(webhook.url)],
    ['Signed with', webhook.ownSecret ? 'a secret of its own' : "the partner's secret key"],
    ['Summaries of', webhook.for === 'all' ? 'every batch' : 'catalog syncs'],
  ]);
}

function settingsFacts({ settings: { limits, clockOffsetMs } }) {
  return facts([
    ['Requests per second', limits.requestsPerSecond ?? 'no limit'],
    ['Rows per request', limits.maxItems ?? 'no limit'],
    ['Clock', clockOffsetMs === 0 ? 'correct' : `off by ${clockOffsetMs.toLocaleString('en-GB')} ms`],
  ]);
}
