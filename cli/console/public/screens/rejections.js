import { field, select } from '../actions.js';
import { get, pagesOf } from '../api.js';
import { h, hrefOf, link, tableRow } from '../dom.js';
import { exportButtons } from '../exports.js';
import { growingList } from '../growing-list.js';
import { listTable } from '../list-table.js';
import { age } from '../times.js';

const HEADINGS = ['When', 'Store', 'What', 'Code', 'Reason', 'From'];
/** What rejections are found by, beside the store: names of the operations API. */
const KEYS = [
  ['', 'anything'],
  ['target', 'SKU (or id:…, externalId:…)'],
  ['orderId', 'order ID'],
  ['invoiceNumber', 'invoice number'],
  ['eventId', 'event'],
  ['commandId', 'command'],
  ['batchId', 'batch'],
  ['importId', 'import of a file'],
];
const TIMES = [
  ['', 'any time'],
  ['1', 'the last hour'],
  ['24', 'the last 24 hours'],
  ['168', 'the last 7 days'],
];

/** What was rejected, by the connector or the marketplace, the newest first. */
export const rejections = {
  title: 'Rejections',
  mount(place, route, { stores }) {
    const { query } = route;
    const more = growingList();
    const path = '/api/rejections';
    const asked = { ...queryOf(query), storeClientId: storeOf(query, stores) };
    const save = exportButtons({
      name: 'rejections',
      columns: COLUMNS,
      pages: () => pagesOf(path, 'rejections', asked),
    });
    const keyOf = ({ rejectionId }) => rejectionId;
    const rows = listTable('Rejections', HEADINGS, { keyOf, build: rejectionRow, save });
    const said = h('p', { class: 'hint', hidden: true });
    place.append(filters(query, stores), ...rows.elements, said, more.element);
    return async () => {
      const {
        rejections: shown,
        cursor,
        message,
      } = await get(path, {
        ...asked,
        limit: more.limit,
        cursor: query.get('cursor') ?? '',
      });
      const none =
        cursor === undefined ? 'Nothing like this was rejected.' : 'Of what was read nothing is like this.';
      rows.show(shown, none);
      said.hidden = message === undefined;
      said.textContent = message ?? '';
      more.show(`${shown.length} are shown.`, cursor !== undefined, { cursor, route });
    };
  },
};

/** Of events that name no store. */
const NO_STORE = '-';

/** Stores whose rejections are read together. */
const MOST_STORES = 50;

function storeOf(query, stores) {
  const all = stores.length > MOST_STORES ? stores[0].storeClientId : '';
  return query.get('storeClientId') ?? all;
}

function queryOf(query) {
  const key = query.get('key');
  const value = query.get('value') ?? '';
  const hours = Number(query.get('hours') ?? 0);
  return {
    ...(key && value !== '' && { [key]: key === 'target' ? targetOf(value) : value }),
    code: query.get('code') ?? '',
    ...(hours > 0 && { since: new Date(Date.now() - 3_600_000 * hours).toISOString() }),
  };
}

function targetOf(name) {
  return /^(sku|id|externalId):/.test(name) ? name : `sku:${name}`;
}

function filters(query, stores) {
  const names = stores.map(({ storeClientId }) => storeClientId);
  const text = (name) =>
    h('input', { name, value: query.get(name) ?? '', autocomplete: 'off', spellcheck: 'false' });
  const controls = {
    storeClientId: select(
      'storeClientId',
      [['', 'all stores'], ...names, [NO_STORE, 'no store']],
      storeOf(query, stores),
    ),
    key: select('key', KEYS, query.get('key') ?? ''),
    value: text('value'),
    code: text('code'),
    hours: select('hours', TIMES, query.get('hours') ?? ''),
  };
  const onsubmit = (event) => {
    event.preventDefault();
    const given = Object.entries(controls).filter(([, control]) => control.value.trim() !== '');
    location.hash = hrefOf(
      'rejections',
      undefined,
      given.map(([name, control]) => [name, control.value.trim()]),
    );
  };
  return h(
    'form',
    { class: 'fields', role: 'search', 'aria-label': 'Filter', onsubmit },
    field('Store', controls.storeClientId),
    field('About', controls.key),
    field('Name or ID', controls.value),
    field('Code', controls.code),
    field('Since', controls.hours),
    h('div', { class: 'actions' }, h('button', { type: 'submit' }, 'Show')),
  );
}

/** What a rejection is about. */
function nameOf({ target, sku, id, externalId, orderId, invoiceNumber, detailType }) {
  return target ?? sku ?? id ?? externalId ?? orderId ?? invoiceNumber ?? detailType;
}

const COLUMNS = {
  rejectedAt: (row) => row.rejectedAt,
  storeClientId: (row) => row.storeClientId,
  name: nameOf,
  code: (row) => row.code,
  field: (row) => row.field,
  message: (row) => row.message,
  eventId: (row) => row.eventId,
  commandId: (row) => row.commandId,
  batchId: (row) => row.batchId,
  origin: (row) => row.origin,
};

function rejectionRow(rejection) {
  const { rejectedAt, storeClientId, code, field: path, message, rowIndexes, batchId, origin } = rejection;
  const name = nameOf(rejection);
  return tableRow(HEADINGS, [
    [age(rejectedAt), ' ago'],
    storeClientId,
    [
      name ? link('find', name) : 'the whole event',
      rowIndexes && h('small', null, `${rowIndexes.length} rows`),
    ],
    h('code', null, code),
    [path, message].filter(Boolean).join(': '),
    [
      sourceOf(rejection),
      batchId && h('small', null, link('batches', batchId, `batch ${batchId.slice(0, 8)}…`)),
      origin && h('small', { class: 'id' }, origin.replace(/^s3:\/\/[^/]*\//, '')),
    ],
  ]);
}

function sourceOf({ eventId, commandId, detailType }) {
  const id = commandId ?? eventId;
  return id === undefined ? detailType : link('find', id, detailType ?? `${id.slice(0, 8)}…`);
}
