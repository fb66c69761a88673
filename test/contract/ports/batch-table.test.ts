import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { createBatchTable } from '../../../shared/aws/batch-table.ts';
import type { BatchRecord, Submission } from '../../../shared/batches/model.ts';
import type { BatchTable } from '../../../shared/batches/ports.ts';
import { batchFrom } from '../../../shared/batches/rules/batch-record.ts';
import { ConnectorError } from '../../../shared/errors/connector-error.ts';
import { inMemoryBatchTable } from '../../doubles/in-memory-batch-table.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();

interface Opened {
  readonly tableName: string;
  readonly batches: BatchTable;
  /** Replaces an item without validation. */
  readonly putItem: (item: BatchRecord & Record<string, unknown>) => Promise<unknown>;
}

function openInMemory(): Opened {
  const items = new VersionedItems<BatchRecord>();
  const putItem: Opened['putItem'] = async (item) =>
    items.replace(item.batchId, item, items.read(item.batchId)?.revision, {});
  return { tableName: 'Batches', batches: inMemoryBatchTable(undefined, items), putItem };
}

function openOnDynamoDb(): Opened {
  const { client } = local();
  const tableName = local().tableName('Batches');
  return {
    tableName,
    batches: createBatchTable(client, tableName, 90),
    putItem: (Item) => client.send(new PutCommand({ TableName: tableName, Item })),
  };
}

describe.each<[string, () => Opened]>([
  ['in memory', openInMemory],
  ['on DynamoDB', openOnDynamoDb],
])('BatchTable %s', (_, open) => {
  let batches: BatchTable;
  let putItem: Opened['putItem'];
  let tableName: string;
  let store: string;

  beforeEach(() => {
    ({ tableName, batches, putItem } = open());
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
  const idsOf = (page: { batches: Pick<BatchRecord, 'batchId'>[] }) =>
    page.batches.map(({ batchId }) => batchId);
  type Named = Pick<BatchRecord, 'batchId'>;
  /** The IDs of the listed batches that belong to the test, in their order. */
  const among = (listed: readonly Named[], own: readonly Named[]) => {
    const ids = new Set(own.map(({ batchId }) => batchId));
    return listed.map(({ batchId }) => batchId).filter((batchId) => ids.has(batchId));
  };

  test('update starts from the record of the caller, and from the newest one if that is outdated', async () => {
    const first = await put(record());
    const { batchId } = first;
    const seen: (readonly string[] | undefined)[] = [];
    const retryAs = (commandId: string) => (current: BatchRecord | undefined) => {
      seen.push(current?.retries);
      return current && { ...current, retries: [...(current.retries ?? []), commandId] };
    };
    await batches.update(batchId, retryAs('a'), first);
    await batches.update(batchId, retryAs('b'), first);
    expect(seen).toEqual([undefined, undefined, ['a']]);
    expect((await batches.get(batchId))?.retries).toEqual(['a', 'b']);
  });

  versionedTableContract<BatchRecord>(() => {
    const made = record();
    return {
      update: (change) => batches.update(made.batchId, change),
      numbered: (unknown) => ({ ...made, rows: { ...made.rows, unknown } }),
      numberOf: ({ rows }) => rows.unknown,
    };
  });

  test('a link of a request is no batch for get and update', async () => {
    const requestId = freshId('request');
    await batches.link(requestId, 'b-1');
    expect(await batches.linkedTo(requestId)).toBe('b-1');
    expect(await batches.get(`request:${requestId}`)).toBeUndefined();
    expect(await batches.update(`request:${requestId}`, () => undefined)).toBeUndefined();
  });

  test('what is known of sent rows is no batch for get and list, and is changed by one writer after the other', async () => {
    const key = freshId('rows');
    expect(await batches.updateSentRows(key, () => undefined)).toBeUndefined();
    await batches.updateSentRows(key, () => ({ recordId: 'a-1', isShared: false, summaryIds: [] }));
    await Promise.all(
      ['b-1', 'b-2'].map((id) =>
        batches.updateSentRows(
          key,
          (current) => current && { ...current, summaryIds: [...current.summaryIds, id].sort() },
        ),
      ),
    );
    expect(await batches.updateSentRows(key, () => undefined)).toEqual({
      recordId: 'a-1',
      isShared: false,
      summaryIds: ['b-1', 'b-2'],
    });
    expect(await batches.get(`rows:${key}`)).toBeUndefined();
    expect(await batches.update(`rows:${key}`, () => undefined)).toBeUndefined();
  });

  test('update creates a record and get returns it whole', async () => {
    const batch = await put(record());
    expect(await batches.get(batch.batchId)).toEqual(batch);
    expect(await batches.get(freshId('batch'))).toBeUndefined();
  });

  test('update stores a batch of 1,000 rows that all failed, in answer and final summary, and list never shows it without failures', async () => {
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
    expect([undefined, rejectedRows]).toContainEqual(listed[0]?.rejectedRows);
  });

  test('link finds the batch that a request began', async () => {
    const requestId = freshId('request');
    expect(await batches.linkedTo(requestId)).toBeUndefined();
    await batches.link(requestId, 'batch-7');
    await batches.link(requestId, 'batch-7');
    expect(await batches.linkedTo(requestId)).toBe('batch-7');
  });

  test('relink replaces a link only if it is the expected one, and no link only if there is none', async () => {
    const requestId = freshId('request');
    expect(await batches.relink(requestId, 'b-0', 'b-1')).toBe(false);
    expect(await batches.relink(requestId, undefined, 'b-1')).toBe(true);
    expect(await batches.relink(requestId, undefined, 'b-2')).toBe(false);
    expect(await batches.linkedTo(requestId)).toBe('b-1');
    expect(await batches.relink(requestId, 'b-1', 'b-2')).toBe(true);
    expect(await batches.linkedTo(requestId)).toBe('b-2');
  });

  test('listUnannounced returns the batches with an event to publish, the oldest first', async () => {
    const first = await put(record({ submittedAt: '2025-01-01T00:00:01.000Z', endsBy: 'summary' }));
    const second = await put(record({ submittedAt: '2025-01-01T00:00:02.000Z' }));
    const announced = record({ submittedAt: '2025-01-01T00:00:02.000Z' });
    await put({ ...announced, announced: ['batch.submitted', 'batch.completed'] });
    const later = await put(record({ submittedAt: '2025-01-01T00:00:03.000Z' }));
    const due = async () => {
      const all = await readAllPages(async (page) => {
        const { batchIds, ...rest } = await batches.listUnannounced({
          dueBefore: '2025-01-01T00:00:03.000Z',
          ...page,
        });
        return { entries: batchIds.map((batchId) => ({ batchId })), ...rest };
      });
      return among(all, [first, second, announced, later]);
    };
    expect(await due()).toEqual([first.batchId, second.batchId]);
    await batches.update(
      first.batchId,
      (current) => current && { ...current, announced: ['batch.submitted'] },
    );
    expect(await due()).toEqual([second.batchId]);
  });

  describe('list', () => {
    test('returns the batches of a store, newest first', async () => {
      const first = await put(record({ submittedAt: '2026-01-01T00:00:01.000Z' }));
      const second = await put(record({ submittedAt: '2026-01-01T00:00:02.000Z' }));
      expect(idsOf(await batches.list({ storeClientId: store }))).toEqual([second.batchId, first.batchId]);
    });

    test('filters by state, kind and time', async () => {
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

    test('returns unmatched summaries only when they are asked for', async () => {
      const finalSummary = {
        receivedAt: new Date().toISOString(),
        storeClientId: store,
        summary: { total: 1, failed: 0, pending: 0 },
        rejectedRows: [],
      };
      const batch = await put(record());
      const { batchId } = await put(batchFrom(freshId('batch'), { finalSummary }));
      expect(idsOf(await batches.list({ storeClientId: store }))).toEqual([batch.batchId]);
      expect(idsOf(await batches.list({ storeClientId: store, state: 'unmatched' }))).toEqual([batchId]);
    });

    test('returns the batches of one state over all stores', async () => {
      const open = await put(record({ endsBy: 'summary', rejectedRows: [] }));
      expect(idsOf(await batches.list({ state: 'submitted', limit: 1_000 }))).toContain(open.batchId);
      expect(idsOf(await batches.list({ state: 'failed', limit: 1_000 }))).not.toContain(open.batchId);
    });

    test('returns every batch once, page by page', async () => {
      const made = await Promise.all(
        [1, 2, 3, 4, 5].map((second) => put(record({ submittedAt: `2026-01-01T00:00:0${second}.000Z` }))),
      );
      const all = await readAllPages(async (page) => {
        const { batches: entries, ...rest } = await batches.list({ storeClientId: store, ...page });
        return { entries, ...rest };
      });
      expect(all.map(({ batchId }) => batchId)).toEqual(made.map(({ batchId }) => batchId).toReversed());
    });

    test('fills a page with matching batches, however many others lie between', async () => {
      const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
      const prices = await Promise.all(
        [1, 20, 21].map((second) => put(record({ submittedAt: at(second), kind: 'price' }))),
      );
      await Promise.all(
        [...Array(9).keys()].map((second) => put(record({ submittedAt: at(second + 30), kind: 'stock' }))),
      );
      const query = { storeClientId: store, kind: 'price', limit: 2 } as const;
      const first = await batches.list(query);
      expect(idsOf(first)).toEqual([prices[2]?.batchId, prices[1]?.batchId]);
      const second = await batches.list({ ...query, cursor: first.cursor });
      expect(idsOf(second)).toEqual([prices[0]?.batchId]);
      expect(second.cursor).toBeUndefined();
    });

    test('returns the batches of all stores and states, newest first, page by page', async () => {
      const at = (second: number) => `2031-01-01T00:00:0${second}.000Z`;
      const made = [
        await put(record({ submittedAt: at(1), endsBy: 'summary' })),
        await put(record({ submittedAt: at(2), rejectedRows: [], storeClientId: freshId('store') })),
        await put(record({ submittedAt: at(3), endsBy: 'summary' })),
        await put(record({ submittedAt: at(4), sentRows: 1 })),
      ];
      const unasked = await put(record({ submittedAt: at(5), kind: 'dropoff' }));
      const all = await readAllPages(async (page) => {
        const query = { kind: 'stock', since: at(1), ...page } as const;
        const { batches: entries, ...rest } = await batches.list(query);
        return { entries, ...rest };
      });
      const own = among(all, [...made, unasked]);
      expect(own).toEqual(made.map(({ batchId }) => batchId).toReversed());
    });

    test('returns every batch of one time once', async () => {
      const submittedAt = '2032-01-01T00:00:01.000Z';
      const made = await Promise.all(
        [...Array(7).keys()].map((index) =>
          put(record({ submittedAt, endsBy: index % 2 === 0 ? 'summary' : 'answer' })),
        ),
      );
      const all = await readAllPages(async (page) => {
        const { batches: entries, ...rest } = await batches.list({ since: submittedAt, ...page });
        return { entries, ...rest };
      });
      expect(among(all, made).sort()).toEqual(made.map(({ batchId }) => batchId).sort());
    });

    test('has no batch behind a cursor that is older than the wanted time', async () => {
      const at = (second: number) => `2026-02-01T00:00:0${second}.000Z`;
      const storeClientId = freshId('store');
      for (const second of [1, 2]) await put(record({ storeClientId, submittedAt: at(second) }));
      const { cursor } = await batches.list({ storeClientId, since: at(1), limit: 1 });
      expect(await batches.list({ storeClientId, since: at(9), limit: 1, cursor })).toEqual({ batches: [] });
    });

    test('returns a batch once when its state changes between two pages', async () => {
      const at = (second: number) => `2033-01-01T00:00:0${second}.000Z`;
      const older = await put(record({ submittedAt: at(1) }));
      const open = await put(record({ submittedAt: at(2), endsBy: 'summary' }));
      const first = await batches.list({ since: at(1), limit: 1 });
      await batches.update(open.batchId, (current) => current && { ...current, state: 'failed' });
      const second = await batches.list({ since: at(1), limit: 1, cursor: first.cursor });
      expect([...idsOf(first), ...idsOf(second)]).toEqual([open.batchId, older.batchId]);
      expect(second.cursor).toBeUndefined();
    });
  });

  test('listOpen returns the submitted batches, the oldest first, page by page', async () => {
    const at = (second: number) => ({ submittedAt: `2024-01-01T00:00:0${second}.000Z`, rejectedRows: [] });
    const third = await put(record({ ...at(3), endsBy: 'summary' }));
    const first = await put(record({ ...at(1), endsBy: 'summary' }));
    await put(record(at(2)));
    const second = await put(record({ ...at(2), endsBy: 'summary' }));
    const all = await readAllPages(async (page) => {
      const { batches: entries, unreadable, ...rest } = await batches.listOpen(page);
      expect(unreadable).toEqual([]);
      return { entries, ...rest };
    });
    expect(all.slice(0, 3)).toEqual([first, second, third]);
    expect(all.every(({ state }) => state === 'submitted')).toBe(true);
  });

  describe('a record that breaks its schema', () => {
    const at = (second: number) => {
      const submittedAt = `2023-01-01T00:00:0${second}.000Z`;
      return { submittedAt, endsBy: 'summary', requestId: 'r-1' } as const;
    };
    let broken: BatchRecord;
    let others: BatchRecord[];
    let unreadable: ConnectorError;

    beforeEach(async () => {
      others = [await put(record(at(1))), await put(record(at(3)))];
      broken = record(at(2));
      const { batchId } = broken;
      await putItem({ ...broken, rows: 'none' as never, listedAs: 'submitted' });
      unreadable = new ConnectorError(
        `${tableName} {"batchId":"${batchId}"} can not be read: rows: Invalid input: expected object, received string`,
        { code: 'RECORD_UNREADABLE' },
      );
      return async () => {
        for (const batch of [...others, broken]) await putItem({ ...batch, state: 'completed' });
      };
    });

    test('is reported separately from the other open batches of its page', async () => {
      const page = await batches.listOpen({ limit: 3 });
      expect(page.batches).toEqual(others);
      expect(page.unreadable).toEqual([unreadable]);
    });

    test('can not be read, changed or listed', async () => {
      await expect(batches.get(broken.batchId)).rejects.toEqual(unreadable);
      await expect(batches.update(broken.batchId, () => broken)).rejects.toEqual(unreadable);
      await expect(batches.list({ storeClientId: store })).rejects.toEqual(unreadable);
    });

    test('is included in the batches with an event to publish', async () => {
      const { batchIds } = await batches.listUnannounced({ dueBefore: '2023-01-01T00:00:03.000Z' });
      expect(batchIds).toEqual([others[0]?.batchId, broken.batchId]);
    });
  });
});
