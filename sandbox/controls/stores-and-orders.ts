import { Hono } from 'hono';
import * as z from 'zod';
import { newOrder } from '../state/new-order.ts';
import { SUB_STATUSES } from '../state/order.ts';
import type { Store } from '../state/store.ts';
import type { World } from '../world.ts';
import { type ControlEnv, ControlError, type ControlTarget, readControl } from './control.ts';

const storeSettings = z.strictObject({
  blocked: z.boolean().optional(),
  token: z.string().min(1).optional(),
});

const orderSettings = z.strictObject({
  storeClientId: z.string(),
  subStatus: z.enum(SUB_STATUSES),
  complained: z.boolean().default(false),
});

/** Controls of the state of stores, and of orders. */
export function storeAndOrderControls({ world }: ControlTarget): Hono<ControlEnv> {
  const app = new Hono<ControlEnv>();
  app.put('/stores/:storeClientId', async (c) => {
    const store = storeOf(world, c.req.param('storeClientId'));
    const { blocked, token } = await readControl(c, storeSettings);
    if (blocked !== undefined) store.blocked = blocked;
    if (token !== undefined) store.token = token;
    return c.json({ storeClientId: store.clientId, state: store.state, blocked: store.blocked });
  });
  app.post('/orders', async (c) => {
    const settings = await readControl(c, orderSettings);
    storeOf(world, settings.storeClientId);
    const { marketplace } = world;
    const numbering = { orderCount: marketplace.orders.length, now: world.clock.now() };
    const order = newOrder({ ...settings, ...numbering }, world.newId);
    marketplace.addOrder(order);
    return c.json({ orderId: order.orderId, invoiceNumber: order.invoiceNumber });
  });
  app.get('/orders/:orderId', (c) => {
    const order = world.marketplace.order({ orderId: c.req.param('orderId') });
    if (order === undefined) throw new ControlError(404, 'No such order.');
    const { orderId, invoiceNumber, subStatus, decisions, dropoffs } = order;
    return c.json({ orderId, invoiceNumber, subStatus, decisions, dropoffs });
  });
  return app;
}

function storeOf(world: World, storeClientId: string): Store {
  const store = world.marketplace.stores.get(storeClientId);
  if (store === undefined) throw new ControlError(404, `No store ${storeClientId}.`);
  return store;
}
