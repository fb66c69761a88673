import { describe, expect, test } from 'vitest';
import type { BatchRecord, Submission } from '../../../../shared/batches/model.ts';
import { withResolution } from '../../../../shared/batches/rules/apply-fact.ts';
import { readBackBatch, resolveBatch } from '../../../../shared/batches/use-cases/operate-batch.ts';
import { recordSubmission, recordSummary } from '../../../../shared/batches/use-cases/record-batch.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../../doubles/in-memory-request-archive.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { connectedStore } from '../../stores/store-ports.ts';
import { failure } from '../../support/failure.ts';
import { finalSummary, rejected, resolution, submission } from '../batch-facts.ts';

const DEADLINE = Date.parse('2026-11-21T08:15:00.000Z');
const HOUR = 3_600_000;
const sent = ['A', 'B', 'C'].map((sku) => ({ sku, externalId: `x-${sku}` }));

async function setUp(facts: Partial<Submission> = {}) {
  const published: OutgoingEvent[] = [];
  const ends: BatchRecord[] = [];
  const products = new Set(['A', 'B', 'C']);
  const failing = new Map<string, string>();
  const time = { now: DEADLINE + HOUR };
  const ports = {
    batches: inMemoryBatchTable(),
    archive: inMemoryRequestArchive(),
    stores: inMemoryStoreTable(),
    events: inMemoryEventPublisher(undefined, published),
    rejections: inMemoryRejectionTable(),
    clock: { now: () => time.now },
    pageSize: 50,
    onEnd: async (batch: BatchRecord) => void ends.push(batch),
    marketplace: {
      getProductBySku: async (_: unknown, { sku }: { sku: string }) => {
        const code = failing.get(sku);
        if (code !== undefined) throw failure(code);
        if (!products.has(sku)) throw failure('PRD_014');
        return { data: { id: sku, externalId: `x-${sku}` } } as never;
      },
      getProduct: async () => expect.unreachable(),
      listProducts: async () => expect.unreachable(),
    },
  };
  await ports.stores.put(connectedStore());
  await ports.archive.put('requests/a-1.json', sent);
  await recordSubmission(ports, submission({ requestKey: 'requests/a-1.json', names: sent, ...facts }));
  /** Makes the batch unresolved, with these rows unknown. */
  const leaveUnresolved = (...rows: number[]) => {
    const unknownRows = rows.map((rowIndex) => ({ rowIndex }));
    return ports.batches.update('b-1', (batch) => withResolution(batch, resolution({ unknownRows })));
  };
  const readBack = () =>
    readBackBatch(ports, 'b-1', {
      graceMs: HOUR,
      callBudget: 100,
      signal: new AbortController().signal,
    });
  const typesOf = () => published.map(({ detailType }) => detailType);
  return { ports, products, failing, time, ends, published, leaveUnresolved, readBack, typesOf };
}

describe('a read-back that an operator requests', () => {
  test('ends an unresolved batch by what is at the marketplace, with the events and effects of any end', async () => {
    const { leaveUnresolved, readBack, products, typesOf, ends } = await setUp();
    await leaveUnresolved(0, 1);
    products.delete('B');
    expect(await readBack()).toMatchObject({
      state: 'completed_with_errors',
      rows: { sent: 3, accepted: 2, rejected: 1, unknown: 0 },
      rejectedRows: [{ rowIndex: 1, sku: 'B', code: 'NOT_FOUND_BY_READ_BACK' }],
    });
    expect(typesOf()).toEqual(['batch.submitted', 'batch.completed', 'rows.rejected']);
    expect(ends.map(({ state }) => state)).toEqual(['completed_with_errors']);
  });

  test('keeps the rows that it read when others can not be read, and fails with the reason', async () => {
    const { ports, leaveUnresolved, readBack, failing } = await setUp();
    await leaveUnresolved(0, 1);
    failing.set('B', 'SYS_DEP_503');
    expect(await readBack()).toMatchObject({ state: 'unresolved', unknownRows: [{ rowIndex: 1 }] });
    failing.set('B', 'AUTH_014');
    await expect(readBack()).rejects.toMatchObject({ code: 'STORE_NOT_CONNECTED' });
    failing.clear();
    await ports.stores.put(connectedStore());
    expect(await readBack()).toMatchObject({ state: 'completed', rows: { accepted: 3 } });
  });

  test('keeps an outcome that was recorded while it read', async () => {
    const { ports, leaveUnresolved, readBack, failing } = await setUp();
    await leaveUnresolved(0, 1);
    failing.set('B', 'SYS_DEP_503');
    const read = ports.marketplace.getProductBySku;
    ports.marketplace.getProductBySku = async (store, request) => {
      const rejectedRows = [rejected(1)];
      await ports.batches.update('b-1', (batch) =>
        withResolution(batch, resolution({ rejectedRows, unknownRows: [{ rowIndex: 0 }] })),
      );
      return read(store, request);
    };
    expect(await readBack()).toMatchObject({
      state: 'completed_with_errors',
      rejectedRows: [{ rowIndex: 1, code: 'VAL_001' }],
    });
  });

  test('is refused before the deadline of a batch that waits for its final summary, and ends the batch after it', async () => {
    const { readBack, time, products } = await setUp();
    time.now = DEADLINE - 1;
    await expect(readBack()).rejects.toMatchObject({ code: 'BATCH_OPEN' });
    time.now = DEADLINE;
    products.clear();
    expect(await readBack()).toMatchObject({ state: 'failed', rows: { rejected: 3 } });
    await expect(readBack()).rejects.toMatchObject({ code: 'BATCH_ENDED' });
  });
});

describe('an operator’s resolution', () => {
  test('ends an unresolved batch, row by row, with the events and effects of any end', async () => {
    const { ports, leaveUnresolved, published, ends } = await setUp();
    await leaveUnresolved(0, 1);
    const rows = [
      { rowIndex: 0, outcome: 'accepted' as const },
      { rowIndex: 1, outcome: 'rejected' as const },
    ];
    expect(await resolveBatch(ports, 'b-1', { rows })).toMatchObject({
      state: 'completed_with_errors',
      completedAt: '2026-11-21T09:15:00.000Z',
      rows: { sent: 3, accepted: 2, rejected: 1, unknown: 0 },
      rejectedRows: [{ rowIndex: 1, sku: 'B', code: 'REJECTED_BY_OPERATOR' }],
      resolution: { by: 'operator' },
    });
    expect(published.slice(1)).toMatchObject([
      { detailType: 'batch.completed', detail: { batchId: 'b-1', state: 'completed_with_errors' } },
      { detailType: 'rows.rejected', detail: { rows: [{ code: 'REJECTED_BY_OPERATOR' }] } },
    ]);
    expect(ends.map(({ batchId }) => batchId)).toEqual(['b-1']);
  });

  test('gives the outcome of all other rows with `rest`', async () => {
    const { ports, leaveUnresolved } = await setUp();
    await leaveUnresolved(0, 1, 2);
    const rows = [{ rowIndex: 2, outcome: 'rejected' as const }];
    expect(await resolveBatch(ports, 'b-1', { rows, rest: 'accepted' })).toMatchObject({
      rows: { accepted: 2, rejected: 1, unknown: 0 },
    });
  });

  test.each([
    [
      'leaves an unknown row out',
      [{ rowIndex: 0, outcome: 'accepted' as const }],
      'ROWS_NOT_NAMED',
      /rest.*: 1$/,
    ],
    [
      'names a row whose outcome is known',
      [0, 1, 2].map((rowIndex) => ({ rowIndex, outcome: 'accepted' as const })),
      'ROW_NOT_UNKNOWN',
      /: 2$/,
    ],
  ])('that %s changes nothing', async (_, rows, code, message) => {
    const { ports, leaveUnresolved } = await setUp();
    const before = await leaveUnresolved(0, 1);
    await expect(resolveBatch(ports, 'b-1', { rows })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await ports.batches.get('b-1')).toEqual(before);
  });

  test('is refused for a batch that has ended, waits for its summary, or does not exist', async () => {
    const { ports, leaveUnresolved, time } = await setUp();
    const word = { rows: [], rest: 'accepted' as const };
    time.now = DEADLINE - 1;
    await expect(resolveBatch(ports, 'b-1', word)).rejects.toMatchObject({ code: 'BATCH_OPEN' });
    time.now = DEADLINE;
    await leaveUnresolved(0);
    await resolveBatch(ports, 'b-1', word);
    await expect(resolveBatch(ports, 'b-1', word)).rejects.toMatchObject({ code: 'BATCH_ENDED' });
    await recordSummary(ports, { batchId: 'b-2' }, finalSummary());
    for (const batchId of ['b-2', 'b-3'])
      await expect(resolveBatch(ports, batchId, word)).rejects.toMatchObject({ code: 'BATCH_UNKNOWN' });
  });

  test('is kept against a later, contradicting final summary, which is reported', async () => {
    const { ports, leaveUnresolved, typesOf } = await setUp();
    await leaveUnresolved(0);
    await resolveBatch(ports, 'b-1', { rows: [], rest: 'accepted' });
    const late = finalSummary({ summary: { total: 3, failed: 1, pending: 0 }, rejectedRows: [rejected(0)] });
    expect(await recordSummary(ports, { batchId: 'b-1' }, late)).toMatchObject({ state: 'completed' });
    expect(typesOf()).toEqual(['batch.submitted', 'batch.completed', 'summary.contradicted']);
  });
});
