import { expect, test } from 'vitest';
import type { DoubtfulAttempt } from '../../../shared/orders/model.ts';
import { CLAIM_MS } from '../../../shared/orders/rules/claim.ts';
import { resolveOrder } from '../../../shared/orders/use-cases/resolve-order.ts';
import { NOW, orderDesk, orderIdOf, STORE } from './order-desk.ts';

const orderId = orderIdOf(1);
const storeClientId = STORE;
const startedAt = new Date(NOW).toISOString();

async function deskWith(state: 'sending' | 'unknown' | 'done' | 'withdrawn', unknownOf?: DoubtfulAttempt[]) {
  const desk = orderDesk();
  const facts = { state, commandId: 'c-1', attemptId: 'a-1', startedAt, ...(unknownOf && { unknownOf }) };
  await desk.ports.orders.update(STORE, `orderId:${orderId}`, () => ({
    storeClientId,
    orderKey: `orderId:${orderId}`,
    orderId,
    dropoff: facts,
  }));
  const resolve = (outcome: 'done' | 'refused') =>
    resolveOrder(desk.ports, { storeClientId, reference: { orderId }, action: 'dropoff', outcome });
  return { desk, resolve };
}

test.each(['done', 'refused'] as const)('ends an unknown outcome as %s', async (outcome) => {
  const { resolve } = await deskWith('unknown');
  expect(await resolve(outcome)).toMatchObject({ dropoff: { state: outcome } });
  expect(await resolve('done')).toBeUndefined();
});

test('ends what its sender left behind, once he is surely gone', async () => {
  const { desk, resolve } = await deskWith('sending');
  expect(await resolve('done')).toBeUndefined();
  desk.pass(CLAIM_MS);
  expect(await resolve('done')).toMatchObject({ dropoff: { state: 'done' } });
});

test('ends what a retry without effect left unknown', async () => {
  const { resolve } = await deskWith('withdrawn', [{ commandId: 'c-0', attemptId: 'a-0', startedAt }]);
  const order = await resolve('refused');
  expect(order?.dropoff).toEqual({
    state: 'refused',
    code: 'RESOLVED_AS_REFUSED',
    message: 'an operator found out that it had no effect',
    commandId: 'c-1',
    attemptId: 'a-1',
    startedAt,
    endedAt: startedAt,
    turnedAway: [expect.objectContaining({ commandId: 'c-0', code: 'RESOLVED_AS_REFUSED' })],
  });
});

test('remembers of what is done which attempts had their try', async () => {
  const unknownOf = [{ commandId: 'c-0', attemptId: 'a-0', startedAt }];
  const { resolve } = await deskWith('unknown', unknownOf);
  expect(await resolve('done')).toMatchObject({ dropoff: { state: 'done', unknownOf } });
});

test('leaves what is known as it is', async () => {
  const { resolve } = await deskWith('done');
  expect(await resolve('refused')).toBeUndefined();
});
