import { expect, test } from 'vitest';
import { batchAnswer, decisionReport, isRowRetryable } from '../../../shared/marketplace/batch.ts';
import { rowOutcomes } from '../../../shared/marketplace/row-outcomes.ts';

const ID = 'aaaaaaaa-0000-4000-8000-00000000000a';
const skus = [{ sku: 'A' }, { sku: 'B' }, { sku: 'C' }];

/** The outcomes of rows for an answer of the marketplace. `beside` has fields that stand beside the data. */
function read(given: object, sent: Parameters<typeof rowOutcomes>[0] = skus): string[] {
  const { beside, ...data }: { beside?: object } = given;
  const answer = batchAnswer.parse({ success: true, ...beside, data: { batchId: 'b', ...data } });
  return rowOutcomes(sent, answer).map((row) =>
    row.outcome === 'rejected'
      ? `${row.error.code}${isRowRetryable(row.error) ? ' for now' : ''}`
      : row.outcome,
  );
}

const failure = (names: object, code = 'E') => ({ code, message: 'no', ...names });

test('unnamed rows are accepted when every failure has its row', () => {
  expect(read({})).toEqual(['accepted', 'accepted', 'accepted']);
  expect(read({ summary: { total: 3, failed: 1, pending: 0 }, errors: [failure({ rowIndex: 1 })] })).toEqual([
    'accepted',
    'E',
    'accepted',
  ]);
});

test.each([
  {},
  { data: null },
  { data: {} },
  { data: { message: 'queued' } },
  { requestId: 'r', data: { summary: {}, acceptedRows: [], errors: [] } },
])('no row is settled by a success that tells nothing of its rows: %j', (body) => {
  const rows = rowOutcomes(skus, batchAnswer.parse({ success: true, ...body }));
  expect(rows.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown', 'unknown']);
});

test.each([
  { data: { batchId: 'b' } },
  { data: { requestId: 'r' } },
  { batchId: 'b' },
  { data: { summary: { total: 3, failed: 0 } } },
  { summary: { failed: 0 } },
])('rows are accepted by a success with an ID or with counts: %j', (body) => {
  const rows = rowOutcomes(skus, batchAnswer.parse({ success: true, ...body }));
  expect(rows.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
});

test.each([
  { failed: 1 },
  { failedItems: [{ rowIndex: 0 }] },
  { failedCount: 2 },
  { rejected: ['A'] },
  { skipped: [{ id: ID }] },
  {
    results: [
      { rowIndex: 0, success: true },
      { rowIndex: 1, success: false },
    ],
  },
  { items: [{ sku: 'A', error: { code: 'E' } }] },
])('no row is settled by a success that has failures in an unknown form: %j', (body) => {
  for (const given of [body, { beside: body }])
    expect(read(given)).toEqual(['unknown', 'unknown', 'unknown']);
});

test.each([
  { failed: 0, skipped: [], rejectedAt: null, failedAt: 1_764_390_000_000 },
  { results: [{ rowIndex: 0, success: true, error: null }] },
  { warnings: ['a text', { message: 'no photo' }] },
])('rows are accepted by a success that has no failure in an unknown form: %j', (body) => {
  for (const given of [body, { beside: body }])
    expect(read(given)).toEqual(['accepted', 'accepted', 'accepted']);
});

test('decisions are accepted by a success without rows, as §4.16 has it', () => {
  const rows = rowOutcomes([{ orderId: 'a' }], decisionReport.parse({ success: true, message: 'done' }));
  expect(rows).toEqual([{ outcome: 'accepted' }]);
});

test.each([null, { total: 3, failed: null, pending: null }])(
  'missing counts, as %o, are no failures',
  (summary) => {
    expect(read({ summary })).toEqual(['accepted', 'accepted', 'accepted']);
  },
);

test('unnamed rows are pending when the answer counts pending ones', () => {
  const summary = { total: 3, failed: 1, pending: 1 };
  const acceptedRows = [{ rowIndex: 0 }];
  expect(read({ summary, acceptedRows, errors: [failure({ rowIndex: 1 })] })).toEqual([
    'accepted',
    'E',
    'pending',
  ]);
});

test.each<[string, object]>([
  ['failures are counted without their rows', { summary: { total: 3, failed: 2 }, errors: [] }],
  ['more failures are counted than have a row', { summary: { skipped: 2 }, errors: [] }],
  ['fewer rows are accepted than there are', { summary: { total: 3, accepted: 1 } }],
  ['counts are written as text', { summary: { total: '3', failed: '2', pending: '0' }, errors: [] }],
  ['the number of failures is a word', { summary: { total: 3, failed: 'two', pending: 1 } }],
  ['the number of failures is negative', { summary: { total: 3, failed: -2, pending: 3 } }],
  ['the number of failures is no whole number', { summary: { failed: 1.5 } }],
  ['the number of failures is too large to be exact', { summary: { failed: 1e99 } }],
  ['the counts are no object', { summary: '2 of 3 failed' }],
  ['a failure has no name', { errors: [failure({})] }],
  ['a failure is no object', { errors: ['no'] }],
  ['the failures are no list', { errors: { 0: 'no' } }],
  ['the number of a failure is beyond the request', { errors: [failure({ rowIndex: 3 })] }],
  ['the number of a failure is no number', { errors: [failure({ rowIndex: '1st' })] }],
  ['the number of a failure is negative', { errors: [failure({ rowIndex: -1 })] }],
  ['a failure names a row that was not sent', { errors: [failure({ sku: 'D' })] }],
  ['fewer rows are counted than were sent', { summary: { total: 2, failed: 0, pending: 0 } }],
  ['fewer rows are accepted than were sent, without a total', { summary: { accepted: 2 } }],
  ['no row is accepted, without a total', { summary: { succeeded: 0 } }],
  ['rows are skipped, though none failed', { summary: { total: 3, failed: 0, skipped: 2 } }],
  ['fewer rows succeeded than were accepted', { summary: { total: 3, accepted: 3, succeeded: 2 } }],
  ['its data denies success', { success: false, summary: { total: 3, failed: 0 } }],
  ['an error without a code stands beside the data', { beside: { error: { message: 'no' } } }],
  [
    'counts beside the data are unreadable',
    { summary: { total: 3 }, beside: { summary: { failed: 'two' } } },
  ],
  ['a failure without a row stands beside the data', { beside: { errors: [failure({})] } }],
  ['failures are counted beside the data', { beside: { summary: { failed: 1 } } }],
])('unnamed rows are unknown when %s', (_, data) => {
  expect(read(data)).toEqual(['unknown', 'unknown', 'unknown']);
  const acceptedRows = [{ sku: 'A' }, { rowIndex: '1' }];
  expect(read({ ...data, acceptedRows })).toEqual(['accepted', 'accepted', 'unknown']);
});

test('a row that a list of accepted rows leaves out is unknown when nothing is counted', () => {
  const acceptedRows = [{ rowIndex: 0 }, { rowIndex: 0 }, { sku: 'A' }];
  expect(read({ acceptedRows })).toEqual(['accepted', 'unknown', 'unknown']);
  const errors = [failure({ sku: 'B' })];
  expect(read({ acceptedRows, errors })).toEqual(['accepted', 'E', 'unknown']);
  expect(read({ acceptedRows: [...acceptedRows, { sku: 'B' }], errors })).toEqual([
    'accepted',
    'E',
    'unknown',
  ]);
  expect(read({ acceptedRows: [...acceptedRows, { sku: 'C' }], errors })).toEqual([
    'accepted',
    'E',
    'accepted',
  ]);
});

test.each([[['A']], [[0]], [{ id: 'p-1' }], [true]])(
  'no row is accepted when nothing is counted and the accepted rows, as %j, name none',
  (acceptedRows) => {
    expect(read({ acceptedRows })).toEqual(['unknown', 'unknown', 'unknown']);
  },
);

test('names of accepted rows that are no text are ignored', () => {
  const acceptedRows = [{ rowIndex: 0, sku: 1, orderId: 17, invoiceNumber: {} }];
  expect(read({ acceptedRows })).toEqual(['accepted', 'unknown', 'unknown']);
});

test('unnamed rows are unknown when the answer denies success', () => {
  const denied = (data?: object) => rowOutcomes(skus, batchAnswer.parse({ success: false, data }));
  const unknown = { outcome: 'unknown' };
  expect(denied({})).toEqual([unknown, unknown, unknown]);
  const summary = { total: 3, failed: 0, pending: 3 };
  expect(denied({ summary, acceptedRows: [{ rowIndex: 1 }], errors: [failure({ sku: 'A' })] })).toMatchObject(
    [{ outcome: 'rejected' }, { outcome: 'accepted' }, unknown],
  );
});

test.each([{}, { data: null }])('an answer with its fields beside the envelope, as %o, is read', (rest) => {
  const summary = { total: 3, failed: 1, pending: 0 };
  const body = { success: true, batchId: 'b', summary, errors: [failure({ rowIndex: 1 })], ...rest };
  const answer = batchAnswer.parse(body);
  expect(answer).toMatchObject({ batchId: 'b', summary });
  expect(rowOutcomes(skus, answer).map(({ outcome }) => outcome)).toEqual([
    'accepted',
    'rejected',
    'accepted',
  ]);
  expect(batchAnswer.safeParse({ ...body, success: undefined }).success).toBe(false);
});

test.each([
  { errors: {}, summary: 'queued' },
  { errors: false, summary: 3 },
  { errors: [], summary: {} },
])('values beside the data that are no rows and no counts, as %o, leave no row unknown', (beside) => {
  expect(read({ beside })).toEqual(['accepted', 'accepted', 'accepted']);
});

test('a row number in text is read as the number', () => {
  expect(read({ errors: [failure({ rowIndex: '0' })] })).toEqual(['E', 'accepted', 'accepted']);
});

test('the names in an error count when its row number is beyond the request', () => {
  expect(read({ errors: [failure({ rowIndex: 7, sku: 'B' })] })).toEqual(['accepted', 'E', 'accepted']);
});

test('IDs are compared in lower case, SKUs exactly', () => {
  const sent = [{ id: ID }, { externalId: ID.toUpperCase() }, { sku: 'b' }];
  expect(read({ errors: [failure({ id: ID.toUpperCase() })] }, sent)).toEqual(['E', 'accepted', 'accepted']);
  expect(read({ errors: [failure({ externalId: ID })] }, sent)).toEqual(['accepted', 'E', 'accepted']);
  expect(read({ errors: [failure({ sku: 'B' })] }, sent)).toEqual(['unknown', 'unknown', 'unknown']);
});

test('a failure with number and name of the same row is counted once', () => {
  const summary = { total: 3, failed: 1 };
  expect(read({ summary, errors: [failure({ rowIndex: 1, sku: 'B' })] })).toEqual([
    'accepted',
    'E',
    'accepted',
  ]);
  expect(read({ summary, errors: [failure({ rowIndex: 1 }), failure({ sku: 'B' }, 'F')] })).toEqual([
    'accepted',
    'F',
    'accepted',
  ]);
});

test('a number and a name of two rows leave both unknown, and no other', () => {
  const summary = { total: 3, failed: 1 };
  expect(read({ summary, errors: [failure({ rowIndex: 0, sku: 'B' })] })).toEqual([
    'unknown',
    'unknown',
    'accepted',
  ]);
});

test('a failure whose name belongs to several rows leaves them unknown', () => {
  const sent = [{ externalId: ID }, { externalId: ID }, { externalId: 'other' }];
  expect(read({ errors: [failure({ externalId: ID })] }, sent)).toEqual(['unknown', 'unknown', 'accepted']);
});

test('a failure that names a variant and its product belongs to the variant', () => {
  const sent = [{ id: ID }, { sku: 'S' }];
  expect(read({ errors: [failure({ id: ID, sku: 'S' })] }, sent)).toEqual(['accepted', 'E']);
});

test('a row may succeed later only when every error about it says so', () => {
  const forNow = { details: { retryable: true } };
  expect(read({ errors: [failure({ rowIndex: 0, ...forNow })] })).toEqual([
    'E for now',
    'accepted',
    'accepted',
  ]);
  const errors = [failure({ rowIndex: 0 }), failure({ sku: 'A', ...forNow }, 'F')];
  expect(read({ errors })[0]).toBe('E');
  expect(read({ errors: errors.toReversed() })[0]).toBe('E');
});

test('rows that failed under other names may succeed later only when every error says so', () => {
  const errors = ['p-1', 'p-2', 'p-3'].map((id, position) =>
    failure({ id, details: { retryable: position !== 1 } }, `E-${position}`),
  );
  expect(read({ errors })).toEqual(['E-1', 'E-1', 'E-1']);
});

test('an order that is skipped twice under another name is one failure', () => {
  const sent = [{ invoiceNumber: 'I-1' }, { invoiceNumber: 'I-2' }];
  const skipped = { orderId: 'o-1', reason: 'STATUS_NOT_ALLOWED' };
  expect(read({ errors: [skipped, skipped] }, sent)).toEqual(['unknown', 'unknown']);
});

test('orders sent by invoice number and skipped by ID are skipped when all were, else unknown', () => {
  const sent = [{ invoiceNumber: 'I-1' }, { invoiceNumber: 'I-2' }];
  const skipped = (orderId: string) => ({ orderId, reason: 'STATUS_NOT_ALLOWED' });
  expect(read({ errors: [skipped('o-1'), skipped('o-2')] }, sent)).toEqual([
    'STATUS_NOT_ALLOWED',
    'STATUS_NOT_ALLOWED',
  ]);
  expect(read({ errors: [skipped('o-1')] }, sent)).toEqual(['unknown', 'unknown']);
  const errors = [skipped('o-1')];
  expect(read({ errors, acceptedRows: [{ invoiceNumber: 'I-2' }] }, sent)).toEqual([
    'STATUS_NOT_ALLOWED',
    'accepted',
  ]);
});
