import { Hono } from 'hono';
import * as z from 'zod';
import { checkStockRow, stockAssignments } from '../rules/stock-modes.ts';
import { offerOf } from '../rules/targets.ts';
import type { SkuMatch } from '../state/catalog.ts';
import type { Store } from '../state/store.ts';
import { type ControlEnv, ControlError, type ControlTarget, readControl } from './control.ts';

const stock = z.int().min(0);

const productEdit = z.strictObject({
  price: z.number().min(0).optional(),
  specialPrice: z.number().min(0).nullable().optional(),
  stock: stock.optional(),
  warehouses: z.array(z.strictObject({ clientId: z.string(), stock })).optional(),
});

/** Controls that change or remove products as the seller, another system or the marketplace itself would. */
export function productControls({ world }: ControlTarget): Hono<ControlEnv> {
  const app = new Hono<ControlEnv>();
  const found = (storeClientId: string, sku: string): { store: Store; match: SkuMatch } => {
    const store = world.marketplace.stores.get(storeClientId);
    const match = store?.catalog.bySku(sku);
    if (store === undefined || match === undefined) {
      throw new ControlError(404, `Store ${storeClientId} has no product with the SKU ${sku}.`);
    }
    return { store, match };
  };
  app.put('/stores/:storeClientId/products/:sku', async (c) => {
    const { store, match } = found(c.req.param('storeClientId'), c.req.param('sku'));
    const { price, specialPrice, ...stocks } = await readControl(c, productEdit);
    const hasStock = stocks.stock !== undefined || stocks.warehouses !== undefined;
    const broken = hasStock ? checkStockRow(store, stocks) : undefined;
    if (broken !== undefined) throw new ControlError(400, JSON.stringify(broken));
    const offer = offerOf(match);
    const time = world.clock.now();
    if (price !== undefined || specialPrice !== undefined) {
      offer.setPrice(price ?? offer.price, specialPrice, time);
    }
    offer.setStock(stockAssignments(store, stocks), time);
    return c.json({ ok: true });
  });
  app.delete('/stores/:storeClientId/products/:sku', (c) => {
    const { store, match } = found(c.req.param('storeClientId'), c.req.param('sku'));
    store.catalog.remove(match.product);
    return c.json({ ok: true });
  });
  return app;
}
