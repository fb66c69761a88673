import { describe, expect, test } from 'vitest';
import { changeProduct } from '../../../../shared/products/use-cases/change-product.ts';
import type { Store } from '../../../../shared/stores/model.ts';
import { externalIdOf } from '../../../run/catalog.ts';
import { fail } from '../../support/failure.ts';
import { connectedStore, NOW, productPorts, type Reply } from '../product-ports.ts';

const productId = externalIdOf(7);
const answer = { data: { id: productId, updatedFields: ['name'] } };

function setUp(replies: Reply[] = [], names?: Store['names']['products']) {
  const { ports, seen, time: clock } = productPorts(replies);
  const change = (commandId: string, changes: object, time = NOW, now = time) => {
    clock.now = now;
    return changeProduct(ports, { productId, changes, commandId, time }, connectedStore('s-1', names), {});
  };
  const sentChanges = () => seen.sent.map(({ products: [request] }) => request?.changes);
  return { seen, change, sentChanges };
}

describe('an update that somebody waits for', () => {
  test('is answered by the marketplace; price and stock go to the listing', async () => {
    const { change, seen, sentChanges } = setUp([() => answer]);
    expect(await change('r-1', { name: 'New', price: 5, stock: 2 })).toEqual({ state: 'answered', answer });
    expect(sentChanges()).toEqual([{ name: 'New' }]);
    expect(seen.changes).toMatchObject([
      { commandId: 'r-1', occurredAt: NOW, prices: [{ id: productId, price: 5 }], stocks: [{ stock: 2 }] },
    ]);
  });

  test('of price and stock alone makes no call', async () => {
    const { change, seen } = setUp();
    expect(await change('r-1', { price: 5 })).toEqual({ state: 'queued' });
    expect(seen.sent).toEqual([]);
  });

  test('of a special price alone goes with the price that is shown, or is told why not', async () => {
    const { change, seen } = setUp([() => ({ data: { price: 9 } }), () => ({ data: { hasVariant: true } })]);
    expect(await change('r-1', { specialPrice: 8 })).toEqual({ state: 'queued' });
    expect(seen.changes).toMatchObject([{ prices: [{ id: productId, specialPrice: 8, shownPrice: 9 }] }]);
    expect(await change('r-2', { specialPrice: 8 })).toMatchObject({
      state: 'refused',
      fault: { code: 'ROW_INVALID' },
    });
  });

  test.each([
    ['sku', { sku: 'A' }, { sku: 'A' }],
    ['externalId', { sku: 'A' }, { externalId: productId }],
  ] as const)(
    'of price and stock goes by the name of its store, which the product shows: %s',
    async (names, price, stock) => {
      const shown = { data: { id: productId, sku: 'A', externalId: productId } };
      const { change, seen } = setUp([() => shown], names);
      expect(await change('r-1', { price: 5, stock: 2 })).toEqual({ state: 'queued' });
      expect(seen.changes).toMatchObject([
        { prices: [{ ...price, price: 5 }], stocks: [{ ...stock, stock: 2 }] },
      ]);
    },
  );

  test('of price and stock is refused where the product shows no such name', async () => {
    const { change, seen } = setUp([() => ({ data: { id: productId } })], 'sku');
    expect(await change('r-1', { stock: 2 })).toMatchObject({
      state: 'refused',
      fault: { code: 'ROW_INVALID', message: 'stock: the product shows no sku, by which the store names it' },
    });
    expect(seen.changes).toEqual([]);
  });

  test('that gives the product another SKU has its price and stock under the new one', async () => {
    const shown = { data: { id: productId, sku: 'A' } };
    const { change, seen } = setUp([() => shown, () => answer], 'sku');
    await change('r-1', { sku: 'B', stock: 0 });
    expect(seen.changes).toMatchObject([{ stocks: [{ sku: 'B', stock: 0 }] }]);
  });

  test('is told to come later while another one may still land, having changed nothing', async () => {
    const cut = fail({ code: 'TIMEOUT', outcome: 'unknown' });
    const { change, seen } = setUp([cut, () => answer]);
    await expect(change('r-1', { name: 'A' })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const early = change('r-2', { name: 'B', stock: 1 }, NOW + 29_999);
    await expect(early).rejects.toMatchObject({ code: 'PRODUCT_BUSY' });
    expect(seen.changes.filter(({ stocks }) => stocks.length > 0)).toEqual([]);
    expect(await change('r-3', { name: 'B' }, NOW + 30_000)).toEqual({ state: 'answered', answer });
  });

  test('leaves alone what a command of a later time has set', async () => {
    const { change, sentChanges } = setUp([() => answer, () => answer]);
    await change('r-1', { name: 'B' }, NOW + 1_000);
    expect(await change('r-2', { name: 'A', weight: 1 })).toEqual({ state: 'answered', answer });
    expect(await change('r-3', { name: 'A' })).toEqual({ state: 'queued' });
    expect(sentChanges()).toEqual([{ name: 'B' }, { weight: 1 }]);
  });
});
