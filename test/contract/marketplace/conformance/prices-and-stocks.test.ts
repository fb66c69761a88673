import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { isRowRetryable } from '../../../../shared/marketplace/batch.ts';
import { eventually, given, givenVariants, newSku, variantItem } from './products.ts';
import { errorOf, send, signed } from './raw-request.ts';
import { openTarget, type TargetStore } from './target.ts';

const target = await openTarget();
afterAll(() => target.close());

const { client } = target;
const [none, one, several] = [target.store('none'), target.store('one'), target.store('several')];

/** The row errors, or the refusal, of items that the client refuses to send. */
async function verdict(path: string, store: TargetStore, items: object[]): Promise<unknown> {
  const answer = await send(
    target,
    signed(target, { method: 'PATCH', path, store, body: JSON.stringify({ items }) }),
  );
  const { errors } = (answer.json.data ?? {}) as { errors?: { code: string }[] };
  return errors?.map(({ code }) => code) ?? errorOf(answer).code;
}

describe('§4.8 update prices', () => {
  it('by sku changes a simple product', async () => {
    const { sku, id } = await given(target, none);
    const batch = await client.updatePrices(none, {
      items: [{ sku: sku ?? '', price: 300_000, specialPrice: 290_000 }],
    });
    expect(batch.summary).toMatchObject({ total: 1, failed: 0 });
    expect(batch.acceptedRows).toMatchObject([{ rowIndex: 0, target: 'product', id }]);
    await eventually(
      target,
      none,
      sku ?? '',
      ({ price, specialPrice }) => price === 300_000 && specialPrice === 290_000,
    );
  });

  it('by sku changes one variant only', async () => {
    const items = [variantItem(0), variantItem(1)];
    await givenVariants(target, none, items);
    const [sku = '', other = ''] = items.map((item) => item.sku);
    const batch = await client.updatePrices(none, { items: [{ sku, price: 1_000 }] });
    expect(batch.acceptedRows).toMatchObject([{ rowIndex: 0, target: 'variant' }]);
    const priceOf =
      (wanted: string) =>
      (product: {
        variants?:
          | {
              items?:
                | { sku?: string | null | undefined; price?: number | null | undefined }[]
                | null
                | undefined;
            }
          | null
          | undefined;
      }) =>
        product.variants?.items?.find((item) => item.sku === wanted)?.price;
    const changed = await eventually(target, none, sku, (product) => priceOf(sku)(product) === 1_000);
    expect(priceOf(other)(changed)).toBe(items[1]?.price);
  });

  it('by id changes a simple product', async () => {
    const { sku, id } = await given(target, none);
    await client.updatePrices(none, { items: [{ id, price: 111_000 }] });
    await eventually(target, none, sku ?? '', ({ price }) => price === 111_000);
  });

  it('with null clears the special price', async () => {
    const { sku } = await given(target, none, { specialPrice: 200_000 });
    await client.updatePrices(none, { items: [{ sku: sku ?? '', price: 250_000, specialPrice: null }] });
    await eventually(target, none, sku ?? '', ({ specialPrice }) => (specialPrice ?? null) === null);
  });

  it('by the id of a product with variants is rejected', async () => {
    const { id } = await givenVariants(target, none);
    const { errors, acceptedRows } = await client.updatePrices(none, { items: [{ id, price: 1 }] });
    expect(errors).toMatchObject([{ rowIndex: 0 }]);
    expect(acceptedRows).toEqual([]);
  });

  it('by an unknown sku is the row error PRD_016, and the other rows are applied', async () => {
    const { sku } = await given(target, none);
    const unknown = newSku();
    const items = [
      { sku: unknown, price: 1 },
      { sku: sku ?? '', price: 2 },
    ];
    const batch = await client.updatePrices(none, { items });
    expect(batch.summary).toMatchObject({ total: 2, failed: 1 });
    expect(batch.errors).toMatchObject([{ code: 'PRD_016', rowIndex: 0, sku: unknown }]);
    expect(batch.errors.map(isRowRetryable)).toEqual([false]);
    await eventually(target, none, sku ?? '', ({ price }) => price === 2);
  });

  it('by both identifiers or by none is rejected', async () => {
    const { sku, id } = await given(target, none);
    const items = [{ sku, id, price: 1 }, { price: 1 }];
    expect(await verdict('/partner/stores/products/prices', none, items)).toEqual(['VAL_001', 'VAL_001']);
  });

  it('reports whether events were dispatched', async () => {
    const { sku } = await given(target, none);
    const { meta } = await client.updatePrices(none, { items: [{ sku: sku ?? '', price: 3 }] });
    expect(meta?.dispatch).toBe(true);
  });
});

describe('§4.9 update stocks', () => {
  it.each(['sku', 'id', 'externalId'] as const)(
    'by the %s of a product sets its stock',
    async (identifier) => {
      const product = await given(target, none, { stock: 1 });
      const batch = await client.updateStocks(none, {
        items: [{ [identifier]: product[identifier] ?? '', stock: 42 }],
      });
      expect(batch.acceptedRows).toMatchObject([{ rowIndex: 0, target: 'product', id: product.id }]);
      await eventually(target, none, product.sku ?? '', ({ stock }) => stock === 42);
    },
  );

  it('by the sku of a variant sets its stock', async () => {
    const items = [variantItem(0, { stock: 1 }), variantItem(1, { stock: 2 })];
    await givenVariants(target, none, items);
    const [sku = ''] = items.map((item) => item.sku);
    const batch = await client.updateStocks(none, { items: [{ sku, stock: 5 }] });
    expect(batch.acceptedRows).toMatchObject([{ rowIndex: 0, target: 'variant', sku }]);
    const { variants } = await eventually(target, none, sku, ({ stock }) => stock === 7);
    expect(variants?.items?.map(({ stock }) => stock)).toEqual([5, 2]);
  });

  it('with stock and clientIds changes the listed warehouses', async () => {
    const [first = '', second = ''] = several.warehouses;
    const { sku } = await given(target, several, { stock: 1 });
    await client.updateStocks(several, { items: [{ sku: sku ?? '', stock: 30, warehouses: [second] }] });
    const { warehouses } = await eventually(target, several, sku ?? '', ({ stock }) => (stock ?? 0) >= 30);
    const stocks = Object.fromEntries((warehouses ?? []).map(({ clientId, stock }) => [clientId, stock]));
    expect([stocks[first], stocks[second]]).toEqual([1, 30]);
  });

  it('with a stock in each warehouse sets each of them', async () => {
    const [first = '', second = ''] = several.warehouses;
    const { sku } = await given(target, several, { stock: 1 });
    const warehouses = [
      { clientId: first, stock: 0 },
      { clientId: second, stock: 9 },
    ];
    await client.updateStocks(several, { items: [{ sku: sku ?? '', warehouses }] });
    await eventually(target, several, sku ?? '', (product) => {
      const stocks = new Map((product.warehouses ?? []).map(({ clientId, stock }) => [clientId, stock]));
      return stocks.get(first) === 0 && stocks.get(second) === 9;
    });
  });

  it('with stock alone sets the global stock', async () => {
    const { sku } = await given(target, one, { stock: 1 });
    await client.updateStocks(one, { items: [{ sku: sku ?? '', stock: 12 }] });
    const { warehouses } = await eventually(target, one, sku ?? '', ({ stock }) => stock === 12);
    expect(warehouses).toMatchObject([{ clientId: one.warehouses[0], stock: 12 }]);
  });

  it('by an unknown sku is INV_001, by an unknown id INV_002', async () => {
    const [sku, id] = [newSku(), randomUUID()];
    const batch = await client.updateStocks(none, {
      items: [
        { sku, stock: 1 },
        { id, stock: 1 },
      ],
    });
    expect(batch.summary).toMatchObject({ total: 2, failed: 2 });
    expect(batch.errors).toMatchObject([
      { code: 'INV_001', rowIndex: 0, sku },
      { code: 'INV_002', rowIndex: 1, id },
    ]);
    expect(batch.errors[0]?.details?.context?.reason).toBeTruthy();
  });

  it('by two identifiers or by none is rejected', async () => {
    const { sku, id } = await given(target, none);
    const items = [{ sku, id, stock: 1 }, { stock: 1 }];
    expect(await verdict('/partner/stores/inventory', none, items)).toEqual(['VAL_001', 'VAL_001']);
  });

  it('answers with a batchId, a duration and that events were dispatched', async () => {
    const { sku } = await given(target, none);
    const batch = await client.updateStocks(none, { items: [{ sku: sku ?? '', stock: 1 }] });
    expect(batch.batchId).toBeTruthy();
    expect(batch.meta).toMatchObject({ dispatch: true, durationMs: expect.any(Number) });
  });
});
