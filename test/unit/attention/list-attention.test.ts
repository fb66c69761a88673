import { describe, expect, test } from 'vitest';
import { describeUnknownOrder } from '../../../shared/attention/rules/describe.ts';
import { listAttention } from '../../../shared/attention/use-cases/list-attention.ts';
import { withResolution } from '../../../shared/batches/rules/apply-fact.ts';
import { recordSubmission, recordSummary } from '../../../shared/batches/use-cases/record-batch.ts';
import type { ImportRecord } from '../../../shared/imports/model.ts';
import { discardImport } from '../../../shared/imports/use-cases/operate-import.ts';
import { freshLimit } from '../../../shared/limits/model.ts';
import { inMemoryBatchTable } from '../../doubles/in-memory-batch-table.ts';
import { inMemoryDriftTable } from '../../doubles/in-memory-drift-table.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryGuardTable } from '../../doubles/in-memory-guard-table.ts';
import { inMemoryImportTable } from '../../doubles/in-memory-import-table.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { inMemoryWaitingPages } from '../../doubles/in-memory-waiting-pages.ts';
import { finalSummary, resolution, submission } from '../batches/batch-facts.ts';
import { connectedStore } from '../stores/store-ports.ts';
import { failure } from '../support/failure.ts';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');

function setUp() {
  const ports = {
    stores: inMemoryStoreTable(),
    guards: inMemoryGuardTable(),
    orders: inMemoryOrderTable(),
    batches: inMemoryBatchTable(),
    events: inMemoryEventPublisher(),
    rejections: inMemoryRejectionTable(),
    deadLetters: { count: 7, list: async () => [] as never[] },
    drift: inMemoryDriftTable(),
    imports: inMemoryImportTable(),
    limits: inMemoryLimitTable(),
    pages: inMemoryWaitingPages(),
    partnerClientId: 'partner',
    partnerSecret: { read: async () => 'key' } as { read(): Promise<string> },
    partnerSecretArn: 'arn:secret',
    restoredTables: undefined,
    clock: { now: () => NOW },
  };
  const hold = { reason: 'many', changedListings: 3, knownListings: 9, announced: true };
  const sending = {
    commandId: 'c-1',
    recordId: 'r-1',
    startedAt: '2026-11-21T09:00:00.000Z',
    decision: 'accept' as const,
  };
  return {
    ports,
    holdPrices: (storeClientId: string, since: string) =>
      ports.guards.update(storeClientId, () => ({ storeClientId, hold: { since, ...hold } })),
    contest: (storeClientId: string, target: string, since: string) =>
      ports.drift.update(storeClientId, target, () => ({
        storeClientId,
        target,
        registers: {
          stock: { relapses: 0, open: { wanted: 1, version: 1, live: 2, since } },
          price: { relapses: 3, open: { wanted: 5, version: 1, live: 7, since }, contestedSince: since },
        },
      })),
    leaveUnknown: (storeClientId: string, orderId: string, endedAt: string) =>
      ports.orders.update(storeClientId, `orderId:${orderId}`, () => ({
        storeClientId,
        orderKey: `orderId:${orderId}`,
        orderId,
        decision: { ...sending, state: 'unknown' as const, endedAt },
      })),
    leaveSending: (storeClientId: string, orderId: string, until: number) =>
      ports.orders.update(storeClientId, `orderId:${orderId}`, () => ({
        storeClientId,
        orderKey: `orderId:${orderId}`,
        orderId,
        decision: { ...sending, state: 'sending' as const, lock: { holder: 'x', until } },
      })),
    leaveUnresolved: async (
      batchId: string,
      kind: 'catalog-sync' | 'stock',
      resolvedAt = '2026-11-21T08:20:00.000Z',
    ) => {
      await recordSubmission(ports, submission({ batchId, attemptId: batchId, requestId: batchId, kind }));
      const found = resolution({ resolvedAt, unknownRows: [{ rowIndex: 0 }] });
      await ports.batches.update(batchId, (batch) => withResolution(batch, found));
    },
  };
}

test('the list is empty when nothing waits for a person, and says what was read', async () => {
  const { ports, leaveSending } = setUp();
  await ports.stores.put(connectedStore());
  await recordSubmission(ports, submission());
  await leaveSending('s-1', 'o-1', NOW - 1);
  const { checked, ...list } = await listAttention(ports, 10);
  expect(list).toEqual({ attention: [], groups: [], more: [] });
  expect(checked).toMatchObject({ at: '2026-11-21T10:00:00.000Z', stores: 1, deadLetterQueues: 7 });
  expect(checked.text).toMatch(/1 store, 7 dead-letter queues/);
  const files =
    'files of the last 7 days that could not be read to their end or had all rows rejected before they were sent';
  expect(checked.text).toContain(files);
});

test('restored tables wait for the end of the restore, until it is recorded for them', async () => {
  const { ports } = setUp();
  const restored = { ...ports, restoredTables: 'Restored1' };
  await ports.limits.create({ ...freshLimit('partner'), resumedTables: 'Restored0' });
  expect((await listAttention(restored, 10)).attention).toMatchObject([
    { kind: 'tables-restored', remedies: [{ call: 'POST /restore/end' }] },
  ]);
  await ports.limits.change('partner', { set: { resumedTables: 'Restored1' } });
  expect((await listAttention(restored, 10)).attention).toEqual([]);
});

test.each([
  ['SECRET_PLACEHOLDER', failure('SECRET_PLACEHOLDER', { outcome: 'not-sent' })],
  ['ResourceNotFoundException', Object.assign(new Error('no'), { name: 'ResourceNotFoundException' })],
])('a secret that can not be used is listed before anything was to be sent: %s', async (code, error) => {
  const { ports } = setUp();
  ports.partnerSecret.read = () => Promise.reject(error);
  expect((await listAttention(ports, 10)).attention).toMatchObject([
    {
      kind: 'partner-refused',
      since: '2026-11-21T10:00:00.000Z',
      why: expect.stringContaining(`nothing is sent: ${code}: `),
      remedies: [{ name: 'put-secret' }],
    },
  ]);
});

test('each waiting item is listed with its time, its severity, its reason and the calls that end it, the most harmful first', async () => {
  const { ports, holdPrices, contest, leaveUnknown, leaveUnresolved } = setUp();
  await ports.stores.put(connectedStore());
  const suspended = {
    state: 'suspended' as const,
    stateReason: 'AUTH_014: no',
    updatedAt: '2026-11-21T08:00:01Z',
  };
  await ports.stores.put({ ...connectedStore(suspended), storeClientId: 's/2' });
  await holdPrices('s-1', '2026-11-21T08:00:02Z');
  await contest('s-1', 'sku:A', '2026-11-21T08:00:03Z');
  await leaveUnknown('s-1', 'o-1', '2026-11-21T08:00:30Z');
  await leaveUnresolved('b-1', 'catalog-sync');
  await leaveUnresolved('b-2', 'stock', '2026-11-21T08:25:00.000Z');
  await recordSummary(ports, { batchId: 'b-9' }, finalSummary({ receivedAt: '2026-11-21T09:00:00Z' }));
  const stop = { code: 'AUTH_010', message: 'no', since: Date.parse('2026-11-21T07:30:00Z'), retryAt: NOW };
  await ports.limits.create({ ...freshLimit('partner'), stop });
  const queue = {
    topic: 'Work',
    arn: 'arn:aws:sqs:r:1:Dead',
    queueArn: 'arn:aws:sqs:r:1:Work',
    messages: 2,
    oldestSentAt: '2026-11-21T07:00:00Z',
  };
  const { attention, more } = await listAttention(
    { ...ports, deadLetters: { count: 7, list: async () => [queue] } },
    10,
  );
  expect(more).toEqual([]);
  const shown = attention.map(({ kind, severity, storeClientId, since, remedies }) => [
    kind,
    severity,
    storeClientId,
    since,
    ...remedies.map(({ name, call }) => `${name}: ${call}`),
  ]);
  const secret = '{"partnerSecretKey":"…"}';
  const order = '{"orderId":"o-1","action":"decision"';
  expect(shown).toEqual([
    [
      'partner-refused',
      'critical',
      undefined,
      '2026-11-21T07:30:00.000Z',
      `put-secret: aws secretsmanager put-secret-value --secret-id arn:secret --secret-string '${secret}'`,
    ],
    [
      'store-suspended',
      'critical',
      's/2',
      '2026-11-21T08:00:01Z',
      'rotate-token: PUT /stores/s%2F2 {"storeToken":"…"}',
      'resume: POST /stores/s%2F2/resume',
    ],
    [
      'order-unknown',
      'critical',
      's-1',
      '2026-11-21T08:00:30.000Z',
      `resolve-accepted: POST /stores/s-1/orders/resolve ${order},"outcome":"accepted"}`,
      `resolve-rejected: POST /stores/s-1/orders/resolve ${order},"outcome":"rejected"}`,
      `retry: POST /stores/s-1/orders/retry ${order}}`,
    ],
    [
      'dead-letters',
      'critical',
      undefined,
      '2026-11-21T07:00:00Z',
      'redrive: aws sqs start-message-move-task --source-arn arn:aws:sqs:r:1:Dead --destination-arn arn:aws:sqs:r:1:Work',
      'delete: POST /dead-letters/Dead/delete {"messageIds":["…"],"reason":"…"}',
    ],
    [
      'prices-held',
      'warning',
      's-1',
      '2026-11-21T08:00:02Z',
      'release: POST /stores/s-1/release',
      'discard: POST /stores/s-1/discard {"what":"prices"}',
    ],
    [
      'batch-unresolved',
      'warning',
      's-1',
      '2026-11-21T08:20:00.000Z',
      'read-back: POST /batches/b-1/read-back',
    ],
    [
      'batch-unresolved',
      'warning',
      's-1',
      '2026-11-21T08:25:00.000Z',
      'resolve-accepted: POST /batches/b-2/resolve {"rest":"accepted"}',
      'resolve-rejected: POST /batches/b-2/resolve {"rest":"rejected"}',
    ],
    [
      'listing-contested',
      'warning',
      's-1',
      '2026-11-21T08:00:03Z',
      'repair: POST /stores/s-1/drift/repair {"targets":["sku:A"]}',
    ],
    ['summary-unmatched', 'notice', 's-1', '2026-11-21T09:00:00Z', 'discard: POST /summaries/b-9/discard'],
  ]);
  for (const { call, remedies } of attention) expect(remedies.map((one) => one.call)).toContain(call);
  expect(attention[1]?.call).toBe('POST /stores/s%2F2/resume');
  for (const { why } of attention) expect(why).not.toBe('');
  const refused = attention.find(({ kind }) => kind === 'partner-refused');
  expect(refused?.why).toBe(
    'nothing is sent: AUTH_010: no; the call replaces the whole secret: keep its webhookSecrets, if it has any',
  );
  const unknown = attention.find(({ kind }) => kind === 'order-unknown');
  expect(unknown?.why).toBe('order o-1: the outcome of the decision is unknown (accept)');
  expect(unknown?.lookAt).toContain("marketplace's own pages");
});

test('no more than `limit` of each kind is listed, and `more` names the kinds that have more', async () => {
  const { ports, holdPrices, contest, leaveUnknown, leaveUnresolved } = setUp();
  for (const storeClientId of ['s-1', 's-2']) {
    const facts = { state: 'suspended' as const, updatedAt: '2026-11-21T08:00:00Z' };
    await ports.stores.put({ ...connectedStore(facts), storeClientId });
    await holdPrices(storeClientId, '2026-11-21T08:00:00Z');
    await contest(storeClientId, 'sku:A', '2026-11-21T08:00:03Z');
    await leaveUnknown(storeClientId, 'o-1', '2026-11-21T09:59:59.999Z');
    await leaveUnresolved(`b-${storeClientId}`, 'catalog-sync');
    await recordSummary(ports, { batchId: `u-${storeClientId}` }, finalSummary());
  }
  const kinds = [
    'store-suspended',
    'order-unknown',
    'dead-letters',
    'prices-held',
    'batch-unresolved',
    'listing-contested',
    'summary-unmatched',
  ];
  const letters = ['a', 'b'].map((name) => ({
    topic: name,
    arn: `arn:${name}-dead`,
    queueArn: `arn:${name}`,
    messages: 1,
  }));
  const full = { ...ports, deadLetters: { count: 7, list: async () => letters } };
  const cut = await listAttention(full, 1);
  expect(cut.attention.map(({ kind }) => kind)).toEqual(kinds);
  expect(cut.more).toEqual(kinds);
  const all = await listAttention(full, 2);
  expect(all).toMatchObject({ attention: { length: 14 }, more: [] });
});

test('of more than `limit` suspended stores and unknown orders the oldest are listed', async () => {
  const { ports, leaveUnknown } = setUp();
  for (const [storeClientId, hour] of [
    ['s-1', '09'],
    ['s-2', '08'],
  ] as const) {
    const facts = { state: 'suspended' as const, updatedAt: `2026-11-21T${hour}:00:00Z` };
    await ports.stores.put({ ...connectedStore(facts), storeClientId });
    await leaveUnknown(storeClientId, 'o-1', `2026-11-21T${hour}:30:00Z`);
  }
  const { attention } = await listAttention(ports, 1);
  expect(attention.map(({ kind, storeClientId }) => [kind, storeClientId])).toEqual([
    ['store-suspended', 's-2'],
    ['order-unknown', 's-2'],
  ]);
});

test('stock and prices that wait for an unbound store are listed, and not those of a store that is connected', async () => {
  const { ports } = setUp();
  const unbound = { state: 'unbound' as const, updatedAt: '2026-11-21T08:00:00Z' };
  for (const storeClientId of ['gone', 'empty'])
    await ports.stores.put({ ...connectedStore(unbound), storeClientId });
  await ports.stores.put({ ...connectedStore(), storeClientId: 'here' });
  const since = Date.parse('2026-11-21T09:00:00Z');
  const page = { page: '1#000000000000001#a', since, putAt: since };
  await ports.pages.putAll([
    { ...page, storeClientId: 'gone', targets: ['sku:A', 'sku:B'] },
    { ...page, storeClientId: 'here', targets: ['sku:A'] },
  ]);
  const { attention, checked } = await listAttention(ports, 10);
  expect(attention).toMatchObject([
    {
      kind: 'store-unbound',
      severity: 'warning',
      storeClientId: 'gone',
      since: '2026-11-21T09:00:00.000Z',
      why: 'it is unbound: stock or prices of 2 listings wait until it is connected again',
      // Nothing is dropped by who makes the first call that needs nothing more.
      call: 'POST /stores/onboarding',
      remedies: [
        { name: 'onboard', call: 'POST /stores/onboarding' },
        { name: 'rotate-token', call: 'PUT /stores/gone {"storeToken":"…"}' },
        { name: 'discard', call: 'POST /stores/gone/discard {"what":"everything"}' },
      ],
    },
  ]);
  expect(checked.text).toContain('stock and prices that wait for unbound stores');
});

test('alike entries are grouped with their number and a call of each for every remedy', async () => {
  const { ports, leaveUnknown, leaveUnresolved, contest } = setUp();
  for (const storeClientId of ['s-1', 's-2']) {
    const facts = { state: 'suspended' as const, updatedAt: `2026-11-21T0${storeClientId.at(-1)}:00:00Z` };
    await ports.stores.put({ ...connectedStore(facts), storeClientId });
    await leaveUnknown(storeClientId, 'o-1', '2026-11-21T09:00:00Z');
  }
  await leaveUnknown('s-1', 'o-2', '2026-11-21T08:00:00Z');
  await leaveUnresolved('b-1', 'catalog-sync');
  await leaveUnresolved('b-2', 'stock');
  await contest('s-1', 'sku:A', '2026-11-21T08:00:03Z');
  const { groups } = await listAttention(ports, 3);
  const shown = groups.map(({ kind, storeClientId, count, since }) => [kind, storeClientId, count, since]);
  expect(shown).toEqual([
    // One entry of each store: alike although of two stores.
    ['store-suspended', undefined, 2, '2026-11-21T01:00:00Z'],
    ['order-unknown', 's-1', 2, '2026-11-21T08:00:00.000Z'],
    ['order-unknown', 's-2', 1, '2026-11-21T09:00:00.000Z'],
    // One can be read back, the other can't: not alike.
    ['batch-unresolved', 's-1', 1, '2026-11-21T08:20:00.000Z'],
    ['batch-unresolved', 's-1', 1, '2026-11-21T08:20:00.000Z'],
    ['listing-contested', 's-1', 1, '2026-11-21T08:00:03Z'],
  ]);
  expect(groups[0]?.remedies.map(({ calls }) => calls)).toEqual([
    ['PUT /stores/s-1 {"storeToken":"…"}', 'PUT /stores/s-2 {"storeToken":"…"}'],
    ['POST /stores/s-1/resume', 'POST /stores/s-2/resume'],
  ]);
  expect(groups[0]?.why).toEqual([expect.stringMatching(/^s-1: /), expect.stringMatching(/^s-2: /)]);
  expect(groups[1]?.remedies.map(({ calls }) => calls.length)).toEqual([2, 2, 2]);
});

describe('a file that failed', () => {
  const file = (importId: string, facts: Partial<ImportRecord> = {}): ImportRecord => ({
    importId,
    storeClientId: 's-1',
    bucket: 'files',
    key: `stock/s-1/${importId}.csv`,
    putAt: '2026-11-21T09:00:00.000Z',
    startedAt: '2026-11-21T09:00:00.000Z',
    reading: { ...nothingSent, rows: 2, rejected: { ROW_INVALID: 2 } },
    ...facts,
  });
  const nothingSent = { sent: 0, rejected: {}, commands: 0, rows: 0, endedAt: '2026-11-21T09:00:05.000Z' };
  const sentAll = { ...nothingSent, sent: 2, commands: 1, rows: 2 };
  const fault = { code: 'FILE_COLUMNS_UNKNOWN', message: 'unknown columns' };
  const listed = async (...files: ImportRecord[]) => {
    const { ports } = setUp();
    for (const one of files) await ports.imports.update(one.importId, () => one);
    const { attention, groups } = await listAttention(ports, 10);
    return { ports, attention, groups };
  };

  test('of one row says so', async () => {
    const one = file('one', { reading: { ...nothingSent, rows: 1, rejected: { ROW_INVALID: 1 } } });
    const { attention } = await listed(one);
    expect(attention[0]?.why).toContain('one.csv: its one row was rejected with ROW_INVALID;');
  });

  test('is listed with why, to be corrected and put again, or left; files of one store are counted together', async () => {
    const unread = file('unread', { reading: { ...nothingSent, fault } });
    const { attention, groups } = await listed(file('rejected'), unread);
    expect(attention.map(({ kind, severity, why, call }) => [kind, severity, why, call])).toEqual([
      [
        'import-failed',
        'warning',
        'stock/s-1/rejected.csv: all 2 rows were rejected, most with ROW_INVALID; GET /imports/rejected has more',
        'POST /imports/rejected/discard',
      ],
      [
        'import-failed',
        'warning',
        'stock/s-1/unread.csv: it was not read to its end: FILE_COLUMNS_UNKNOWN: unknown columns; GET /imports/unread has more',
        'POST /imports/unread/discard',
      ],
    ]);
    expect(groups).toMatchObject([{ kind: 'import-failed', storeClientId: 's-1', count: 2 }]);
    expect(groups[0]?.remedies[0]?.calls).toEqual([
      'aws s3 cp … s3://files/stock/s-1/rejected.csv',
      'aws s3 cp … s3://files/stock/s-1/unread.csv',
    ]);
  });

  test.each([
    ['some of its rows were sent', file('partly', { reading: { ...sentAll, sent: 1 } })],
    [
      'the marketplace has rejected all of its rows',
      file('refused', {
        reading: sentAll,
        followed: { accepted: 0, superseded: 0, rejected: { INV_001: 2 }, batches: [] },
      }),
    ],
    ['it was only checked', file('dry', { key: 'dry-run/stock/s-1/a.csv' })],
    ['it is still read', file('reading', { reading: undefined })],
    ['it is held', file('held', { numbers: { hold: { since: '2026-11-21T09:00:00.000Z', reason: 'x' } } })],
    ['it is empty', file('empty', { reading: nothingSent })],
    ['it failed more than 7 days ago', file('old', { putAt: '2026-11-14T09:59:59.000Z' })],
  ])('is not listed as failed if %s', async (_, one) => {
    const { attention } = await listed(one);
    expect(attention.filter(({ kind }) => kind === 'import-failed')).toEqual([]);
  });

  test('is over once another file was put under its key, which may have failed itself, or a person has left it', async () => {
    const failed = file('first');
    const later = { key: failed.key, putAt: '2026-11-21T09:30:00.000Z' };
    expect((await listed(failed, file('second', later))).attention).toMatchObject([
      { call: 'POST /imports/second/discard' },
    ]);
    const unread = file('second', { ...later, reading: undefined });
    expect((await listed(failed, unread)).attention).toMatchObject([{ call: 'POST /imports/first/discard' }]);
    expect((await listed(failed, file('second', { ...later, reading: sentAll }))).attention).toEqual([]);
    const { ports } = await listed(failed);
    expect(await discardImport(ports, 'first')).toMatchObject({ leftAt: new Date(NOW).toISOString() });
    expect((await listAttention(ports, 10)).attention).toEqual([]);
    await discardImport(ports, 'first');
  });
});

test('an order of unknown outcome says until when its request may still take effect, and not after that', () => {
  const at = '2026-11-22T08:00:00.000Z';
  const until = Date.parse(at) + 30_000;
  const decision = {
    state: 'unknown',
    decision: 'accept',
    commandId: 'c-1',
    recordId: 'r-1',
    startedAt: at,
    endedAt: at,
    lock: { holder: 'r-1', until },
  } as const;
  const order = { storeClientId: 's-1', orderKey: 'orderId:o-1', orderId: 'o-1', decision };
  const said = 'order o-1: the outcome of the decision is unknown (accept)';
  expect(describeUnknownOrder(order, until - 1)[0]?.why).toBe(
    `${said}; its request may still take effect until 2026-11-22T08:00:30.000Z`,
  );
  expect(describeUnknownOrder(order, until)[0]?.why).toBe(said);
});
