import { actionButton, field, select } from '../actions.js';
import { get } from '../api.js';
import { age, facts, h, hrefOf, link, showItems, table, tableHead, tableRow, time } from '../dom.js';
import { rowBar } from '../drawings.js';
import { growingList } from '../growing-list.js';
import { statePill } from '../words.js';

const HEADINGS = ['Batch', 'Submitted', 'Kind', 'Store', 'State', 'Rows'];

/** Batches by filters, or one with its rows. */
export const batches = {
  title: 'Batches',
  mount: (place, route, state) =>
    route.key === undefined ? list(place, route, state) : detail(place, route.key),
};

function list(place, { query }, { stores, choices }) {
  const any = (label, values) => [['', `any ${label}`], ...values];
  const controls = {
    state: select('state', any('state', choices.batchStates), query.get('state') ?? ''),
    kind: select('kind', any('kind', choices.batchKinds), query.get('kind') ?? ''),
    storeClientId: select(
      'storeClientId',
      any(
        'store',
        stores.map(({ storeClientId }) => storeClientId),
      ),
      query.get('storeClientId') ?? '',
    ),
  };
  const onchange = () => {
    const given = Object.entries(controls).filter(([, control]) => control.value !== '');
    location.hash = hrefOf(
      'batches',
      undefined,
      given.map(([name, control]) => [name, control.value]),
    );
  };
  const bar = h(
    'form',
    { class: 'fields', role: 'search', onchange, onsubmit: (event) => event.preventDefault() },
    field('State', controls.state),
    field('Kind', controls.kind),
    field('Store', controls.storeClientId),
  );
  const body = h('tbody');
  const rows = h('table', { 'aria-label': 'Batches' }, tableHead(HEADINGS), body);
  const nothing = h('p', { class: 'empty' });
  const more = growingList();
  place.append(bar, rows, nothing, more.element);
  return async () => {
    const answer = await get('/api/batches', { ...Object.fromEntries(query), limit: more.limit });
    showItems(body, answer.batches.map(shownBatch), { keyOf: ({ batchId }) => batchId, build: batchRow });
    rows.hidden = answer.batches.length === 0;
    nothing.hidden = answer.batches.length > 0;
    // Thousands of others were examined for the page.
    const looksFurther =
      'Of the newest batches none is like this: `connector batches list` reads the older ones too.';
    nothing.textContent = answer.cursor === undefined ? 'No batch is like this.' : looksFurther;
    more.show(
      `The newest ${answer.batches.length} are shown.`,
      answer.cursor !== undefined && answer.batches.length > 0,
    );
  };
}

function shownBatch({ batchId, submittedAt, kind, storeClientId, state, rows }) {
  return { batchId, submittedAt, kind, storeClientId, state, rows };
}

function batchRow({ batchId, submittedAt, kind, storeClientId, state, rows }) {
  const name = link('batches', batchId, `${batchId.slice(0, 8)}…`);
  name.title = batchId;
  return tableRow(HEADINGS, [
    name,
    [age(submittedAt), ' ago'],
    kind,
    storeClientId,
    statePill(state),
    rowBar(rows),
  ]);
}

function detail(place, batchId) {
  const one = h('div');
  place.append(h('a', { href: hrefOf('batches') }, 'All batches'), one);
  return async ({ canWrite }) => {
    const batch = await get(`/api/batches/${encodeURIComponent(batchId)}`);
    showItems(one, [{ ...batch, canWrite }], { keyOf: () => batchId, build: batchCard });
  };
}

function batchCard(batch) {
  const { batchId, state, kind, storeClientId, submittedAt, completedAt, rows, unconfirmedRows } = batch;
  const { commandId, commandIds = commandId === undefined ? [] : [commandId] } = batch;
  return h(
    'section',
    { class: 'stack' },
    h('h2', null, batchId, ' ', statePill(state)),
    rowBar(rows),
    facts([
      ['Kind', kind],
      ['Store', storeClientId],
      ['Submitted', time(submittedAt)],
      ['Ended', completedAt && time(completedAt)],
      ['Rows sent', rows.sent],
      ['Unconfirmed', unconfirmedRows > 0 ? unconfirmedRows : undefined],
      ['Command', commandIds.length > 0 && commandIds.map((id) => [link('trace', id), ' '])],
      ['Steps', link('trace', batchId, 'Trace')],
    ]),
    h('div', { class: 'actions' }, buttonsOf(batch)),
    rowsTable('Rejected rows', batch.rejectedRows),
    rowsTable('Rows of unknown outcome', batch.unknownRows ?? []),
  );
}

function buttonsOf({ batchId, kind, state, rows, canWrite }) {
  const call = (name, label, body, question) =>
    actionButton({
      label,
      path: `/api/batches/${encodeURIComponent(batchId)}/${name}`,
      body,
      question,
      canWrite,
      done: () => 'Done.',
    });
  const isOfProducts = /^(catalog|product)/.test(kind ?? '');
  const isOpen = state === 'submitted' || state === 'unresolved';
  // Only creations keep their rows.
  const hasFailedRows =
    /^(catalog|product-create)/.test(kind ?? '') && state !== 'submitted' && rows.rejected > 0;
  return [
    isOpen && isOfProducts && call('read-back', 'Read the rows back', {}),
    state === 'unresolved' &&
      call(
        'resolve',
        'Record the rest as accepted',
        { rest: 'accepted' },
        'Did the marketplace take these rows?',
      ),
    state === 'unresolved' &&
      call(
        'resolve',
        'Record the rest as rejected',
        { rest: 'rejected' },
        'Did the marketplace refuse these rows?',
      ),
    hasFailedRows && call('retry', 'Send the failed rows again', { rows: 'failed' }),
    hasFailedRows &&
      h(
        'a',
        { href: `/api/batches/${encodeURIComponent(batchId)}/rejects`, download: true },
        'Save the failed rows',
      ),
  ];
}

const ROWS_SHOWN = 100;

function rowsTable(title, rows) {
  if (rows.length === 0) return undefined;
  const nameOf = ({ sku, id, externalId, orderId, invoiceNumber }) =>
    sku ?? id ?? externalId ?? orderId ?? invoiceNumber;
  return [
    h('h2', null, `${title}: ${rows.length}`),
    rows.length > ROWS_SHOWN && h('p', { class: 'hint' }, `The first ${ROWS_SHOWN} are shown.`),
    table(
      title,
      ['Row', 'Name', 'Code', 'Reason'],
      rows
        .slice(0, ROWS_SHOWN)
        .map((row) => [
          row.rowIndex,
          nameOf(row),
          row.code,
          [row.field, row.message].filter(Boolean).join(': '),
        ]),
    ),
  ];
}
