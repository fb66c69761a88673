import { expect, test } from 'vitest';
import { orderRoutes } from '../../../functions/operations-api/orders.ts';
import { orderDesk, orderIdOf, STORE } from '../orders/order-desk.ts';
import { fail } from '../support/failure.ts';
import { requestTo } from './request.ts';

/** Sends the command to the route whose key begins with this. */
async function give(desk: ReturnType<typeof orderDesk>, key: string, body: object, requestId: string) {
  const route = orderRoutes(desk.ports).find((one) => one.key.startsWith(key)) ?? expect.unreachable();
  const pathParameters = { storeClientId: STORE };
  return route.handle(requestTo(route.key, { pathParameters, body, requestId }));
}

test('an order of unknown outcome is answered with 504, and its retry sends it once more', async () => {
  const desk = orderDesk([fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true })]);
  const orderId = orderIdOf(1);
  const body = { items: [{ orderId, decision: 'accept' }] };
  await expect(
    give(desk, 'POST /stores/{storeClientId}/orders/decisions', body, 'r-1'),
  ).rejects.toMatchObject({ status: 504, code: 'TIMEOUT', details: { summary: { unknown: 1 } } });
  desk.pass(200_000);
  const again = { orderId, action: 'decision' };
  expect(await give(desk, 'POST /stores/{storeClientId}/orders/retry', again, 'r-2')).toMatchObject({
    status: 200,
    body: { requestId: 'r-2', data: { summary: { total: 1, accepted: 1, skipped: 0, unknown: 0 } } },
  });
  expect(desk.sent).toHaveLength(2);
});

test('a retry waits in its queue while the first request may still land, and its caller gets the reason', async () => {
  const desk = orderDesk([fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true })]);
  const orderId = orderIdOf(1);
  const decisions = { items: [{ orderId, decision: 'accept' }] };
  await give(desk, 'POST /stores/{storeClientId}/orders/decisions', decisions, 'r-1').catch(() => {});
  const again = { orderId, action: 'decision' };
  expect(await give(desk, 'POST /stores/{storeClientId}/orders/retry', again, 'r-2')).toMatchObject({
    status: 202,
    body: { commandId: 'r-2', state: 'waiting', code: 'ORDERS_BUSY', trace: '/trace?commandId=r-2' },
  });
  expect(desk.later).toHaveLength(1);
});

test('orders of one half of a refused request are not answered for before the other half has ended', async () => {
  const refuse = fail({ code: 'ORDER_001', outcome: 'refused', retryable: false, status: 404 });
  const noPermit = fail({ code: 'LIMIT_REACHED', outcome: 'not-sent', retryable: true });
  const accept = () => ({ success: true, message: 'ok' });
  const desk = orderDesk([refuse, accept, ...Array.from({ length: 10 }, () => noPermit)]);
  const items = [1, 2, 3, 4].map((number) => ({ orderId: orderIdOf(number), decision: 'accept' }));
  expect(await give(desk, 'POST /stores/{storeClientId}/orders/decisions', { items }, 'r-1')).toMatchObject({
    status: 202,
    body: { state: 'waiting', code: 'LIMIT_REACHED' },
  });
});

test('of two resolutions at once the second is refused with the state that the first has set', async () => {
  const desk = orderDesk([fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true })]);
  const orderId = orderIdOf(1);
  const decisions = { items: [{ orderId, decision: 'accept' }] };
  await give(desk, 'POST /stores/{storeClientId}/orders/decisions', decisions, 'r-1').catch(() => {});
  desk.pass(200_000);
  const resolve = (requestId: string) =>
    give(
      desk,
      'POST /stores/{storeClientId}/orders/resolve',
      { orderId, action: 'decision', outcome: 'accepted' },
      requestId,
    );
  const [first, second] = await Promise.allSettled([resolve('r-2'), resolve('r-3')]);
  expect(first.status).toBe('fulfilled');
  expect(second).toMatchObject({
    reason: { code: 'ORDER_NOT_UNKNOWN', message: 'the decision of this order is accepted' },
  });
});

test('a row that repeats an order has the outcome of the first one, and a row that contradicts it is skipped', async () => {
  const desk = orderDesk();
  const orderId = orderIdOf(1);
  const accept = { orderId, decision: 'accept' };
  const items = [accept, { orderId, decision: 'reject' }, { ...accept, orderId: orderId.toUpperCase() }];
  await expect(
    give(desk, 'POST /stores/{storeClientId}/orders/decisions', { items }, 'r-1'),
  ).resolves.toMatchObject({
    body: {
      data: {
        summary: { total: 3, accepted: 2, skipped: 1, unknown: 0 },
        errors: [{ rowIndex: 1, code: 'ORDER_DECIDED_OTHERWISE' }],
      },
    },
  });
  expect(desk.sent).toEqual([{ call: 'decideOrders', items: [accept] }]);
});

test('the orders of a store are listed, the newest request first, and one is found by its name', async () => {
  const desk = orderDesk([]);
  const put = (number: number, state: 'accepted' | 'rejected') => {
    const orderId = orderIdOf(number);
    const orderKey = `orderId:${orderId}`;
    const startedAt = `2026-11-21T08:00:0${number}.000Z`;
    const decision = { state, commandId: 'c', recordId: 'r', startedAt, endedAt: startedAt } as const;
    return desk.ports.orders.update(STORE, orderKey, () => ({
      storeClientId: STORE,
      orderKey,
      orderId,
      decision,
    }));
  };
  await put(1, 'accepted');
  await put(3, 'accepted');
  await put(2, 'rejected');
  const key = 'GET /stores/{storeClientId}/orders';
  const route = orderRoutes(desk.ports).find((one) => one.key === key) ?? expect.unreachable();
  const read = async (query: Record<string, string>) =>
    (await route.handle(requestTo(key, { pathParameters: { storeClientId: STORE }, query }))).body;
  const ids = (...numbers: number[]) => numbers.map((number) => ({ orderId: orderIdOf(number) }));
  expect(await read({})).toMatchObject({ orders: ids(3, 2, 1) });
  expect(await read({ state: 'accepted' })).toMatchObject({ orders: ids(3, 1) });
  const page = (await read({ limit: '2' })) as { cursor: string };
  expect(page).toMatchObject({ orders: ids(3, 2) });
  expect(await read({ limit: '2', cursor: page.cursor })).toMatchObject({ orders: ids(1) });
  expect(await read({ orderId: orderIdOf(2) })).toMatchObject({ orderId: orderIdOf(2) });
  await expect(read({ orderId: 'a', invoiceNumber: 'b' })).rejects.toMatchObject({ status: 400 });
});
