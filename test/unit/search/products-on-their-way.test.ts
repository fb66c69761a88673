import { expect, test, vi } from 'vitest';
import { simpleProduct } from '../../../local/run/catalog.ts';
import type { Submission } from '../../../shared/batches/model.ts';
import { recordSubmission } from '../../../shared/batches/use-cases/record-batch.ts';
import { batchAnswer } from '../../../shared/marketplace/batch.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import { deletedProducts } from '../../../shared/marketplace/product-changes.ts';
import { createProductDomain } from '../../../shared/products/product-domain.ts';
import { receiveCommands } from '../../../shared/requests/use-cases/receive-commands.ts';
import { search } from '../../../shared/search/use-cases/search.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { traceOf } from '../../../shared/trace/trace.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryImportTable } from '../../doubles/in-memory-import-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryLockTable } from '../../doubles/in-memory-request-table.ts';
import { submission } from '../batches/batch-facts.ts';
import { NOW, orderDesk, STORE } from '../orders/order-desk.ts';
import { emptyTracePorts } from '../trace/trace-ports.ts';

const PRODUCT_ID = '7c0e6a1c-0000-4000-8000-000000000001';
const products = Array.from({ length: 100 }, (_, index) => simpleProduct(index + 1));
const skuOf = (index: number) => products[index]?.sku ?? '';

function world() {
  const desk = orderDesk();
  const ports = {
    ...desk.ports,
    ...emptyTracePorts(),
    listings: inMemoryListingTable(),
    changeEvents: inMemoryChangeEventTable(),
    imports: inMemoryImportTable(),
    locks: inMemoryLockTable(),
  };
  const begin = async ({ onAttempt }: CallOptions = {}) => onAttempt?.({ number: 1, signedAt: NOW });
  const calls = {
    syncCatalog: async (_: object, { products: rows }: { products: unknown[] }, options?: CallOptions) => {
      await begin(options);
      const summary = { total: rows.length, failed: 0, pending: rows.length };
      return batchAnswer.parse({
        success: true,
        requestId: 'r-1',
        data: { batchId: 'b-1', summary, errors: [] },
      });
    },
    deleteProducts: async (_: object, { ids }: { ids: string[] }, options?: CallOptions) => {
      await begin(options);
      const summary = { total: ids.length, succeeded: ids.length, failed: 0 };
      const data = { summary, successItems: ids.map((id) => ({ id })), errors: [] };
      return deletedProducts.parse({ success: true, requestId: 'r-2', data });
    },
  };
  const domain = createProductDomain({ ...ports, calls } as never);
  const deliver = (body: string) =>
    receiveCommands(ports, domain, [{ messageId: 'm-1', sentAt: ports.clock.now(), body }]);
  const give = (detailType: string, commandId: string, rows: object) => {
    const detail = { storeClientId: STORE, commandId, ...rows };
    const time = new Date(NOW).toISOString();
    return deliver(JSON.stringify({ id: `event-of-${commandId}`, time, 'detail-type': detailType, detail }));
  };
  const suspend = () => desk.stores.set(STORE, { ...(desk.stores.get(STORE) as Store), state: 'suspended' });
  const find = (word: string, storeClientId?: string) => search(ports, word, storeClientId);
  const trace = async (target: string) => (await traceOf(ports, { target })).steps;
  return { ...desk, ports, deliver, give, suspend, find, trace };
}

test('each of the 100 products of a creation that waits is found, with what it waits for', async () => {
  const { give, suspend, find, trace } = world();
  suspend();
  await give('catalog.sync.requested', 'p-1', { products });
  for (const index of [0, 99]) {
    const target = `sku:${skuOf(index)}`;
    expect((await find(skuOf(index))).hits).toMatchObject([
      {
        kind: 'product',
        id: target,
        storeClientId: STORE,
        what: `a product · catalog.sync.requested waits: store ${STORE} is suspended`,
        trace: { target, storeClientId: STORE },
      },
    ]);
    expect((await trace(target)).map(({ what }) => what)).toEqual(['command.given', 'command.waiting']);
  }
});

test('the names of a command that waits again are not written again, but for a few', async () => {
  const { give, deliver, suspend, later, pass, ports } = world();
  suspend();
  const put = vi.spyOn(ports.requests, 'putAliases');
  const written = () => put.mock.calls.splice(0).map(([aliases]) => aliases.length);
  await give('catalog.sync.requested', 'p-1', { products });
  const [first] = written();
  expect(first).toBeGreaterThanOrEqual(100);
  pass(900_000);
  await deliver(later[0]?.body ?? '');
  expect(written()).toEqual([26]);
});

test('a product of a batch whose final summary has not come is found, by its batch, in its store alone', async () => {
  const { give, find, trace } = world();
  await give('catalog.sync.requested', 'p-1', { products: products.slice(0, 2) });
  const target = `sku:${skuOf(1)}`;
  expect((await find(skuOf(1))).hits).toMatchObject([
    {
      kind: 'product',
      id: target,
      storeClientId: STORE,
      what: 'a product · sent in batch b-1 · catalog-sync · its final summary has not come yet',
    },
  ]);
  expect((await find(skuOf(1), 'other')).hits).toEqual([]);
  expect(await trace(target)).toMatchObject([
    { what: 'command.given', commandId: 'p-1' },
    { what: 'batch.submitted', batchId: 'b-1', outcome: 'open' },
  ]);
  await expect(trace(`sku:${skuOf(2)}`)).rejects.toThrow('it was not received');
});

test('a product that was rejected before, and was sent again in an open batch, has both', async () => {
  const { give, find, trace, ports } = world();
  await give('catalog.sync.requested', 'p-1', { products: products.slice(0, 1) });
  const at = '2026-11-20T08:00:00.000Z';
  const target = `sku:${skuOf(0)}`;
  const facts = { code: 'CAT_001', message: 'no such category', target };
  await ports.rejections.putAll([{ storeClientId: STORE, rejectionId: `${at}#1`, rejectedAt: at, ...facts }]);
  expect((await find(skuOf(0))).hits.map(({ what }) => what)).toEqual([
    'a product · sent in batch b-1 · catalog-sync · its final summary has not come yet',
    'a product · rejected: CAT_001: no such category',
  ]);
  expect((await trace(target)).map(({ what }) => what)).toEqual([
    'row.rejected',
    'command.given',
    'batch.submitted',
  ]);
});

test('a product whose deletion has ended is found by its ID', async () => {
  const { give, find, trace } = world();
  await give('product.delete.requested', 'd-1', { ids: [PRODUCT_ID] });
  expect((await find(PRODUCT_ID)).hits).toMatchObject([
    {
      kind: 'product',
      id: `id:${PRODUCT_ID}`,
      storeClientId: STORE,
      what: 'a product · last named by the command d-1 · product.delete.requested',
    },
  ]);
  expect((await trace(`id:${PRODUCT_ID}`)).map(({ what }) => what)).toContain('request.ended');
});

const names = [{ rowIndex: 0, sku: 'PARENT' }];
test.each<[string, Partial<Submission>, boolean]>([
  ['has variants', { kind: 'catalog-variants-sync', names, sentRows: 1 }, true],
  ['has the SKUs of some rows alone', { kind: 'catalog-sync', names, sentRows: 2 }, true],
  ['has the SKUs of all rows', { kind: 'catalog-sync', names, sentRows: 1 }, false],
  ['creates no products', { kind: 'dropoff', names: [], sentRows: 1 }, false],
])(
  'that a product was not received is said only if it cannot be in an open batch: one that %s',
  async (_, facts, isSaid) => {
    const { find, trace, ports } = world();
    const open: Partial<Submission> = { storeClientId: STORE, endsBy: 'summary', rejectedRows: [], ...facts };
    await recordSubmission(ports, submission(open));
    const { hits, message = '' } = await find('CHILD');
    const inTrace = await trace('sku:CHILD').catch(({ message: said }: Error) => said);
    expect(hits).toEqual([]);
    const place =
      'It may be among the products of open batches, not all of whose names could be looked at; otherwise';
    for (const text of [message, inTrace]) {
      expect(text).toContain(isSaid ? place : 'it was not received, or its record is not kept any more. No');
      expect(String(text).includes('No queue has a message')).toBe(!isSaid);
    }
  },
);
