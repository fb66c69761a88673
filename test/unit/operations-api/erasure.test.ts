import { expect, test } from 'vitest';
import { erasureRoutes } from '../../../functions/operations-api/erasure.ts';
import type { Erasure } from '../../../shared/documents/erase-order.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { inMemoryDocumentBucket } from '../../doubles/in-memory-document-bucket.ts';
import { inMemoryLockTable } from '../../doubles/in-memory-request-table.ts';
import { orderDesk, orderIdOf, STORE } from '../orders/order-desk.ts';
import { fail } from '../support/failure.ts';
import { requestTo } from './request.ts';

const orderId = orderIdOf(1);

function setUp(desk = orderDesk()) {
  const [route = expect.unreachable()] = erasureRoutes({
    ...desk.ports,
    documents: inMemoryDocumentBucket(),
    locks: inMemoryLockTable(),
    retentionDays: { records: 90, archive: 90, orders: 400, documents: 180 },
  });
  return (body: object, storeClientId = STORE) =>
    route.handle(requestTo(route.key, { pathParameters: { storeClientId }, body }));
}

test('an order that was decided is erased, and a decision that is given again is sent again', async () => {
  const desk = orderDesk();
  const decision = [{ orderId, decision: 'accept' }];
  await desk.decide('c-1', decision);
  expect(await setUp(desk)({ orderId })).toMatchObject({
    status: 200,
    body: { storeClientId: STORE, orderId, erased: { documents: [], records: [`orderId:${orderId}`] } },
  });
  expect(await desk.order(`orderId:${orderId}`)).toBeUndefined();
  expect(await desk.decide('c-2', decision)).toMatchObject({ accepted: 1 });
  expect(desk.sent).toHaveLength(2);
});

test('a command that was performed before the erasure is not sent again when it is delivered again', async () => {
  const desk = orderDesk();
  const decision = [{ orderId, decision: 'accept' }];
  await desk.decide('c-1', decision);
  await setUp(desk)({ orderId });
  await desk.decide('c-1', decision);
  expect(desk.sent).toHaveLength(1);
});

test('of an order for which a command waits, the erasure says that it will be performed', async () => {
  const desk = orderDesk();
  desk.stores.set(STORE, { ...(desk.stores.get(STORE) as Store), state: 'suspended' });
  await desk.decide('c-1', [{ orderId, decision: 'accept' }]);
  const { body } = await setUp(desk)({ orderId });
  expect((body as Erasure).left[0]).toEqual({
    where: 'a queue',
    what: 'a command for the order that waits (order.decision.requested): it is performed all the same. Erase the order again after it',
    goneBy: expect.any(String),
  });
});

test('an order of unknown outcome is not erased: the answer is a conflict', async () => {
  const desk = orderDesk([fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true })]);
  await desk.dropOff('c-1', [{ orderId }]).catch(() => {});
  await expect(setUp(desk)({ orderId })).rejects.toMatchObject({
    status: 409,
    code: 'ORDER_OUTCOME_UNKNOWN',
  });
});

test.each([
  ['no name', {}],
  ['another field', { orderId, document: 'invoice' }],
])('an erasure with %s is refused', async (_, body) => {
  await expect(setUp()(body)).rejects.toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
});

test('an order of a store that was never connected is refused', async () => {
  await expect(setUp()({ orderId }, 'no-such')).rejects.toMatchObject({ status: 404, code: 'STORE_UNKNOWN' });
});

test('an erasure by one name says that a record or documents may be left under the other one', async () => {
  const erase = setUp();
  const leftIn = async (body: object) => {
    const { left } = (await erase(body)).body as Erasure;
    return left.filter(({ where }) => where === 'the Orders table and the document bucket');
  };
  const expected = [{ goneBy: expect.stringMatching(/T00:00:00.000Z$/) }];
  expect(await leftIn({ orderId })).toMatchObject(expected);
  expect(await leftIn({ invoiceNumber: 'I-1' })).toMatchObject(expected);
  expect(await leftIn({ orderId: 'I-1', invoiceNumber: 'I-1' })).toMatchObject(expected);
  expect(await leftIn({ orderId, invoiceNumber: 'I-1' })).toEqual([]);
});
