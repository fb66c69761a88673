import { blockButton, productForm, removeButton, tokenForm } from './controls.js';
import { block, facts, h, link, mono, pill, table, time } from './dom.js';
import { explanationSection } from './explanation.js';
import { answerPill, deliveryPill, faultText, statePill } from './tones.js';

/** Details by view. `live` is rebuilt whenever the data changes, `forms` are built once. */
export const DETAILS = {
  requests: { title: ({ entry }) => `Request ${entry.sequence}`, live: requestDetail },
  stores: {
    title: ({ clientId }) => clientId,
    live: storeDetail,
    forms: ({ clientId }) => [tokenForm(clientId)],
  },
  batches: { title: ({ kind }) => `Batch: ${kind}`, live: batchDetail },
  orders: { title: ({ invoiceNumber }) => invoiceNumber, live: orderDetail },
  products: {
    title: ({ name, sku }) => name || sku || 'Product',
    live: productDetail,
    forms: productForms,
  },
};

function requestDetail({ entry, contents, explanation, batches }) {
  const answer = parsed(contents?.answer);
  return [
    facts([
      ['Request', [pill(entry.method, 'method'), ' ', mono(entry.path + (entry.query && `?${entry.query}`))]],
      ['Answer', answerPill(entry)],
      ['Time', time(entry.time)],
      ['Partner', entry.partnerClientId],
      ['Store', entry.storeClientId && link('stores', entry.storeClientId)],
      entry.fault && ['Fault', faultText(entry.fault)],
      ...batches.map(({ batchId, kind }) => ['Batch', link('batches', batchId, kind)]),
    ]),
    explanation && explanationSection(explanation),
    refusal(answer?.error),
    rowErrors(answer?.data?.errors ?? answer?.error?.details?.context?.errors, parsed(contents?.body)),
    contents === null
      ? h('p', { class: 'hint' }, 'The bodies of this request are no longer kept.')
      : [
          h('h3', null, 'Request'),
          block('Request headers', contents.head),
          contents.body !== '' && block('Request body', contents.body),
          h('h3', null, 'Answer'),
          contents.answer === null
            ? h('p', { class: 'hint' }, 'None.')
            : block('Answer body', contents.answer),
        ],
  ];
}

/** The error of the whole call with its validation errors. */
function refusal(error) {
  if (error === undefined) return null;
  const fields = Object.entries(error.details?.context?.validationErrors ?? {});
  return [
    h('h3', null, 'Refused'),
    h('p', null, pill(error.code, 'warn'), ' ', error.message),
    fields.length > 0 &&
      table(
        'Fields',
        ['Field', 'Rule'],
        fields.map(([field, rule]) => [mono(field), rule]),
      ),
  ];
}

function rowErrors(errors, sent) {
  if (!Array.isArray(errors) || errors.length === 0) return null;
  const rows = sent?.items ?? sent?.products ?? sent?.ids ?? [];
  const cells = errors.map((error) => [
    error.rowIndex ?? '–',
    pill(error.code ?? error.reason, 'bad'),
    [error.message, reasonsOf(error).map((reason) => h('small', null, reason))],
    mono(error.sku ?? error.externalId ?? error.id ?? error.orderId ?? error.invoiceNumber ?? '–'),
    rows[error.rowIndex] !== undefined &&
      h(
        'details',
        null,
        h('summary', null, 'sent'),
        block(`Row ${error.rowIndex}`, JSON.stringify(rows[error.rowIndex])),
      ),
  ]);
  return [
    h('h3', null, `Row errors (${errors.length})`),
    table('Row errors', ['Row', 'Code', 'Message', 'Names', 'Row sent'], cells),
  ];
}

function reasonsOf({ details }) {
  const { reason, validationErrors = {} } = details?.context ?? {};
  const fields = Object.entries(validationErrors).map(([field, rule]) => `${field}: ${rule}`);
  return [reason, ...fields].filter((text) => text !== undefined);
}

function storeDetail(store) {
  const { clientId, partnerClientId, token, state, blocked, warehouses } = store;
  const query = `?store=${encodeURIComponent(clientId)}`;
  return [
    facts([
      ['State', statePill(blocked ? 'blocked' : state)],
      ['Partner', partnerClientId],
      ['Token', mono(token ?? 'revoked')],
      [
        'Show its',
        ['requests', 'batches', 'orders', 'products'].flatMap((view) => [
          h('a', { href: `#/${view}${query}` }, view),
          ' ',
        ]),
      ],
    ]),
    blockButton(store),
    h('h3', null, 'Warehouses'),
    warehouses.length === 0
      ? h('p', { class: 'hint' }, 'None.')
      : table(
          'Warehouses',
          ['Client ID', 'Name', 'Main'],
          warehouses.map((row) => [mono(row.clientId), row.warehouseName, row.isMain ? 'yes' : 'no']),
        ),
  ];
}

function batchDetail(batch) {
  return [
    facts([
      ['Batch', mono(batch.batchId)],
      ['State', statePill(batch.state)],
      ['Accepted', time(batch.acceptedAt)],
      ['Store', link('stores', batch.storeClientId)],
      [
        'Request',
        batch.sequence === null
          ? mono(batch.requestId)
          : link('requests', batch.sequence, `#${batch.sequence}`),
      ],
      ['Rows', batch.total],
      batch.disturbance && ['Fault', `webhook ${batch.disturbance}`],
    ]),
    rowErrors(batch.errors),
    h('h3', null, 'Final summary'),
    batch.deliveries.length === 0
      ? h('p', { class: 'hint' }, 'Not delivered.')
      : table(
          'Deliveries',
          ['Time', 'Outcome'],
          batch.deliveries.map((row) => [time(row.time), deliveryPill(row.outcome)]),
        ),
    h('h3', null, batch.state === 'applied' ? 'Accepted rows' : 'Rows not applied yet'),
    batch.acceptedRows.length === 0
      ? h('p', { class: 'hint' }, 'None.')
      : block('Accepted rows', JSON.stringify(batch.acceptedRows)),
  ];
}

function orderDetail(order) {
  const { recipient } = order;
  return [
    facts([
      ['Status', statePill(order.subStatus)],
      ['Order', mono(order.orderId)],
      ['Store', link('stores', order.storeClientId)],
      ['Created', time(order.createdAt)],
      ['Complained', order.complained ? 'yes' : 'no'],
      ['Recipient', `${recipient.name}, ${recipient.address}`],
    ]),
    h('h3', null, 'Items'),
    table(
      'Items',
      ['SKU', 'Name', 'Quantity', 'Price'],
      order.items.map((item) => [mono(item.sku), item.name, item.quantity, item.price]),
    ),
    received('Decisions', order.decisions),
    received('Dropoffs', order.dropoffs),
  ];
}

function received(title, entries) {
  return [
    h('h3', null, title),
    entries.length === 0
      ? h('p', { class: 'hint' }, 'None received.')
      : entries.map((entry) => block(title, JSON.stringify(entry))),
  ];
}

function productDetail(product) {
  const variants = product.variants?.items ?? [];
  return [
    facts([
      ['SKU', product.sku && mono(product.sku)],
      ['Product', mono(product.id)],
      ['External ID', product.externalId && mono(product.externalId)],
      ['Store', link('stores', product.storeClientId)],
      ['Price', product.price],
      ['Special price', product.specialPrice],
      ['Stock', product.stock],
    ]),
    history(product.history),
    variants.map((variant) => [
      h('h3', null, `Variant ${variant.sku ?? variant.name}`),
      facts([
        ['State', pill(variant.isActive ? 'active' : 'inactive', variant.isActive ? 'ok' : 'mute')],
        ['Price', variant.price],
        ['Stock', variant.stock],
      ]),
      history(variant.history),
    ]),
    h('h3', null, 'All fields'),
    block('Product', JSON.stringify({ ...product, history: undefined })),
  ];
}

/** The controls name a product by a SKU. */
function productForms({ storeClientId, sku, variants }) {
  const skus = [sku, ...(variants?.items ?? []).map((variant) => variant.sku)].filter(Boolean);
  return skus.length === 0
    ? []
    : [productForm({ storeClientId, skus }), removeButton({ storeClientId, skus })];
}

/** The history of prices and stock, the latest value first. */
function history({ price = [], stock = [] } = {}) {
  const prices = price.toReversed().map((row) => [time(row.time), row.price, row.specialPrice]);
  const stocks = stock.toReversed().map((row) => [time(row.time), row.clientId ?? 'listing', row.stock]);
  return [
    prices.length > 0 && table('Prices', ['Time', 'Price', 'Special'], prices),
    stocks.length > 0 && table('Stocks', ['Time', 'Where', 'Stock'], stocks),
  ];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
