import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { stockItem } from '../../../../shared/marketplace/inventory.ts';
import { priceItem } from '../../../../shared/marketplace/prices.ts';
import {
  productChanges,
  simpleProduct,
  variantProduct,
} from '../../../../shared/marketplace/product-request.ts';
import { newWarehouse } from '../../../../shared/marketplace/warehouses.ts';
import { given, givenVariants } from '../conformance/products.ts';
import { errorOf, send, signed } from '../conformance/raw-request.ts';
import { openTarget, type TargetStore } from '../conformance/target.ts';
import * as payloads from './payloads.ts';

// The client's validation and the sandbox's were written from the spec apart from each other: whatever one lets
// through the other must, and whatever one refuses the other must, too.

const target = await openTarget();
afterAll(() => target.close());

const stores = (['none', 'one', 'several'] as const).map((warehouses) => target.store(warehouses));

type Verdict = 'accepted' | 'refused';

/** The client's verdict: by the schema and, where given, by what the store has. */
function ofClient<T>(
  schema: z.ZodType<T>,
  payload: unknown,
  inStore: (value: T) => Problem[] = () => [],
): Verdict {
  const { data, success } = schema.safeParse(payload);
  return success && inStore(data).length === 0 ? 'accepted' : 'refused';
}

async function post(method: string, path: string, store: TargetStore, payload: unknown) {
  const answer = await send(target, signed(target, { method, path, store, body: JSON.stringify(payload) }));
  return { answer, verdict: (errorOf(answer).code === 'VAL_001' ? 'refused' : 'accepted') satisfies Verdict };
}

/** The server's verdict on each row of a bulk request; other row errors than VAL_001 are no matter of validation. */
async function ofServer(
  method: string,
  path: string,
  store: TargetStore,
  name: string,
  rows: unknown[],
): Promise<Verdict[]> {
  const { answer } = await post(method, path, store, { [name]: rows });
  const { errors = [] } = (answer.json.data ?? {}) as { errors?: { rowIndex: number; code: string }[] };
  const refused = new Set(errors.filter(({ code }) => code === 'VAL_001').map(({ rowIndex }) => rowIndex));
  return rows.map((_, rowIndex) => (refused.has(rowIndex) ? 'refused' : 'accepted'));
}

interface Bulk {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly name: string;
  readonly payload: fc.Arbitrary<object>;
  readonly ofClient: (row: object, store: TargetStore) => Verdict;
}

const bulks: Bulk[] = [
  {
    what: 'stock items (§4.9)',
    method: 'PATCH',
    path: '/partner/stores/inventory',
    name: 'items',
    payload: payloads.stockItem,
    ofClient: (row, { warehouses }) => ofClient(stockItem, row, (item) => stockItemInStore(item, warehouses)),
  },
  {
    what: 'price items (§4.8)',
    method: 'PATCH',
    path: '/partner/stores/products/prices',
    name: 'items',
    payload: payloads.priceItem,
    ofClient: (row) => ofClient(priceItem, row),
  },
  {
    what: 'simple products (§4.3)',
    method: 'POST',
    path: '/partner/stores/catalog/sync',
    name: 'products',
    payload: payloads.simpleProduct,
    ofClient: (row, { warehouses }) =>
      ofClient(simpleProduct, row, (product) => newProductInStore(product, warehouses)),
  },
  {
    what: 'products with variants (§4.4)',
    method: 'POST',
    path: '/partner/stores/catalog/variants/sync',
    name: 'products',
    payload: payloads.variantProduct,
    ofClient: (row, { warehouses }) =>
      ofClient(variantProduct, row, (product) => newProductInStore(product, warehouses)),
  },
];

describe.each(bulks)('$what', ({ method, path, name, payload, ofClient: clientVerdict }) => {
  it('get the same verdict from the client and from the server', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...stores),
        fc.array(payload, { minLength: 1, maxLength: 40 }),
        async (store, rows) => {
          // What JSON can't carry (undefined, -0) is not part of the payload.
          const sent = rows.map((row) => JSON.parse(JSON.stringify(row)) as object);
          const server = await ofServer(method, path, store, name, sent);
          const verdicts = sent.map((row, index) => ({
            row,
            client: clientVerdict(row, store),
            server: server[index],
          }));
          expect(verdicts.filter(({ client, server }) => client !== server)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are generated of both kinds', () => {
    const [, one] = stores;
    const verdicts = fc
      .sample(payload, 200)
      .map((row) => one && clientVerdict(JSON.parse(JSON.stringify(row)), one));
    expect(new Set(verdicts)).toEqual(new Set(['accepted', 'refused']));
  });
});

describe('a warehouse (§4.14)', () => {
  it('gets the same verdict from the client and from the server', async () => {
    const store = target.store('several');
    await fc.assert(
      fc.asyncProperty(payloads.newWarehouse, async (warehouse) => {
        const { verdict } = await post('POST', '/partner/stores/warehouses', store, warehouse);
        expect(ofClient(newWarehouse, warehouse)).toBe(verdict);
      }),
      { numRuns: 400 },
    );
  });
});

describe('changes of a product (§4.7)', () => {
  it.each([
    ['without variants', given],
    ['with variants', givenVariants],
  ])('%s get the same verdict from the client and from the server', async (_, make) => {
    const products = await Promise.all(
      stores.map(async (store) => ({ store, id: (await make(target, store)).id })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...products),
        payloads.productChanges,
        async ({ store, id }, payload) => {
          const changes = JSON.parse(JSON.stringify(payload)) as object;
          const { data } = await target.client.getProduct(store, { productId: id });
          const current = { hasVariants: data.hasVariant === true, storeWarehouses: store.warehouses };
          const client = ofClient(productChanges, changes, (value) => productChangesInStore(value, current));
          const { verdict } = await post('PATCH', `/partner/stores/products/${id}`, store, changes);
          expect(client).toBe(verdict);
        },
      ),
      { numRuns: 100 },
    );
  });
});
