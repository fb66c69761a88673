import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { priceItem, stockItem } from '../../../../shared/marketplace/offer-rows.ts';
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

// The validation of the client and that of the sandbox were written from the spec independently: both must accept and
// refuse the same payloads.

const target = await openTarget();
afterAll(() => target.close());

const stores = (['none', 'one', 'several'] as const).map((warehouses) => target.store(warehouses));

/** `by the store`: refused because of the state of the store or the product, which only the marketplace knows. */
type Verdict = 'accepted' | 'refused' | 'by the store';

const reasonsOfTheStore = ['STOCK_NOT_ALLOWED', 'WAREHOUSES_NOT_ALLOWED', 'WAREHOUSE_NOT_FOUND'];
/** Of the product that is changed, whose options only the marketplace knows. */
const reasonsOfTheProduct = [...reasonsOfTheStore, 'PRODUCT_HAS_VARIANTS', 'OPTION_INDEXES'];

/** The verdict of the client's schema. */
function ofClient(schema: z.ZodType, payload: unknown): Verdict {
  return schema.safeParse(payload).success ? 'accepted' : 'refused';
}

function agree(client: Verdict, server: Verdict | undefined): boolean {
  return client === server || server === 'by the store';
}

interface Refusal {
  readonly code?: string;
  readonly details?: { readonly context?: Record<string, unknown> };
}

/** Only VAL_001 is an error of validation. */
function verdictOf({ code, details }: Refusal, notOurs: readonly unknown[] = reasonsOfTheStore): Verdict {
  if (code !== 'VAL_001') return 'accepted';
  return notOurs.includes(details?.context?.reason) ? 'by the store' : 'refused';
}

async function post(method: string, path: string, store: TargetStore, payload: unknown) {
  const answer = await send(target, signed(target, { method, path, store, body: JSON.stringify(payload) }));
  return { answer, verdict: verdictOf(errorOf(answer)) };
}

/** The server's verdict on each row of a bulk request. */
async function ofServer(
  method: string,
  path: string,
  store: TargetStore,
  name: string,
  rows: unknown[],
): Promise<Verdict[]> {
  const { answer } = await post(method, path, store, { [name]: rows });
  const { errors = [] } = (answer.json.data ?? {}) as { errors?: (Refusal & { rowIndex: number })[] };
  const errorOfRow = new Map(errors.map((error) => [error.rowIndex, error]));
  return rows.map((_, rowIndex) => verdictOf(errorOfRow.get(rowIndex) ?? {}));
}

interface Bulk {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly name: string;
  readonly payload: fc.Arbitrary<object>;
  readonly schema: z.ZodType;
}

const bulks: Bulk[] = [
  {
    what: 'stock items (§4.9)',
    method: 'PATCH',
    path: '/partner/stores/inventory',
    name: 'items',
    payload: payloads.stockItem,
    schema: stockItem,
  },
  {
    what: 'price items (§4.8)',
    method: 'PATCH',
    path: '/partner/stores/products/prices',
    name: 'items',
    payload: payloads.priceItem,
    schema: priceItem,
  },
  {
    what: 'simple products (§4.3)',
    method: 'POST',
    path: '/partner/stores/catalog/sync',
    name: 'products',
    payload: payloads.simpleProduct,
    schema: simpleProduct,
  },
  {
    what: 'products with variants (§4.4)',
    method: 'POST',
    path: '/partner/stores/catalog/variants/sync',
    name: 'products',
    payload: payloads.variantProduct,
    schema: variantProduct,
  },
];

describe.each(bulks)('$what', ({ method, path, name, payload, schema }) => {
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
            client: ofClient(schema, row),
            server: server[index],
          }));
          expect(verdicts.filter(({ client, server }) => !agree(client, server))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are generated both valid and invalid', () => {
    const verdicts = fc.sample(payload, 200).map((row) => ofClient(schema, JSON.parse(JSON.stringify(row))));
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
          const { answer } = await post('PATCH', `/partner/stores/products/${id}`, store, changes);
          const verdict = verdictOf(errorOf(answer), reasonsOfTheProduct);
          expect(agree(ofClient(productChanges, changes), verdict)).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });
});
