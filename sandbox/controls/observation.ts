import { Hono } from 'hono';
import { formatProduct } from '../formatters/product.ts';
import { type ControlEnv, ControlError, type ControlTarget } from './control.ts';

/** Controls that show received requests and the state of products. */
export function observationControls(target: ControlTarget): Hono<ControlEnv> {
  const { world } = target;
  const app = new Hono<ControlEnv>();
  app.get('/requests', (c) => {
    const since = Number(c.req.query('since') ?? 0);
    if (!Number.isInteger(since)) throw new ControlError(400, 'since must be an integer.');
    return c.json({ requests: world.marketplace.requests.since(since) });
  });
  app.get('/stores/:storeClientId/products', (c) => {
    const storeClientId = c.req.param('storeClientId');
    const store = world.marketplace.stores.get(storeClientId);
    if (store === undefined) throw new ControlError(404, `No store ${storeClientId}.`);
    const products = store.catalog
      .all()
      .map((product) => formatProduct(store, product, { withHistory: true }));
    return c.json({ storeClientId, products });
  });
  return app;
}
