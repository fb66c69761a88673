import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { finalSummary } from '../../../../shared/marketplace/webhooks/final-summary.ts';
import { verifyWebhook } from '../../../../shared/marketplace/webhooks/verification.ts';
import { eventually, simpleProduct, variantItem, variantProduct } from './products.ts';
import { openTarget } from './target.ts';

const target = await openTarget();
afterAll(() => target.close());

const { client } = target;
const [none, one, several] = [target.store('none'), target.store('one'), target.store('several')];
interface ShownWarehouse {
  readonly clientId?: string | null | undefined;
  readonly stock?: number | null | undefined;
}
const stockOf = (warehouses: readonly ShownWarehouse[] | null | undefined) =>
  Object.fromEntries((warehouses ?? []).map(({ clientId, stock }) => [`${clientId}`, stock]));

describe.each([
  ['§4.3 catalog sync', client.syncCatalog],
  ['§4.5 bulk create', client.createProducts],
])('%s of simple products', (_, create) => {
  it('answers at once and creates the products later', async () => {
    const product = simpleProduct({ stock: 7, specialPrice: 200_000 });
    const batch = await create(none, { products: [product] });
    expect(batch.batchId ?? batch.requestId).toBeTruthy();
    const made = await eventually(target, none, product.sku ?? '');
    expect(made).toMatchObject({
      externalId: product.externalId,
      price: 250_000,
      specialPrice: 200_000,
      stock: 7,
    });
  });

  it('accounts for each row by its position', async () => {
    const existing = simpleProduct();
    await create(none, { products: [existing] });
    await eventually(target, none, existing.sku ?? '');
    const batch = await create(none, {
      products: [simpleProduct(), { ...simpleProduct(), externalId: existing.externalId }],
    });
    expect(batch.summary).toMatchObject({ total: 2, failed: 1 });
    expect(batch.acceptedRows).toMatchObject([{ rowIndex: 0 }]);
    expect(batch.errors).toMatchObject([
      { rowIndex: 1, code: 'PRD_002', externalId: existing.externalId, details: { retryable: false } },
    ]);
  });

  it('refuses warehouses in a store without warehouses', async () => {
    const product = simpleProduct({ warehouses: [{ clientId: 'wh-1', stock: 1 }] });
    expect((await create(none, { products: [product] })).errors).toMatchObject([
      { rowIndex: 0, code: 'VAL_001' },
    ]);
  });

  it('gives the stock to the only warehouse in a store with one', async () => {
    const product = simpleProduct({ stock: 5 });
    await create(one, { products: [product] });
    const made = await eventually(target, one, product.sku ?? '');
    expect(stockOf(made.warehouses)).toEqual({ [one.warehouses[0] ?? '']: 5 });
  });

  it('accepts warehouses in a store with one', async () => {
    const [clientId = ''] = one.warehouses;
    const product = simpleProduct({ warehouses: [{ clientId, stock: 6 }] });
    await create(one, { products: [product] });
    expect(await eventually(target, one, product.sku ?? '')).toMatchObject({ stock: 6 });
  });

  it('applies warehouses to the listed ones only in a store with several', async () => {
    const [first = '', second = ''] = several.warehouses;
    const product = simpleProduct({ warehouses: [{ clientId: second, stock: 4 }] });
    await create(several, { products: [product] });
    const made = await eventually(target, several, product.sku ?? '');
    expect(stockOf(made.warehouses)[second]).toBe(4);
    expect(stockOf(made.warehouses)[first] ?? 0).toBe(0);
  });

  it('applies stock to all warehouses in a store with several', async () => {
    const product = simpleProduct({ stock: 8 });
    await create(several, { products: [product] });
    const made = await eventually(target, several, product.sku ?? '');
    expect(Object.keys(stockOf(made.warehouses))).toEqual(expect.arrayContaining([...several.warehouses]));
    expect(Object.values(stockOf(made.warehouses)).every((stock) => (stock ?? 0) > 0)).toBe(true);
  });

  it('refuses an unknown clientId', async () => {
    const product = simpleProduct({ warehouses: [{ clientId: 'no-such', stock: 1 }] });
    expect((await create(one, { products: [product] })).errors).toMatchObject([{ rowIndex: 0 }]);
  });
});

describe.each([
  ['§4.4 catalog sync', client.syncVariantCatalog],
  ['§4.6 bulk create', client.createVariantProducts],
])('%s of products with variants', (_, create) => {
  it('creates the product with all its variants', async () => {
    const product = variantProduct();
    await create(none, { products: [product] });
    const made = await eventually(target, none, product.variants.items[1]?.sku ?? '');
    expect(made).toMatchObject({ externalId: product.externalId, hasVariant: true, matchedVariantSku: true });
    expect(made.variants?.items?.map(({ sku }) => sku)).toEqual(product.variants.items.map(({ sku }) => sku));
  });

  it('accepts stock in a store without warehouses', async () => {
    const product = variantProduct([variantItem(0, { stock: 3 })]);
    await create(none, { products: [product] });
    const made = await eventually(target, none, product.variants.items[0]?.sku ?? '');
    expect(made.variants?.items?.[0]?.stock).toBe(3);
  });

  it('refuses warehouses in a store without warehouses', async () => {
    const product = variantProduct([variantItem(0, { warehouses: [{ clientId: 'wh-1', stock: 3 }] })]);
    expect((await create(none, { products: [product] })).errors).toMatchObject([{ rowIndex: 0 }]);
  });

  it('gives the stock to the only warehouse in a store with one', async () => {
    const product = variantProduct([variantItem(0, { stock: 3 })]);
    await create(one, { products: [product] });
    const made = await eventually(target, one, product.variants.items[0]?.sku ?? '');
    expect(stockOf(made.variants?.items?.[0]?.warehouses)).toEqual({ [one.warehouses[0] ?? '']: 3 });
  });

  it('applies warehouses to the listed ones only in a store with several', async () => {
    const [first = '', second = ''] = several.warehouses;
    const product = variantProduct([variantItem(0, { warehouses: [{ clientId: first, stock: 3 }] })]);
    await create(several, { products: [product] });
    const made = await eventually(target, several, product.variants.items[0]?.sku ?? '');
    const stocks = stockOf(made.variants?.items?.[0]?.warehouses);
    expect([stocks[first], stocks[second] ?? 0]).toEqual([3, 0]);
  });

  it('refuses an externalId that exists with PRD_002: it only creates', async () => {
    const product = variantProduct();
    await create(none, { products: [product] });
    await eventually(target, none, product.variants.items[0]?.sku ?? '');
    const again = { ...variantProduct(), externalId: product.externalId };
    expect((await create(none, { products: [again] })).errors).toMatchObject([
      { code: 'PRD_002', rowIndex: 0 },
    ]);
  });
});

describe.skipIf(!target.isSandbox)('§4.3, §6 the final summary', () => {
  it('arrives by webhook, signed, with the counts of the batch', async () => {
    const received = Promise.withResolvers<{
      headers: Record<string, string | undefined>;
      rawBody: Buffer;
    }>();
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.end();
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        received.resolve({ headers, rawBody: Buffer.concat(chunks) });
      });
    });
    await target.controls().setWebhook(await urlOf(receiver));
    const externalId = randomUUID();
    const batch = await client.syncCatalog(one, {
      products: [simpleProduct({ externalId }), simpleProduct({ externalId })],
    });
    const { headers, rawBody } = await received.promise;
    receiver.close();
    const verification = verifyWebhook(
      { method: 'POST', path: '/webhooks/marketplace', headers, rawBody },
      { schemes: ['marketplace-hmac'], secrets: [target.secretKey], now: Date.now() },
    );
    expect(verification).toEqual({ ok: true, scheme: 'marketplace-hmac' });
    expect(finalSummary.parse(JSON.parse(rawBody.toString()))).toMatchObject({
      event: 'catalog.sync.completed',
      batchId: batch.batchId,
      storeClientId: one.storeClientId,
      summary: { total: 2, failed: 1, pending: 0 },
      acceptedRows: [{ rowIndex: 0, externalId }],
      errors: [{ rowIndex: 1, code: 'PRD_002' }],
    });
  });
});

async function urlOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/marketplace`;
}
