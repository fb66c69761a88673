import { beforeEach, describe, expect, test } from 'vitest';
import { createBatchTable } from '../../../shared/aws/batch-table.ts';
import type { BatchRecord, Submission } from '../../../shared/batches/model.ts';
import type { BatchTable } from '../../../shared/batches/ports.ts';
import { batchFrom } from '../../../shared/batches/rules/settle-batch.ts';
import { inMemoryBatchTable } from '../../doubles/in-memory-batch-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';

const local = useLocalTables();

describe.each<[string, () => BatchTable]>([
  ['in memory', () => inMemoryBatchTable()],
  ['on DynamoDB', () => createBatchTable(local().client, local().tableName('Batches'))],
])('BatchTable %s', (_, create) => {
  let batches: BatchTable;
  let store: string;

  beforeEach(() => {
    batches = create();
    store = freshId('store');
  });

  const record = (facts: Partial<Submission> = {}): BatchRecord => {
    const submission: Submission = {
      batchId: freshId('batch'),
      kind: 'stock',
      storeClientId: store,
      attemptId: 'attempt-1',
      submittedAt: '2026-01-01T00:00:01.000Z',
      deadlineAt: '2026-01-01T00:15:01.000Z',
      sentRows: 2,
      rejectedRows: [{ rowIndex: 1, code: 'INV_001', message: 'Invalid SKU', sku: 'A' }],
      endsBy: 'answer',
      ...facts,
    };
    return batchFrom(submission.batchId, { submission });
  };
  const put = async (batch: BatchRecord) => {
    await batches.update(batch.batchId, () => batch);
    return batch;
  };
  const idsOf = (page: { batches: BatchRecord[] }) => page.batches.map(({ batchId }) => batchId);

  test('update makes a record and get reads it back whole', async () => {
    const batch = await put(record());
    expect(await batches.get(batch.batchId)).toEqual(batch);
    expect(await batches.get(freshId('batch'))).toBeUndefined();
  });

  test('a batch of 1,000 rows that all failed, in the answer and in the final summary, is kept whole', async () => {
    const rejectedRows = Array.from({ length: 1000 }, (_, rowIndex) => ({
      rowIndex,
      code: 'VAL_001',
      message: 'the row breaks a rule that takes a while to explain',
      sku: `SKU-${rowIndex}`,
      externalId: freshId('external'),
      details: {
        retryable: false,
        context: { validationErrors: { price: `must be more than ${rowIndex}` } },
      },
    }));
    const { submission, batchId } = record({ sentRows: 1000, rejectedRows, endsBy: 'summary' });
    const finalSummary = {
      receivedAt: '2026-01-01T00:00:09.000Z',
      summary: { total: 1000, failed: 1000, pending: 0 },
      rejectedRows,
    };
    const batch = await put(batchFrom(batchId, { submission, finalSummary }));
    expect(JSON.stringify(batch).length).toBeGreaterThan(3 * 200_000);
    expect(await batches.get(batchId)).toEqual(batch);
    const { batches: listed } = await batches.list({ storeClientId: store });
    expect(listed).toMatchObject([{ batchId, state: 'failed', rows: { rejected: 1000 } }]);
  });

  test('update writes nothing where there is nothing to change', async () => {
    const batch = await put(record());
    expect(await batches.update(batch.batchId, () => undefined)).toEqual(batch);
    expect(await batches.get(batch.batchId)).toEqual(batch);
  });

  test('update applies the change anew when another writer came between', async () => {
    const { batchId } = await put(record());
    const announce = (announced: BatchRecord['announced'][number]) =>
      batches.update(
        batchId,
        (current) => current && { ...current, announced: [...current.announced, announced] },
      );
    await Promise.all([
      announce('batch.submitted'),
      announce('batch.completed'),
      announce('batch.unresolved'),
    ]);
    expect((await batches.get(batchId))?.announced.toSorted()).toEqual([
      'batch.completed',
      'batch.submitted',
      'batch.unresolved',
    ]);
  });

  test('link finds the batch that a request began', async () => {
    const requestId = freshId('request');
    expect(await batches.linkedTo(requestId)).toBeUndefined();
    await batches.link(requestId, 'batch-7');
    await batches.link(requestId, 'batch-7');
    expect(await batches.linkedTo(requestId)).toBe('batch-7');
  });

  test('listUnannounced gives the batches of which an event is due, the oldest first', async () => {
    const first = await put(record({ submittedAt: '2025-01-01T00:00:01.000Z', endsBy: 'summary' }));
    const second = await put(record({ submittedAt: '2025-01-01T00:00:02.000Z' }));
    const told = record({ submittedAt: '2025-01-01T00:00:02.000Z' });
    await put({ ...told, announced: ['batch.submitted', 'batch.completed'] });
    await put(record({ submittedAt: '2025-01-01T00:00:03.000Z' }));
    const due = () =>
      readAllPages(async (page) => {
        const { batchIds, ...rest } = await batches.listUnannounced({
          dueBefore: '2025-01-01T00:00:03.000Z',
          ...page,
        });
        return { entries: batchIds, ...rest };
      });
    expect(await due()).toEqual([first.batchId, second.batchId]);
    await batches.update(
      first.batchId,
      (current) => current && { ...current, announced: ['batch.submitted'] },
    );
    expect(await due()).toEqual([second.batchId]);
  });

  describe('list', () => {
    test("gives a store's batches, newest first, or oldest first", async () => {
      const first = await put(record({ submittedAt: '2026-01-01T00:00:01.000Z' }));
      const second = await put(record({ submittedAt: '2026-01-01T00:00:02.000Z' }));
      expect(idsOf(await batches.list({ storeClientId: store }))).toEqual([second.batchId, first.batchId]);
      const oldestFirst = await batches.list({ storeClientId: store, oldestFirst: true });
      expect(idsOf(oldestFirst)).toEqual([first.batchId, second.batchId]);
    });

    test('keeps to a state, a kind and a time', async () => {
      await put(record({ submittedAt: '2026-01-01T00:00:01.000Z', kind: 'price' }));
      const open = record({
        submittedAt: '2026-01-01T00:00:02.000Z',
        kind: 'catalog-sync',
        endsBy: 'summary',
      });
      await put(open);
      expect(idsOf(await batches.list({ storeClientId: store, state: 'submitted' }))).toEqual([open.batchId]);
      expect(idsOf(await batches.list({ storeClientId: store, kind: 'catalog-sync' }))).toEqual([
        open.batchId,
      ]);
      const since = { storeClientId: store, since: '2026-01-01T00:00:02.000Z' };
      expect(idsOf(await batches.list(since))).toEqual([open.batchId]);
    });

    test('names a summary that matches no batch only when that is asked for', async () => {
      const finalSummary = {
        receivedAt: '2026-01-01T00:00:02.000Z',
        storeClientId: store,
        summary: { total: 1, failed: 0, pending: 0 },
        rejectedRows: [],
      };
      const batch = await put(record());
      const { batchId } = await put(batchFrom(freshId('batch'), { finalSummary }));
      expect(idsOf(await batches.list({ storeClientId: store }))).toEqual([batch.batchId]);
      expect(idsOf(await batches.list({ storeClientId: store, state: 'unmatched' }))).toEqual([batchId]);
    });

    test('gives the batches of one state over all stores', async () => {
      const open = await put(record({ endsBy: 'summary', rejectedRows: [] }));
      expect(idsOf(await batches.list({ state: 'submitted', limit: 1_000 }))).toContain(open.batchId);
      expect(idsOf(await batches.list({ state: 'failed', limit: 1_000 }))).not.toContain(open.batchId);
    });

    test('gives every batch once, page by page', async () => {
      const made = await Promise.all(
        [1, 2, 3, 4, 5].map((second) => put(record({ submittedAt: `2026-01-01T00:00:0${second}.000Z` }))),
      );
      const all = await readAllPages(async (page) => {
        const { batches: entries, ...rest } = await batches.list({ storeClientId: store, ...page });
        return { entries, ...rest };
      });
      expect(all.map(({ batchId }) => batchId)).toEqual(made.map(({ batchId }) => batchId).toReversed());
    });

    test('refuses to look through everything', async () => {
      await expect(batches.list({ kind: 'stock' })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
    });
  });
});
