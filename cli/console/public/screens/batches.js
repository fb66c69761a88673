import { actionButton, field, select } from '../actions.js';
import { get, pagesOf } from '../api.js';
import { counted, facts, h, hrefOf, link, showItems, table, tableRow } from '../dom.js';
import { rowBar } from '../drawings.js';
import { exportButtons } from '../exports.js';
import { growingList } from '../growing-list.js';
import { listTable } from '../list-table.js';
import { age, time } from '../times.js';
import { statePill, triesText } from '../words.js';

const HEADINGS = ['Batch', 'Submitted', 'Kind', 'Store', 'State', 'Rows'];

/** Batches by filters, or one with its rows. */
export const batches = {
  title: 'Batches',
  mount: (place, route, state) =>
    route.key === undefined ? list(place, route, state) : detail(place, route.key),
};

function list(place, route, { stores, choices }) {
  const { query } = route;
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
  const more = growingList();
  const asked = Object.fromEntries(query);
  const save = exportButtons({
    name: 'batches',
    columns: COLUMNS,
    pages: () => pagesOf('/api/batches', 'batches', asked),
  });
  const rows = listTable('Batches', HEADINGS, { keyOf: ({ batchId }) => batchId, build: batchRow, save });
  place.append(bar, ...rows.elements, more.element);
  return async () => {
    const answer = await get('/api/batches', { ...asked, limit: more.limit });
    // Thousands of others were examined for the page.
    const looksFurther =
      'Of the newest batches none is like this: `connector batches list` reads the older ones too.';
    const none = answer.cursor === undefined ? 'No batch is like this.' : looksFurther;
    rows.show(answer.batches.map(shownBatch), none);
    more.show(
      `The ${asked.cursor === undefined ? 'newest' : 'following'} ${answer.batches.length} are shown.`,
      answer.cursor !== undefined && answer.batches.length > 0,
      { cursor: answer.cursor, route },
    );
  };
}

const COLUMNS = {
  batchId: ({ batchId }) => batchId,
  submittedAt: ({ submittedAt }) => submittedAt,
  completedAt: ({ completedAt }) => completedAt,
  kind: ({ kind }) => kind,
  storeClientId: ({ storeClientId }) => storeClientId,
  state: ({ state }) => state,
  tries: ({ tries }) => tries?.count,
  lastFailure: ({ tries }) => tries?.lastFailed?.code,
  sent: ({ rows }) => rows.sent,
  accepted: ({ rows }) => rows.accepted,
  rejected: ({ rows }) => rows.rejected,
  unknown: ({ rows }) => rows.unknown,
};

function shownBatch({ batchId, submittedAt, kind, storeClientId, state, rows, tries }) {
  return { batchId, submittedAt, kind, storeClientId, state, rows, tries };
}

function batchRow({ batchId, submittedAt, kind, storeClientId, state, rows, tries }) {
  const name = link('batches', batchId, `${batchId.slice(0, 8)}…`);
  name.title = batchId;
  return tableRow(HEADINGS, [
    name,
    [age(submittedAt), ' ago'],
    kind,
    storeClientId,
    [statePill(state), tries && h('small', null, triesText(tries))],
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
  const { commandId, commandIds = commandId === undefined ? [] : [commandId], contradictions = [] } = batch;
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
      [
        'Contradicted',
        batch.submission && contradictions.length > 0 && 'by a final summary: see its history',
      ],
      ['Tries', triesText(batch.tries)],
      ['Rows sent', rows.sent],
      ['Unconfirmed', unconfirmedRows > 0 ? unconfirmedRows : undefined],
      ['Command', commandIds.length > 0 && commandIds.map((id) => [link('find', id), ' '])],
      ['Steps', link('find', batchId, 'History')],
    ]),
    h('div', { class: 'actions' }, buttonsOf(batch)),
    rowsTable('Rejected rows', batch.rejectedRows),
    rowsTable('Rows of unknown outcome', batch.unknownRows ?? []),
  );
}

function buttonsOf({ batchId, kind, state, rows, rejectedRows, canWrite }) {
  const call = (name, label, body, { question, tone, done = () => 'Done.' } = {}) =>
    actionButton({
      label,
      path: `/api/batches/${encodeURIComponent(batchId)}/${name}`,
      body,
      question,
      tone,
      canWrite,
      done,
    });
  const isOfProducts = /^(catalog|product)/.test(kind ?? '');
  const isOpen = state === 'submitted' || state === 'unresolved';
  // Only creations keep their rows.
  const hasFailedRows =
    /^(catalog|product-create)/.test(kind ?? '') && state !== 'submitted' && rows.rejected > 0;
  return [
    isOpen && isOfProducts && call('read-back', 'Read the rows back', {}, { tone: 'primary' }),
    state === 'unresolved' && [
      call(
        'resolve',
        'Record the rest as accepted',
        { rest: 'accepted' },
        { question: 'Did the marketplace take these rows?' },
      ),
      call(
        'resolve',
        'Record the rest as rejected',
        { rest: 'rejected' },
        { question: 'Did the marketplace refuse these rows?' },
      ),
    ],
    hasFailedRows && retryButtons({ batchId, rejectedRows, call }),
  ];
}

/** Rows that may be accepted unchanged. */
function isRetryable({ code, details }) {
  return details?.retryable === true || code === 'NOT_FOUND_BY_READ_BACK';
}

/** Rows that fail again unchanged are to be corrected: sending them again comes last. */
function retryButtons({ batchId, rejectedRows, call }) {
  const retryable = rejectedRows.filter(isRetryable).length;
  const done = ({ commandId, rows }) => ({
    text: `Sent again: ${counted(rows, 'row')}.`,
    href: hrefOf('find', commandId),
    label: 'Look at its history',
  });
  return [
    retryable > 0 &&
      call(
        'retry',
        `Send ${counted(retryable, 'retryable row')} again`,
        { rows: 'retryable' },
        { tone: 'primary', done },
      ),
    h(
      'a',
      {
        class: retryable > 0 ? 'button' : 'button primary',
        href: `/api/batches/${encodeURIComponent(batchId)}/rejects`,
        download: true,
      },
      'Save the failed rows to correct them',
    ),
    call(
      'retry',
      'Send the failed rows again',
      { rows: 'failed' },
      {
        question:
          retryable < rejectedRows.length
            ? 'Unchanged, most of them will fail again. Has their cause gone?'
            : undefined,
        done,
      },
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
