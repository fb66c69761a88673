import { describe, expect, test } from 'vitest';
import type { BatchRecord } from '../../../../shared/batches/model.ts';
import type { SettleBatchPorts } from '../../../../shared/batches/ports.ts';
import { recordSubmission, recordSummary } from '../../../../shared/batches/use-cases/record-batch.ts';
import { sweepBatches } from '../../../../shared/batches/use-cases/settle-batches.ts';
import { definedOf } from '../../../../shared/collections/defined-of.ts';
import { type OutgoingEvent, rowNamesSchema } from '../../../../shared/events/outgoing.ts';
import type { MarketplaceError } from '../../../../shared/marketplace/errors.ts';
import { queueCreatedOfBatch } from '../../../../shared/products/created-products.ts';
import { inMemoryBatchTable } from '../../../doubles/in-memory-batch-table.ts';
import { inMemoryEventPublisher } from '../../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../../doubles/in-memory-rejection-table.ts';
import { inMemoryRequestArchive } from '../../../doubles/in-memory-request-archive.ts';
import { inMemoryStoreTable } from '../../../doubles/in-memory-store-table.ts';
import { connectedStore } from '../../stores/store-ports.ts';
import { failure } from '../../support/failure.ts';
import { finalSummary, refusedForNow, rejected, shown, submission } from '../batch-facts.ts';

const MINUTE = 60_000;
const PAGE_SIZE = 2;
const DEADLINE = Date.parse('2026-11-21T08:15:00.000Z');

const sent = [
  { sku: 'A', externalId: 'x-a' },
  { externalId: 'x-b', variants: { items: [{}, { sku: 'B-2' }] } },
  { sku: 'C', externalId: 'x-c' },
];

type Calls = SettleBatchPorts['marketplace'];

/** Products at the marketplace by SKU, and some of them by ID. */
interface Shown {
  readonly externalId: string | null | undefined;
  readonly name?: string;
}

async function setUp({
  state = 'connected' as const,
  callBudget = 100,
  rows = sent as unknown[],
  comparable = undefined as { unset: string[]; claimed: string[] } | undefined,
} = {}) {
  const published: OutgoingEvent[] = [];
  const products = new Map<string, Shown>([
    ['A', { externalId: 'x-a' }],
    ['B-2', { externalId: 'x-b' }],
    ['C', { externalId: 'x-c' }],
  ]);
  const marketplace = { reads: [] as string[], failure: undefined as MarketplaceError | undefined };
  const read = async (key: string) => {
    marketplace.reads.push(key);
    if (marketplace.failure !== undefined) throw marketplace.failure;
    const product = products.get(key);
    if (product === undefined) throw failure('PRD_014');
    return { data: { id: key, ...product } };
  };
  const created: object[] = [];
  const failures: unknown[] = [];
  let now = DEADLINE;
  const ports = {
    batches: inMemoryBatchTable(),
    archive: inMemoryRequestArchive(),
    stores: inMemoryStoreTable(),
    events: inMemoryEventPublisher(undefined, published),
    rejections: inMemoryRejectionTable(),
    clock: { now: () => now },
    changes: {
      send: async () => {},
      sendRenamed: async () => {},
      sendCreated: async (one: object) => void created.push(one),
    },
    pageSize: PAGE_SIZE,
    comparableFields: async () => comparable,
    marketplace: {
      getProductBySku: async (_, { sku }) => read(sku) as never,
      getProduct: async (_, { productId }) => read(productId) as never,
      listProducts: async (_, { page = 1, isArchived } = {}) => {
        marketplace.reads.push(isArchived ? `archived page ${page}` : `page ${page}`);
        if (marketplace.failure !== undefined) throw marketplace.failure;
        const all = isArchived ? [] : [...products].map(([id, product]) => ({ id, ...product }));
        const data = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
        const totalPages = Math.ceil(all.length / PAGE_SIZE);
        return { data, pagination: { total: all.length, totalPages, hasNext: page < totalPages } } as never;
      },
    } as { -readonly [Call in keyof Calls]: Calls[Call] },
  };
  await ports.stores.put(connectedStore({ state }));
  const requestKey = 'requests/a-1.json';
  await ports.archive.put(requestKey, rows);
  const submit = (facts = {}) =>
    recordSubmission(
      ports,
      submission({ requestKey, sentRows: rows.length, names: namesOf(rows), ...facts }),
    );
  const sweep = (minutesAfterDeadline = 0) => {
    now = DEADLINE + minutesAfterDeadline * MINUTE;
    const signal = new AbortController().signal;
    const onFailure = (error: unknown) => void failures.push(error);
    const onEnd = (ended: BatchRecord) => queueCreatedOfBatch(ports, ended);
    return sweepBatches({ ...ports, onEnd }, { callBudget, graceMs: 15 * MINUTE, signal, onFailure });
  };
  const batch = () => ports.batches.get('b-1');
  return { ports, products, marketplace, published, created, failures, submit, sweep, batch };
}

const namesOf = (rows: readonly unknown[]) =>
  rows.map((row) => definedOf(rowNamesSchema.pick({ sku: true, externalId: true }).parse(row)));

const ofKind = (published: OutgoingEvent[], detailType: string) =>
  published.filter((event) => event.detailType === detailType);

describe('a batch past its deadline', () => {
  test('is completed when every product exists', async () => {
    const { submit, sweep, batch, published } = await setUp();
    await submit();
    expect(await sweep()).toEqual({ resolved: 1, unresolved: 0, open: 0 });
    expect(await batch()).toMatchObject({ state: 'completed', rows: { accepted: 3, unknown: 0 } });
    expect(ofKind(published, 'batch.completed')).toHaveLength(1);
  });

  test.each([1, 10])(
    'finds the products of %i rows whose externalId the marketplace writes in another case',
    async (count) => {
      const rows = Array.from({ length: count }, (_, row) => ({ sku: `S-${row}`, externalId: `X-${row}` }));
      const { submit, sweep, batch, products } = await setUp({ rows });
      products.clear();
      for (const row of rows.keys())
        products.set(`S-${row}`, { externalId: row % 2 ? `X-${row}` : `x-${row}` });
      await submit();
      await sweep();
      expect(await batch()).toMatchObject({ state: 'completed', rows: { accepted: count } });
    },
  );

  test('rejects the rows of missing products with their identifiers', async () => {
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

  describe('whose SKU is that of a product without its externalId', () => {
    const row = { sku: 'A', externalId: 'x-a' };
    const others = new Map<string, string | null | undefined>([
      ['of another externalId', 'x-other'],
      ['without an externalId', null],
      ['whose externalId is not shown', undefined],
    ]);
    const setUpOther = async (externalId: string | null | undefined, listed: Shown[]) => {
      const one = await setUp({ rows: [row] });
      one.products.clear();
      for (const [index, product] of listed.entries()) one.products.set(`p-${index}`, product);
      one.products.set('A', { externalId });
      await one.submit();
      await one.sweep();
      return one.batch();
    };

    test.each([...others])(
      'is accepted when another product has the externalId: one %s',
      async (_, other) => {
        expect(await setUpOther(other, [{ externalId: 'X-A' }])).toMatchObject({ state: 'completed' });
      },
    );

    test.each([...others])('is rejected when no product has the externalId: one %s', async (_, other) => {
      const batch = await setUpOther(other, [{ externalId: 'x-b' }]);
      expect(batch).toMatchObject({ state: 'failed', rejectedRows: [{ code: 'NOT_FOUND_BY_READ_BACK' }] });
    });

    test('is unknown when no product shows an externalId', async () => {
      const batch = await setUpOther(undefined, [{ externalId: null }]);
      expect(batch).toMatchObject({ state: 'submitted', rows: { unknown: 1 } });
    });
  });

  test('does not read back rows that its answer rejected', async () => {
    const { submit, sweep, marketplace, batch } = await setUp();
    await submit({ rejectedRows: [rejected(0)] });
    await sweep();
    expect(marketplace.reads.sort()).toEqual(['B-2', 'C']);
    expect(await batch()).toMatchObject({ rows: { accepted: 2, rejected: 1, unknown: 0 } });
  });

  test.each(['stock', 'price', 'dropoff'])(
    'with rows of %s is unresolved after the grace period, without a read',
    async (kind) => {
      const { submit, sweep, marketplace, batch } = await setUp();
      await submit({ kind, endsBy: 'answer', unknownRows: [1], requestKey: undefined });
      expect(await sweep()).toMatchObject({ open: 1 });
      expect(await sweep(15)).toMatchObject({ unresolved: 1 });
      expect(marketplace.reads).toEqual([]);
      expect(await batch()).toMatchObject({
        rows: { accepted: 2, unknown: 1 },
        unknownRows: [{ rowIndex: 1 }],
      });
    },
  );

  test('ends by a final summary that was stored under its requestId, without a read', async () => {
    const { ports, submit, sweep, marketplace, batch } = await setUp();
    await submit();
    await recordSummary(ports, { batchId: 'r-1' }, finalSummary());
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

describe('a batch whose answer left a row open', () => {
  const open = { endsBy: 'answer', uncertain: true, rejectedRows: [refusedForNow(2)] } as const;

  test.each([
    ['exists', 'completed', []],
    ['is missing', 'completed_with_errors', [{ rowIndex: 2, sku: 'C', code: 'NOT_FOUND_BY_READ_BACK' }]],
  ])('is ended by reading that row only, when its product %s', async (_, state, rejectedRows) => {
    const { ports, submit, sweep, batch, products, marketplace, published } = await setUp();
    if (rejectedRows.length > 0) products.delete('C');
    await submit(open);
    expect(await shown(ports, 'b-1')).toMatchObject({ unknownRows: [{ rowIndex: 2, sku: 'C' }] });
    expect(published.map(({ detailType }) => detailType)).toEqual(['batch.submitted']);
    expect(await sweep()).toEqual({ resolved: 1, unresolved: 0, open: 0 });
    expect(marketplace.reads).toEqual(['C']);
    expect(await batch()).toMatchObject({ state, rejectedRows });
    expect(published.slice(0, 2)).toMatchObject([
      { detailType: 'batch.submitted', detail: { rows: { accepted: 2, rejected: 0, unknown: 1 } } },
      { detailType: 'batch.completed', detail: { state, rows: { unknown: 0 } } },
    ]);
    expect(published).toHaveLength(2 + rejectedRows.length);
  });

  test('waits for its deadline', async () => {
    const { submit, sweep, marketplace, batch } = await setUp();
    await submit({ ...open, deadlineAt: '2026-11-21T08:15:00.001Z' });
    await sweep();
    expect(marketplace.reads).toEqual([]);
    expect(await batch()).toMatchObject({ state: 'submitted' });
  });
});

describe('a batch that can not be read back', () => {
  test('stays open while the marketplace fails, and is unresolved after the grace period', async () => {
    const { submit, sweep, batch, marketplace, published } = await setUp();
    await submit();
    marketplace.failure = failure('SYS_UPS_001', { retryable: true });
    // The first read is not the last one, however late it comes.
    expect(await sweep(60)).toEqual({ resolved: 0, unresolved: 0, open: 1 });
    expect(await sweep(74)).toEqual({ resolved: 0, unresolved: 0, open: 1 });
    expect(await batch()).toMatchObject({ state: 'submitted' });
    expect(await sweep(75)).toEqual({ resolved: 0, unresolved: 1, open: 0 });
    expect(await batch()).toMatchObject({
      state: 'unresolved',
      rows: { sent: 3, accepted: 0, rejected: 0, unknown: 3 },
      unknownRows: [{ rowIndex: 0, sku: 'A', externalId: 'x-a' }, { rowIndex: 1 }, { rowIndex: 2 }],
    });
    expect(ofKind(published, 'batch.unresolved')).toHaveLength(1);
  });

  test('keeps the rows that were read, and reads the others again, when some reads fail', async () => {
    const { ports, submit, sweep, marketplace, batch } = await setUp();
    const { getProductBySku } = ports.marketplace;
    ports.marketplace.getProductBySku = async (store, request, options) => {
      if (request.sku !== 'A') throw failure('SYS_DEP_503', { retryable: true });
      return getProductBySku(store, request, options);
    };
    await submit();
    expect(await sweep()).toMatchObject({ open: 1 });
    expect(marketplace.reads).toEqual(['A']);
    expect(await sweep(15)).toMatchObject({ unresolved: 1 });
    expect(await batch()).toMatchObject({ rows: { accepted: 1, unknown: 2 } });
  });

  test('is read by SKU when the list fails', async () => {
    const rows = Array.from({ length: 12 }, () => sent[0]);
    const { ports, submit, sweep, batch } = await setUp({ rows });
    ports.marketplace.listProducts = async () => {
      throw failure('SYS_UPS_001', { retryable: true });
    };
    await submit();
    expect(await sweep()).toMatchObject({ resolved: 1 });
    expect(await batch()).toMatchObject({ state: 'completed', rows: { accepted: 12 } });
  });

  test('waits without a call while its store is suspended', async () => {
    const { submit, sweep, marketplace } = await setUp({ state: 'suspended' as never });
    await submit();
    expect(await sweep(1)).toMatchObject({ open: 1 });
    expect(marketplace.reads).toEqual([]);
  });

  test('suspends its store when the marketplace refuses the credentials', async () => {
    const { ports, submit, sweep, marketplace } = await setUp();
    await submit();
    marketplace.failure = failure('AUTH_014');
    expect(await sweep()).toMatchObject({ open: 1 });
    expect(await ports.stores.get('s-1')).toMatchObject({ state: 'suspended' });
  });

  test('is unresolved after the grace period when its request is no longer archived', async () => {
    const { submit, sweep, batch } = await setUp();
    await submit({ requestKey: 'requests/gone.json' });
    expect(await sweep()).toMatchObject({ open: 1 });
    await sweep(15);
    expect(await batch()).toMatchObject({ state: 'unresolved', rows: { unknown: 3 } });
  });
});

test('a batch with a failing sweep does not stop the others', async () => {
  const { ports, submit, sweep, failures, batch } = await setUp();
  await submit({
    batchId: 'b-0',
    submittedAt: '2020-01-01T00:00:00.000Z',
    requestKey: 'requests/faulty.json',
  });
  await submit();
  const { get } = ports.archive;
  const fault = new Error('faulty');
  ports.archive.get = (key) => (key === 'requests/faulty.json' ? Promise.reject(fault) : get(key));
  expect(await sweep()).toEqual({ resolved: 1, unresolved: 0, open: 0 });
  expect(failures).toEqual([fault]);
  expect(await batch()).toMatchObject({ state: 'completed' });
});

test.each([1, 30])('%i unreadable batches do not stop the sweep of the others', async (count) => {
  const { ports, submit, sweep, failures, batch } = await setUp();
  await submit();
  const readable = await batch();
  const submittedAt = '2020-01-01T00:00:00.000Z';
  const ids = Array.from({ length: count }, (_, index) => `b-broken-${String(index).padStart(2, '0')}`);
  for (const batchId of ids)
    await ports.batches.update(batchId, () => ({ ...readable, batchId, submittedAt, rows: 'none' }) as never);
  expect(await sweep()).toEqual({ resolved: 1, unresolved: 0, open: 0 });
  expect(failures.map(String)).toEqual(
    ids.map((id) => expect.stringContaining(`Batches {"batchId":"${id}"}`)),
  );
  expect(await batch()).toMatchObject({ state: 'completed' });
});

test('a page of the index that shows only batches that have ended meanwhile does not end the sweep', async () => {
  const { ports, submit, sweep, batch } = await setUp();
  await submit();
  const { listOpen } = ports.batches;
  ports.batches.listOpen = async (page) =>
    page?.cursor === undefined
      ? { batches: [], unreadable: [], cursor: 'next' }
      : listOpen({ ...page, cursor: undefined });
  expect(await sweep()).toEqual({ resolved: 1, unresolved: 0, open: 0 });
  expect(await batch()).toMatchObject({ state: 'completed' });
});

describe('a read-back uses the product list of the store', () => {
  test('when a row has no SKU', async () => {
    const { submit, sweep, batch, products, marketplace } = await setUp({
      rows: [{ externalId: 'x-a' }, { externalId: 'x-z' }],
    });
    products.delete('C');
    await submit();
    await sweep();
    expect(marketplace.reads).toEqual(['page 1', 'archived page 1']);
    expect(await batch()).toMatchObject({
      state: 'completed_with_errors',
      rows: { accepted: 1, rejected: 1, unknown: 0 },
      rejectedRows: [{ rowIndex: 1, externalId: 'x-z', code: 'NOT_FOUND_BY_READ_BACK' }],
    });
  });

  const many = Array.from({ length: 12 }, (_, index) => ({ sku: `S-${index}`, externalId: `x-${index}` }));
  const putAll = (products: Map<string, Shown>) => {
    for (const { sku, externalId } of many) products.set(sku, { externalId });
  };

  test('when that takes fewer calls, and reads products that are not in it by SKU', async () => {
    const { submit, sweep, batch, products, marketplace } = await setUp({ rows: many });
    putAll(products);
    products.delete('S-7');
    await submit();
    await sweep();
    expect(marketplace.reads.filter((read) => read.startsWith('page'))).toHaveLength(7);
    expect(marketplace.reads.filter((read) => read.startsWith('S-'))).toEqual(['S-7']);
    expect(await batch()).toMatchObject({ rows: { accepted: 11, rejected: 1, unknown: 0 } });
  });

  test('once for all batches of a sweep', async () => {
    const { submit, sweep, products, marketplace } = await setUp({ rows: many });
    putAll(products);
    await submit({ batchId: 'b-1' });
    await submit({ batchId: 'b-2', requestId: undefined });
    expect(await sweep()).toMatchObject({ resolved: 2 });
    expect(marketplace.reads.filter((read) => read === 'page 1')).toHaveLength(1);
    expect(marketplace.reads.filter((read) => read.startsWith('S-'))).toEqual([]);
  });

  test('only up to the length of the batch', async () => {
    const { submit, sweep, products, marketplace, batch } = await setUp({ rows: many });
    putAll(products);
    for (let index = 0; index < 30; index += 1) products.set(`other-${index}`, { externalId: `o-${index}` });
    await submit();
    await sweep();
    expect(marketplace.reads.filter((read) => read.startsWith('page'))).toEqual(['page 1']);
    expect(await batch()).toMatchObject({ state: 'completed', rows: { accepted: 12 } });
  });

  test('never counts a product as missing when the list changes during the read', async () => {
    const { ports, submit, sweep, batch } = await setUp({ rows: [{ externalId: 'x-z' }] });
    const { listProducts } = ports.marketplace;
    let total = 3;
    ports.marketplace.listProducts = async (store, query) => {
      const page = await listProducts(store, query);
      total += 1;
      return { ...page, pagination: { ...page.pagination, total } } as never;
    };
    await submit();
    expect(await sweep()).toMatchObject({ open: 1 });
    await sweep(15);
    expect(await batch()).toMatchObject({
      state: 'unresolved',
      unknownRows: [{ rowIndex: 0, externalId: 'x-z' }],
    });
  });
});

describe('the sweep of a command without an answer', () => {
  test.each([
    ['still exists', new Map([['p-1', { externalId: 'x' }]]), 'failed', 'STILL_THERE_BY_READ_BACK'],
    ['is missing', new Map(), 'completed', undefined],
  ])('settles a deletion whose product %s', async (_, shown, state, code) => {
    const { submit, sweep, batch, products } = await setUp({ rows: [{ id: 'p-1' }] });
    for (const [id, product] of shown) products.set(id, product);
    await submit({ kind: 'product-deletion' });
    await sweep();
    const stored = await batch();
    expect(stored).toMatchObject({ state, rows: { sent: 1, unknown: 0 } });
    expect(stored?.rejectedRows).toEqual(
      code === undefined ? [] : [expect.objectContaining({ id: 'p-1', code })],
    );
  });

  test.each([
    ['its new values', { externalId: 'x', name: 'New' }, 'completed', undefined],
    ['its old values', { externalId: 'x', name: 'Old' }, 'failed', 'NOT_CHANGED_BY_READ_BACK'],
  ])('settles an update whose product shows %s', async (_, product, state, code) => {
    const { submit, sweep, batch, products } = await setUp({
      rows: [{ id: 'p-1', changes: { name: 'New' } }],
    });
    products.set('p-1', product);
    await submit({ kind: 'product-update' });
    await sweep();
    const stored = await batch();
    expect(stored).toMatchObject({ state, rows: { sent: 1, unknown: 0 } });
    expect(stored?.rejectedRows[0]?.code).toBe(code);
  });

  test.each([
    ['has set since', 'shows the rest of what it set', { unset: ['name'], claimed: [] }, 'New', 'completed'],
    ['has set since', 'shows nothing else of what it set', { unset: ['name'], claimed: [] }, 'Old', 'failed'],
    [
      'may have set',
      'shows the rest of what it set',
      { unset: ['name', 'weight'], claimed: ['weight'] },
      'New',
      'completed',
    ],
    [
      'may have set',
      'shows nothing else of what it set',
      { unset: ['name', 'weight'], claimed: ['weight'] },
      'Old',
      'failed',
    ],
    [
      'has set, and the name too',
      'shows nothing of what it set',
      { unset: [], claimed: [] },
      'Old',
      'completed',
    ],
    [
      'has set, and another may have set the name',
      'shows the rest of what it set',
      { unset: ['name'], claimed: ['name'] },
      'New',
      'submitted',
    ],
  ])(
    'reads back an update whose weight a newer update %s: its product %s',
    async (_, __, comparable, name, state) => {
      const { submit, sweep, batch, products } = await setUp({
        rows: [{ id: 'p-1', changes: { name: 'New', weight: 1 } }],
        comparable,
      });
      products.set('p-1', { externalId: 'x', name, weight: 2 } as Shown);
      await submit({ kind: 'product-update' });
      await sweep();
      expect(await batch()).toMatchObject({ state });
    },
  );

  test('is unresolved when no changed field can be compared', async () => {
    const changes = { variants: { items: [] } };
    const { submit, sweep, batch, products } = await setUp({ rows: [{ id: 'p-1', changes }] });
    products.set('p-1', { externalId: 'x' });
    await submit({ kind: 'product-update' });
    await sweep();
    await sweep(15);
    expect(await batch()).toMatchObject({ state: 'unresolved', unknownRows: [{ rowIndex: 0, id: 'p-1' }] });
  });
});

test('queues the products that it has found as created, with their variants', async () => {
  const { submit, sweep, created } = await setUp();
  await submit();
  await sweep();
  const products = namesOf(sent).flatMap((names) =>
    names.sku === undefined ? [{ ...names, isParent: true }, { sku: 'B-2' }] : [{ ...names, sku: names.sku }],
  );
  const sentAt = Date.parse(submission().submittedAt);
  expect(created).toEqual([{ storeClientId: 's-1', products, knownAt: DEADLINE, sentAt }]);
});

describe('a sweep of batches', () => {
  test('does not touch batches whose summary may still arrive', async () => {
    const { submit, sweep, marketplace } = await setUp();
    await submit({ deadlineAt: '2026-11-21T08:15:00.001Z' });
    await sweep();
    expect(marketplace.reads).toEqual([]);
  });

  test('takes the oldest batch first and keeps to its budget', async () => {
    const { ports, submit, sweep } = await setUp({ callBudget: 3 });
    await submit({ batchId: 'young', submittedAt: '2026-11-21T07:59:00.000Z' });
    await submit({ batchId: 'old', submittedAt: '2026-11-21T07:58:00.000Z' });
    expect(await sweep()).toMatchObject({ resolved: 1 });
    expect((await ports.batches.get('old'))?.state).toBe('completed');
    expect((await ports.batches.get('young'))?.state).toBe('submitted');
    expect(await sweep(5)).toMatchObject({ resolved: 1 });
  });

  test('reaches every due batch, over any number of pages', async () => {
    const { submit, sweep } = await setUp({ callBudget: 1_000 });
    for (let number = 0; number < 60; number += 1)
      await submit({ batchId: `b-${number}`, requestId: undefined });
    expect(await sweep()).toEqual({ resolved: 60, unresolved: 0, open: 0 });
  });
});
