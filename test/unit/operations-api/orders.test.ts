import { afterEach, expect, test, vi } from 'vitest';
import { orderRoutes } from '../../../functions/operations-api/orders.ts';
import { metrics } from '../../../shared/lambda/observability.ts';
import { orderDesk, orderIdOf, STORE } from '../orders/order-desk.ts';
import { fail } from '../support/failure.ts';
import { requestTo } from './request.ts';

afterEach(() => {
  vi.restoreAllMocks();
  metrics.clearMetrics();
});

/** Sends the command to the route whose key begins with this. */
async function give(desk: ReturnType<typeof orderDesk>, key: string, body: object, requestId: string) {
  const route = orderRoutes(desk.ports).find((one) => one.key.startsWith(key)) ?? expect.unreachable();
  const pathParameters = { storeClientId: STORE };
  return route.handle(requestTo(route.key, { pathParameters, body, requestId }));
}

test('orders of unknown outcome are counted, each time that they are sent', async () => {
  const unknown = fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true });
  const desk = orderDesk([unknown, unknown]);
  const orderId = orderIdOf(1);
  const addMetric = vi.spyOn(metrics, 'addMetric');
  const body = { items: [{ orderId, decision: 'accept' }] };

  await expect(
    give(desk, 'POST /stores/{storeClientId}/orders/decisions', body, 'r-1'),
  ).rejects.toMatchObject({ status: 504 });
  desk.pass(200_000);
  const again = { orderId, action: 'decision' };
  await expect(give(desk, 'POST /stores/{storeClientId}/orders/retry', again, 'r-2')).rejects.toMatchObject({
    status: 504,
  });

  expect(addMetric.mock.calls).toEqual([
    ['OrdersUnknown', 'Count', 1],
    ['OrdersUnknown', 'Count', 1],
  ]);
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
      { orderId, action: 'decision', outcome: 'done' },
      requestId,
    );
  const [first, second] = await Promise.allSettled([resolve('r-2'), resolve('r-3')]);
  expect(first.status).toBe('fulfilled');
  expect(second).toMatchObject({
    reason: { code: 'ORDER_NOT_UNKNOWN', message: 'the decision of this order is done' },
  });
});

test('what is sent for a route is aborted before the HTTP API gives up on it', async () => {
  const deadline = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
  const desk = orderDesk();
  const decideOrders = vi.spyOn(desk.ports.calls, 'decideOrders');
  const requestDropoffs = vi.spyOn(desk.ports.calls, 'requestDropoffs');
  const orderId = orderIdOf(1);

  const decision = { items: [{ orderId, decision: 'accept' }] };
  await give(desk, 'POST /stores/{storeClientId}/orders/decisions', decision, 'r-1');
  await give(desk, 'POST /stores/{storeClientId}/orders/dropoffs', { items: [{ orderId }] }, 'r-2');

  for (const call of [decideOrders, requestDropoffs])
    expect(call.mock.lastCall?.[2]?.signal).toBe(deadline.signal);
  expect(AbortSignal.timeout).toHaveBeenLastCalledWith(25_000);
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
  const put = (number: number, state: 'done' | 'refused') => {
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
  await put(1, 'done');
  await put(3, 'done');
  await put(2, 'refused');
  const key = 'GET /stores/{storeClientId}/orders';
  const route = orderRoutes(desk.ports).find((one) => one.key === key) ?? expect.unreachable();
  const read = async (query: Record<string, string>) =>
    (await route.handle(requestTo(key, { pathParameters: { storeClientId: STORE }, query }))).body;
  const ids = (...numbers: number[]) => numbers.map((number) => ({ orderId: orderIdOf(number) }));
  expect(await read({})).toMatchObject({ orders: ids(3, 2, 1) });
  expect(await read({ state: 'done' })).toMatchObject({ orders: ids(3, 1) });
  const page = (await read({ limit: '2' })) as { cursor: string };
  expect(page).toMatchObject({ orders: ids(3, 2) });
  expect(await read({ limit: '2', cursor: page.cursor })).toMatchObject({ orders: ids(1) });
  expect(await read({ orderId: orderIdOf(2) })).toMatchObject({ orderId: orderIdOf(2) });
  await expect(read({ orderId: 'a', invoiceNumber: 'b' })).rejects.toMatchObject({ status: 400 });
});
