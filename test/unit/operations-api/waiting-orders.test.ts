import { expect, test } from 'vitest';
import { orderRoutes } from '../../../functions/operations-api/orders.ts';
import { NOW, orderDesk, orderIdOf, STORE } from '../orders/order-desk.ts';
import { fail } from '../support/failure.ts';
import { requestTo } from './request.ts';

const KEY = 'GET /stores/{storeClientId}/orders';
const orderId = orderIdOf(1);
const ITEMS = [{ orderId, decision: 'accept' }];

function listedDesk(replies: Parameters<typeof orderDesk>[0] = []) {
  const desk = orderDesk(replies);
  const route = orderRoutes(desk.ports).find((one) => one.key === KEY) ?? expect.unreachable();
  const read = async (query: Record<string, string> = {}) =>
    (await route.handle(requestTo(KEY, { pathParameters: { storeClientId: STORE }, query }))).body;
  return { ...desk, read };
}

function setState(desk: ReturnType<typeof orderDesk>, state: 'connected' | 'suspended') {
  const store = desk.stores.get(STORE) ?? expect.unreachable();
  desk.stores.set(STORE, { ...store, state });
}

/** A delivery tries at most 6 times. */
const always = (reply: () => never) => Array.from({ length: 6 }, () => reply);
const noPermit = fail({ code: 'LIMIT_REACHED', outcome: 'not-sent', retryable: true });
const unreachable = fail({ code: 'CONNECT_FAILED', outcome: 'not-sent', retryable: true });

test.each<[string, (desk: ReturnType<typeof orderDesk>) => void, string]>([
  ['its store is suspended', (desk) => setState(desk, 'suspended'), 'STORE_NOT_CONNECTED'],
  [
    'the secret is not set',
    ({ ports }) =>
      Object.assign(ports.secretKey, {
        read: async () => fail({ code: 'SECRET_PLACEHOLDER', outcome: 'not-sent' })(),
      }),
    'SECRET_PLACEHOLDER',
  ],
  ['no permit is free', ({ replies }) => void replies.push(...always(noPermit)), 'LIMIT_REACHED'],
  ['the marketplace is down', ({ replies }) => void replies.push(...always(unreachable)), 'CONNECT_FAILED'],
])(
  'an order for which nothing was sent yet as %s is listed, and says what it waits for',
  async (_, stop, code) => {
    const desk = listedDesk();
    stop(desk);
    await desk.decide('c-1', ITEMS);
    const waits = { commandId: 'c-1', detailType: 'order.decision.requested', code };
    const order = { storeClientId: STORE, orderId, waits: [waits] };
    expect(await desk.read()).toMatchObject({ orders: [order] });
    expect(await desk.read({ orderId })).toMatchObject(order);
    expect(await desk.read({ state: 'accepted' })).toEqual({ orders: [] });
  },
);

test('an order with several waiting commands says of each what it waits for, and shows those that are left', async () => {
  const desk = listedDesk();
  setState(desk, 'suspended');
  await desk.decide('c-1', ITEMS);
  await desk.dropOff('c-2', [{ orderId }]);
  await desk.decide('c-3', ITEMS);
  const idsOf = (answer: unknown) =>
    (answer as { waits?: { commandId: string }[] }).waits?.map(({ commandId }) => commandId);
  expect(idsOf(await desk.read({ orderId }))).toEqual(['c-2', 'c-3']);
  setState(desk, 'connected');
  await desk.deliver(desk.later[1]?.body ?? '');
  expect(idsOf(await desk.read({ orderId }))).toEqual(['c-3']);
});

test('an order that waited says what was decided once its command is performed, and stays listed', async () => {
  const desk = listedDesk();
  setState(desk, 'suspended');
  await desk.decide('c-1', ITEMS);
  setState(desk, 'connected');
  await desk.deliver(desk.later[0]?.body ?? '');
  const [order] = ((await desk.read()) as { orders: object[] }).orders;
  expect(order).toMatchObject({ orderId, decision: { state: 'accepted', decision: 'accept' } });
  expect(order).not.toHaveProperty('waits');
  expect(order).not.toHaveProperty('waited');
});

test('an order whose waiting command was discarded is not listed: nothing was sent for it', async () => {
  const desk = listedDesk();
  setState(desk, 'suspended');
  await desk.decide('c-1', ITEMS);
  const store = desk.stores.get(STORE) ?? expect.unreachable();
  desk.stores.set(STORE, { ...store, discardedAt: new Date(NOW + 1_000).toISOString() });
  await desk.deliver(desk.later[0]?.body ?? '');
  expect(await desk.read()).toEqual({ orders: [] });
  await expect(desk.read({ orderId })).rejects.toMatchObject({ status: 404, code: 'ORDER_UNKNOWN' });
});

test('a waiting command is noted with each of its orders once, and a performed one with none', async () => {
  const desk = listedDesk();
  const writes: string[] = [];
  const { update } = desk.ports.orders;
  const counting: typeof update = (store, key, change) =>
    update(store, key, (current) => {
      const next = change(current);
      if (next !== undefined && next.waited !== current?.waited) writes.push(key);
      return next;
    });
  Object.assign(desk.ports.orders, { update: counting });
  await desk.decide('c-0', [{ orderId: orderIdOf(9), decision: 'accept' }]);
  expect(writes).toEqual([]);
  setState(desk, 'suspended');
  await desk.decide('c-1', [...ITEMS, { orderId: orderIdOf(2), decision: 'accept' }]);
  await desk.deliver(desk.later[0]?.body ?? '');
  expect(writes.toSorted()).toEqual([`orderId:${orderId}`, `orderId:${orderIdOf(2)}`]);
});
