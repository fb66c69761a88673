import { describe, expect, test } from 'vitest';
import { recordSubmission } from '../../../../shared/batches/use-cases/record-submission.ts';
import { recordSummary } from '../../../../shared/batches/use-cases/record-summary.ts';
import { sweepBatches } from '../../../../shared/batches/use-cases/sweep-batches.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import { MarketplaceError } from '../../../../shared/marketplace/errors.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRequestArchive } from '../../../doubles/in-memory-request-archive.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { connectedStore } from '../../stores/store-ports.ts';
import { finalSummary, rejected, submission } from '../batch-facts.ts';

const MINUTE = 60_000;
const DEADLINE = Date.parse('2026-11-21T08:15:00.000Z');

const sent = [
  { sku: 'A', externalId: 'x-a' },
  { externalId: 'x-b', variants: { items: [{}, { sku: 'B-2' }] } },
  { sku: 'C', externalId: 'x-c' },
];

const failure = (code: string) =>
  new MarketplaceError({ code, message: code, outcome: 'refused', retryable: code !== 'PRD_014' });

async function setUp({ state = 'connected' as const, callBudget = 100, rows = sent as unknown[] } = {}) {
  const published: OutgoingEvent[] = [];
  /** Products at the marketplace, by SKU. */
  const products = new Map([
    ['A', { externalId: 'x-a' }],
    ['B-2', { externalId: 'x-b' }],
    ['C', { externalId: 'x-c' }],
  ]);
  const marketplace = { reads: [] as string[], failure: undefined as MarketplaceError | undefined };
  let now = DEADLINE;
  const ports = {
    batches: inMemoryBatchTable(),
    requests: inMemoryRequestArchive(),
    stores: inMemoryStoreTable(),
    events: inMemoryEventPublisher(undefined, published),
    clock: { now: () => now },
    marketplace: {
      getProductBySku: async (_: unknown, { sku }: { sku: string }) => {
        marketplace.reads.push(sku);
        if (marketplace.failure !== undefined) throw marketplace.failure;
        const product = products.get(sku);
        if (product === undefined) throw failure('PRD_014');
        return { data: { id: sku, ...product } };
      },
    },
  };
  await ports.stores.put(connectedStore({ state }));
  const requestKey = 'requests/a-1.json';
  await ports.requests.put(requestKey, rows);
  const submit = (facts = {}) =>
    recordSubmission(ports, submission({ requestKey, sentRows: rows.length, ...facts }));
  const sweep = (minutesAfterDeadline = 0) => {
    now = DEADLINE + minutesAfterDeadline * MINUTE;
    const signal = new AbortController().signal;
    return sweepBatches(ports, { callBudget, graceMs: 15 * MINUTE, signal });
  };
  const batch = () => ports.batches.get('b-1');
  return { ports, products, marketplace, published, submit, sweep, batch };
}

const ofKind = (published: OutgoingEvent[], detailType: string) =>
  published.filter((event) => event.detailType === detailType);

describe('a batch past its deadline', () => {
  test('is completed when every product is there', async () => {
    const { submit, sweep, batch, published } = await setUp();
    await submit();
    expect(await sweep()).toEqual({ resolved: 1, unresolved: 0, open: 0 });
    expect(await batch()).toMatchObject({ state: 'completed', rows: { accepted: 3, unknown: 0 } });
    expect(ofKind(published, 'batch.completed')).toHaveLength(1);
  });

  test('rejects the rows whose product is not there, each with its identifiers', async () => {
    const { submit, sweep, batch, products, published } = await setUp();
    products.delete('B-2');
    products.set('C', { externalId: 'of another product' });
    await submit();
    await sweep();
    expect(await batch()).toMatchObject({
      state: 'completed_with_errors',
      rows: { sent: 3, accepted: 1, rejected: 2, unknown: 0 },
      rejectedRows: [
        { rowIndex: 1, externalId: 'x-b', code: 'NOT_FOUND_BY_READ_BACK' },
        { rowIndex: 2, sku: 'C', code: 'NOT_FOUND_BY_READ_BACK' },
      ],
    });
    expect(ofKind(published, 'rows.rejected')).toHaveLength(1);
  });

  test('does not read back what its answer rejected', async () => {
    const { submit, sweep, marketplace, batch } = await setUp();
    await submit({ rejectedRows: [rejected(0)] });
    await sweep();
    expect(marketplace.reads.sort()).toEqual(['B-2', 'C']);
    expect(await batch()).toMatchObject({ rows: { accepted: 2, rejected: 1, unknown: 0 } });
  });

  test('ends by a final summary that was kept under its request, without a read', async () => {
    const { ports, submit, sweep, marketplace, batch } = await setUp();
    await submit();
    await recordSummary(ports, 'r-1', finalSummary());
    await sweep();
    expect(await batch()).toMatchObject({ state: 'completed', finalSummary: {} });
    expect(marketplace.reads).toEqual([]);
  });

  test('is swept once', async () => {
    const { submit, sweep } = await setUp();
    await submit();
    await sweep();
    expect(await sweep(5)).toEqual({ resolved: 0, unresolved: 0, open: 0 });
  });
});

describe('a batch that can not be read back', () => {
  test('stays open while the marketplace fails, and is unresolved after the grace', async () => {
    const { submit, sweep, batch, marketplace, published } = await setUp();
    await submit();
    marketplace.failure = failure('SYS_UPS_001');
    expect(await sweep(14)).toEqual({ resolved: 0, unresolved: 0, open: 1 });
    expect(await batch()).toMatchObject({ state: 'submitted' });
    expect(await sweep(15)).toEqual({ resolved: 0, unresolved: 1, open: 0 });
    expect(await batch()).toMatchObject({
      state: 'unresolved',
      rows: { sent: 3, accepted: 0, rejected: 0, unknown: 3 },
      unknownRows: [{ rowIndex: 0, sku: 'A', externalId: 'x-a' }, { rowIndex: 1 }, { rowIndex: 2 }],
    });
    expect(ofKind(published, 'batch.unresolved')).toHaveLength(1);
  });

  test('waits for a store that is suspended, without a call', async () => {
    const { submit, sweep, marketplace } = await setUp({ state: 'suspended' as never });
    await submit();
    expect(await sweep(1)).toMatchObject({ open: 1 });
    expect(marketplace.reads).toEqual([]);
  });

  test('suspends a store that the marketplace refuses', async () => {
    const { ports, submit, sweep, marketplace } = await setUp();
    await submit();
    marketplace.failure = failure('AUTH_014');
    expect(await sweep()).toMatchObject({ open: 1 });
    expect(await ports.stores.get('s-1')).toMatchObject({ state: 'suspended' });
  });

  test('is unresolved at once for rows without a SKU, the others being read', async () => {
    const { submit, sweep, batch } = await setUp({ rows: [{ externalId: 'x-z' }, sent[0]] });
    await submit();
    await sweep();
    expect(await batch()).toMatchObject({
      state: 'unresolved',
      rows: { accepted: 1, unknown: 1 },
      unknownRows: [{ rowIndex: 0, externalId: 'x-z' }],
    });
  });

  test('is unresolved when what was sent is not kept any more', async () => {
    const { submit, sweep, batch } = await setUp();
    await submit({ requestKey: 'requests/gone.json' });
    await sweep();
    expect(await batch()).toMatchObject({ state: 'unresolved', rows: { unknown: 3 } });
  });
});

describe('a sweep', () => {
  test('leaves batches alone that may still hear of their summary', async () => {
    const { submit, sweep, marketplace } = await setUp();
    await submit({ deadlineAt: '2026-11-21T08:15:00.001Z' });
    await sweep();
    expect(marketplace.reads).toEqual([]);
  });

  test('takes the oldest first and keeps to its budget', async () => {
    const { ports, submit, sweep } = await setUp({ callBudget: 3 });
    await submit({ batchId: 'young', submittedAt: '2026-11-21T07:59:00.000Z' });
    await submit({ batchId: 'old', submittedAt: '2026-11-21T07:58:00.000Z' });
    expect(await sweep()).toMatchObject({ resolved: 1 });
    expect((await ports.batches.get('old'))?.state).toBe('completed');
    expect((await ports.batches.get('young'))?.state).toBe('submitted');
    expect(await sweep(5)).toMatchObject({ resolved: 1 });
  });

  test('comes to every due batch, over any number of pages', async () => {
    const { submit, sweep } = await setUp({ callBudget: 1_000 });
    for (let number = 0; number < 60; number += 1)
      await submit({ batchId: `b-${number}`, requestId: undefined });
    expect(await sweep()).toEqual({ resolved: 60, unresolved: 0, open: 0 });
  });
});
