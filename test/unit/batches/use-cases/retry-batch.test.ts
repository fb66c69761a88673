import { describe, expect, test } from 'vitest';
import { withResolution } from '../../../../shared/batches/rules/apply-fact.ts';
import { recordSubmission, recordSummary } from '../../../../shared/batches/use-cases/record-batch.ts';
import { readFailedRows, retryBatch } from '../../../../shared/batches/use-cases/retry-batch.ts';
import { type IncomingEvent, incomingDetailTypes } from '../../../../shared/events/incoming.ts';
import { parseIncomingEvent } from '../../../../shared/events/parse-incoming-event.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../../doubles/in-memory-request-archive.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { store } from '../../products/update-setup.ts';
import { finalSummary, rejected, resolution, shown, submission } from '../batch-facts.ts';

const products = [
  { sku: 'A', externalId: 'x-a' },
  { sku: 'B', externalId: 'x-b' },
  { sku: 'C', externalId: 'x-c' },
];
/** Hashes of the batch with the rows 2, and 0 with 2: the SHA-256 of its ID and their positions. */
const RETRY_OF_RETRYABLE = 'retry/535def8c87961347/b-1';
const RETRY_OF_FAILED = 'retry/668d7c840f7c5c24/b-1';
const retryable = { ...rejected(2, 'SYS_UPS_001'), details: { retryable: true } };

const NOW = Date.parse('2026-11-21T09:00:00.000Z');

/** A message of the queue, as its function reads it. */
function read(body: string) {
  const parsed = parseIncomingEvent(body, incomingDetailTypes, { messageId: 'm-1', sentAt: NOW });
  if (!parsed.ok) throw new Error(`the message is no event: ${body}`);
  return parsed.event as IncomingEvent<'catalog.sync.requested'>;
}

async function setUp(rejectedRows: unknown[] = [rejected(0), retryable], facts = {}) {
  const given: IncomingEvent<'catalog.sync.requested'>[] = [];
  const stores = new Map([[store.storeClientId, store]]);
  const ports = {
    batches: inMemoryBatchTable(),
    archive: inMemoryRequestArchive(),
    events: inMemoryEventPublisher(),
    rejections: inMemoryRejectionTable(),
    productCommands: { send: async (bodies: readonly string[]) => void given.push(...bodies.map(read)) },
    clock: { now: () => NOW },
    stores: inMemoryStoreTable(undefined, stores),
  };
  const requestKey = 'requests/a-1.json';
  await ports.archive.put(requestKey, products);
  await recordSubmission(
    ports,
    submission({ requestKey, names: products.map(({ sku, externalId }) => ({ sku, externalId })), ...facts }),
  );
  const end = () =>
    recordSummary(
      ports,
      { batchId: 'b-1' },
      finalSummary({
        summary: { total: 3, failed: rejectedRows.length, pending: 0 },
        rejectedRows: rejectedRows as ReturnType<typeof rejected>[],
      }),
    );
  return { ports, given, end, stores };
}

describe('the rejected rows of a batch', () => {
  test('are its failed rows as they were sent, with the reason', async () => {
    const { ports, end } = await setUp();
    await end();
    expect((await readFailedRows(ports, 'b-1')).rows).toEqual([
      { row: products[0], rejection: { rowIndex: 0, code: 'VAL_001', message: 'VAL_001' } },
      {
        row: products[2],
        rejection: { rowIndex: 2, code: 'SYS_UPS_001', message: 'SYS_UPS_001', details: { retryable: true } },
      },
    ]);
  });

  test('are found by their identifiers when no rowIndex is given', async () => {
    const { ports, end } = await setUp([
      { code: 'VAL_001', message: 'no', externalId: 'x-b' },
      { code: 'VAL_001', message: 'no', sku: 'C' },
    ]);
    await end();
    expect((await readFailedRows(ports, 'b-1')).rows.map(({ row }) => row)).toEqual([
      products[1],
      products[2],
    ]);
  });

  test.each([
    ['BATCH_UNKNOWN', 'no-such', {}],
    ['BATCH_OPEN', 'b-1', {}],
    ['ROWS_NOT_KEPT', 'b-1', { endsBy: 'answer', kind: 'stock', requestKey: undefined }],
    ['ROWS_NOT_KEPT', 'b-1', { endsBy: 'answer', requestKey: 'requests/expired.json' }],
  ])('are refused with %s', async (code, batchId, facts) => {
    const { ports } = await setUp([], facts);
    await expect(readFailedRows(ports, batchId)).rejects.toMatchObject({ code });
  });
});

describe('a retry', () => {
  test('sends the retryable rows as a command that names the batch', async () => {
    const { ports, given, end } = await setUp();
    await end();
    expect(await retryBatch(ports, 'b-1', 'retryable')).toEqual({
      commandId: RETRY_OF_RETRYABLE,
      rows: 1,
    });
    expect(given).toEqual([
      {
        id: RETRY_OF_RETRYABLE,
        time: NOW,
        detailType: 'catalog.sync.requested',
        detail: {
          storeClientId: 's-1',
          commandId: RETRY_OF_RETRYABLE,
          retryOf: 'b-1',
          products: [products[2]],
        },
      },
    ]);
    expect(await ports.batches.get('b-1')).toMatchObject({ retries: [RETRY_OF_RETRYABLE] });
  });

  test('sends all failed rows on request', async () => {
    const { ports, given, end } = await setUp();
    await end();
    await retryBatch(ports, 'b-1', 'failed');
    expect(given[0]?.detail.products).toEqual([products[0], products[2]]);
  });

  test('requested twice is one command, recorded once', async () => {
    const { ports, given, end } = await setUp();
    await end();
    await retryBatch(ports, 'b-1', 'failed');
    await retryBatch(ports, 'b-1', 'failed');
    expect(given[0]?.id).toBe(given[1]?.id);
    expect((await ports.batches.get('b-1'))?.retries).toHaveLength(1);
  });

  test('is a new command when a final summary has settled some rows of an unresolved batch', async () => {
    const { ports, given, end } = await setUp();
    const unknownRows = [{ rowIndex: 0 }, { rowIndex: 2 }];
    await ports.batches.update('b-1', (current) => withResolution(current, resolution({ unknownRows })));
    await retryBatch(ports, 'b-1', 'failed');
    await retryBatch(ports, 'b-1', 'failed');
    await retryBatch(ports, 'b-1', 'retryable');
    await end();
    await retryBatch(ports, 'b-1', 'retryable');
    expect(given.map(({ detail }) => detail.products.length)).toEqual([2, 2, 2, 1]);
    const [first, again, bySameRows, rest] = given.map(({ id }) => id);
    expect([again, bySameRows]).toEqual([first, first]);
    expect(rest).not.toBe(first);
  });

  test('is another command for another batch whose long ID begins alike', async () => {
    const { ports, given, end } = await setUp();
    await end();
    const batch = await ports.batches.get('b-1');
    for (const last of ['1', '2']) {
      const batchId = `${'b'.repeat(300)}${last}`;
      await ports.batches.update(batchId, () => batch && { ...batch, batchId });
      await retryBatch(ports, batchId, 'failed');
    }
    expect(given[0]?.id).not.toBe(given[1]?.id);
  });

  test('is a new command once the waiting work of its store was discarded, with the first one', async () => {
    const { ports, given, end, stores } = await setUp();
    await end();
    await retryBatch(ports, 'b-1', 'failed');
    stores.set('s-1', { ...store, discardedAt: new Date(NOW).toISOString() });
    await retryBatch(ports, 'b-1', 'failed');
    await retryBatch(ports, 'b-1', 'failed');
    const [first, second, again] = given.map(({ id }) => id);
    expect(second).not.toBe(first);
    expect(again).toBe(second);
  });

  test('is a command also when the ID of its batch is too long for it, and cut within a character', async () => {
    const { ports, given, end } = await setUp();
    await end();
    const batch = await ports.batches.get('b-1');
    for (const start of ['', 'b']) {
      const batchId = `${start}${'\u{1F4E6}'.repeat(100)}`;
      await ports.batches.update(batchId, () => batch && { ...batch, batchId });
      await retryBatch(ports, batchId, 'failed');
    }
    expect(given.map(({ detail }) => detail.products.length)).toEqual([2, 2]);
  });

  test('is refused when no row may succeed', async () => {
    const { ports, end } = await setUp([rejected(0)]);
    await end();
    await expect(retryBatch(ports, 'b-1', 'retryable')).rejects.toMatchObject({ code: 'NOTHING_TO_RETRY' });
  });

  test('stays recorded after a later final summary', async () => {
    const { ports, end } = await setUp();
    await end();
    await retryBatch(ports, 'b-1', 'failed');
    await recordSummary(ports, { batchId: 'b-1' }, finalSummary({ archiveKey: 'other' }));
    expect(await ports.batches.get('b-1')).toMatchObject({
      retries: [RETRY_OF_FAILED],
      contradictions: [{}],
    });
  });
});

describe('an open batch', () => {
  test('shows the rows that are not settled yet', async () => {
    const { ports } = await setUp([], { rejectedRows: [rejected(1)] });
    expect((await shown(ports, 'b-1'))?.unknownRows).toEqual([
      { rowIndex: 0, sku: 'A', externalId: 'x-a' },
      { rowIndex: 2, sku: 'C', externalId: 'x-c' },
    ]);
  });

  test('shows no such rows once it has ended', async () => {
    const { ports, end } = await setUp([]);
    await end();
    expect(await shown(ports, 'b-1')).not.toHaveProperty('unknownRows');
  });
});
