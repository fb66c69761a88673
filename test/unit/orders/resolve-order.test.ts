import { expect, test } from 'vitest';
import { resolveOrder, retryOfOrder } from '../../../shared/orders/use-cases/unknown-orders.ts';
import { fail } from '../support/failure.ts';
import { LOCK_MS, orderDesk, orderIdOf, type Reply, STORE } from './order-desk.ts';

const orderId = orderIdOf(1);
const timeout = fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true });
const killed = () => {
  throw new Error('killed');
};

/** A desk after a dropoff request for the order, with this reply of the marketplace. */
async function deskAfter(reply: Reply) {
  const desk = orderDesk([reply]);
  await desk.dropOff('c-1', [{ orderId }]).catch(() => {});
  const resolve = (outcome: 'accepted' | 'rejected') =>
    resolveOrder(desk.ports, { storeClientId: STORE, reference: { orderId }, action: 'dropoff' }, outcome);
  return { desk, resolve };
}

test.each(['accepted', 'rejected'] as const)(
  'an unknown outcome is resolved once, as %s',
  async (outcome) => {
    const { resolve } = await deskAfter(timeout);
    expect(await resolve(outcome)).toMatchObject({ dropoff: { state: outcome } });
    expect(await resolve('accepted')).toBeUndefined();
  },
);

test('an order resolved as refused can be requested again once the earlier request can no longer land', async () => {
  const { desk, resolve } = await deskAfter(timeout);
  expect((await resolve('rejected'))?.dropoff).toMatchObject({
    state: 'rejected',
    code: 'RESOLVED_AS_REJECTED',
  });
  expect(await desk.dropOff('c-2', [{ orderId }])).toMatchObject({ deferred: ['ORDERS_BUSY'] });
  desk.pass(LOCK_MS);
  expect(await desk.dropOff('c-2', [{ orderId }])).toMatchObject({ accepted: 1 });
  await desk.dropOff('c-1', [{ orderId }]);
  expect(desk.sent).toHaveLength(2);
});

test('a request of a killed sender is resolved once its lock has expired, and its unknown outcome is announced', async () => {
  const { desk, resolve } = await deskAfter(killed);
  expect(await resolve('accepted')).toBeUndefined();
  desk.pass(LOCK_MS);
  expect(await resolve('accepted')).toMatchObject({ dropoff: { state: 'accepted' } });
  expect(desk.eventsOf('orders.unknown')).toHaveLength(1);
});

test('a request that a killed sender did not send is not unknown', async () => {
  const desk = orderDesk();
  const { requestDropoffs } = desk.ports.calls;
  desk.ports.calls.requestDropoffs = killed;
  await expect(desk.dropOff('c-1', [{ orderId }])).rejects.toThrow('killed');
  desk.ports.calls.requestDropoffs = requestDropoffs;
  desk.pass(LOCK_MS);
  const now = desk.ports.clock.now();
  const place = { storeClientId: STORE, reference: { orderId }, action: 'dropoff' } as const;
  expect(await resolveOrder(desk.ports, place, 'accepted')).toBeUndefined();
  expect((await desk.ports.orders.listUnknown(STORE, { now })).orders).toHaveLength(0);
});

test('an order of unknown outcome is listed again, and kept, when its retry was killed before it was sent', async () => {
  const { desk, resolve } = await deskAfter(timeout);
  desk.pass(LOCK_MS);
  const { ports } = desk;
  const order = (await desk.order(`orderId:${orderId}`)) ?? expect.unreachable();
  const place = { storeClientId: STORE, reference: { orderId }, action: 'dropoff' } as const;
  const retry = retryOfOrder(order, place, ports.clock.now());
  ports.calls.requestDropoffs = killed;
  await expect(desk.dropOff('c-2', [retry], { retry: true })).rejects.toThrow('killed');
  const listed = async () => {
    const { orders } = await ports.orders.listUnknown(STORE, { now: ports.clock.now() });
    return orders.map(({ dropoff }) => dropoff?.state);
  };
  expect(await listed()).toEqual([]);
  desk.pass(LOCK_MS);
  expect(await listed()).toEqual(['sending']);
  expect(await resolve('accepted')).toMatchObject({ dropoff: { state: 'accepted' } });
  expect(await listed()).toEqual([]);
});

test('a known outcome can not be resolved', async () => {
  const desk = orderDesk();
  await desk.dropOff('c-1', [{ orderId }]);
  const place = { storeClientId: STORE, reference: { orderId }, action: 'dropoff' } as const;
  expect(await resolveOrder(desk.ports, place, 'rejected')).toBeUndefined();
});
