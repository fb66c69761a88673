import { describe, expect, test } from 'vitest';
import { fail } from '../../support/failure.ts';
import { LOCK_MS, messageOf, orderDesk, orderIdOf, type Reply, takeDropoffs } from '../order-desk.ts';

const first = orderIdOf(1);
const second = orderIdOf(2);
const notAllowed = { reason: 'STATUS_NOT_ALLOWED', message: 'Order is pending' };
const cut = fail({ code: 'CONNECTION_CUT', outcome: 'unknown', retryable: true });

/** An answer that counts this many skipped orders and names these. */
function skipping(skipped: number, errors: object[], total = 2): Reply {
  return () => ({
    success: true,
    data: { batchId: 'batch-1', summary: { total, accepted: total - skipped, skipped }, errors },
  });
}

describe('order.dropoff.requested', () => {
  test('begins a batch with all its orders, and is not sent again', async () => {
    const desk = orderDesk();
    expect(await desk.dropOff('c-1', [{ orderId: first }, { orderId: second }])).toMatchObject({
      accepted: 2,
    });
    await desk.dropOff('c-1', [{ orderId: first }, { orderId: second }]);
    await desk.dropOff('c-2', [{ orderId: second }]);
    expect(desk.sent).toHaveLength(1);
    expect(desk.batch('batch-1')).toMatchObject({
      kind: 'dropoff',
      state: 'completed',
      commandId: 'c-1',
      requestId: 'request-1',
      rows: { sent: 2, accepted: 2, rejected: 0, unknown: 0 },
    });
    expect(await desk.order(`orderId:${first}`)).toMatchObject({
      dropoff: { state: 'accepted', batchId: 'batch-1' },
    });
  });

  test('records a skipped row with its reason, in the batch and at the order, which may be requested again', async () => {
    const desk = orderDesk([takeDropoffs([{ orderId: second, ...notAllowed }])]);
    expect(await desk.dropOff('c-1', [{ orderId: first }, { orderId: second }])).toMatchObject({
      accepted: 1,
      rejected: 1,
    });
    expect(desk.batch('batch-1')).toMatchObject({
      state: 'completed_with_errors',
      rows: { sent: 2, accepted: 1, rejected: 1 },
      rejectedRows: [
        { rowIndex: 1, orderId: second, code: 'STATUS_NOT_ALLOWED', message: 'Order is pending' },
      ],
    });
    expect(await desk.order(`orderId:${second}`)).toMatchObject({
      dropoff: { state: 'rejected', code: 'STATUS_NOT_ALLOWED' },
    });
    expect(await desk.dropOff('c-2', [{ orderId: first }, { orderId: second }])).toMatchObject({
      accepted: 1,
    });
    expect(desk.sent[1]?.items).toEqual([{ orderId: second }]);
  });

  test('of an answer that denies success without a reason have an unknown outcome', async () => {
    const desk = orderDesk([() => ({ success: false, data: { batchId: 'batch-1' } })]);
    expect(await desk.dropOff('c-1', [{ orderId: first }])).toMatchObject({ unknown: 1 });
    expect(await desk.order(`orderId:${first}`)).toMatchObject({ dropoff: { state: 'unknown' } });
  });

  test('ends as a failed batch with the reasons when no order is eligible (ORDER_026)', async () => {
    const errors = [{ orderId: first, code: 'STATUS_NOT_ALLOWED', ...notAllowed }];
    const desk = orderDesk([
      fail({ code: 'ORDER_026', requestId: 'request-26', context: { summary: { total: 1 }, errors } }),
    ]);
    expect(await desk.dropOff('c-1', [{ orderId: first }])).toMatchObject({ accepted: 0, rejected: 1 });
    expect(desk.batch('request-26')).toMatchObject({
      state: 'failed',
      rejectedRows: [{ rowIndex: 0, orderId: first, code: 'STATUS_NOT_ALLOWED' }],
    });
    expect(desk.eventsOf('rows.rejected')).toHaveLength(1);
  });

  test('is split in halves when ORDER_026 gives a reason for some orders only', async () => {
    const errors = [{ orderId: first, code: 'STATUS_NOT_ALLOWED', ...notAllowed }];
    const refused = () => fail({ code: 'ORDER_026', context: { summary: { total: 2 }, errors } });
    const desk = orderDesk([refused(), refused(), fail({ code: 'ORDER_026' })]);
    const dropoff = await desk.dropOff('c-1', [{ orderId: first }, { orderId: second }]);
    expect(dropoff).toMatchObject({ accepted: 0, rejected: 2 });
    expect(await desk.order(`orderId:${second}`)).toMatchObject({
      dropoff: { state: 'rejected', code: 'ORDER_026' },
    });
  });

  test('marks no order as accepted when ORDER_026 names one of them twice', async () => {
    const twice = { orderId: first, code: 'STATUS_NOT_ALLOWED', ...notAllowed };
    const refused = () =>
      fail({ code: 'ORDER_026', context: { summary: { total: 2 }, errors: [twice, twice] } });
    const desk = orderDesk([refused(), refused(), refused()]);
    const dropoff = await desk.dropOff('c-1', [{ orderId: first }, { orderId: second }]);
    expect(dropoff).toMatchObject({ accepted: 0, rejected: 2 });
  });

  test.each<[string, Reply]>([
    ['counts more skipped orders than it names', skipping(1, [])],
    ['names a skipped order that was not sent', skipping(1, [{ orderId: orderIdOf(9), ...notAllowed }])],
    ['names a skipped order by a number beyond the request', skipping(1, [{ rowIndex: 7, ...notAllowed }])],
    ['counts fewer orders than were sent', skipping(0, [], 1)],
  ])('leaves orders unknown when the answer %s', async (_, reply) => {
    const desk = orderDesk([reply]);
    expect(await desk.dropOff('c-1', [{ orderId: first }, { orderId: second }])).toMatchObject({
      accepted: 0,
      unknown: 2,
    });
    expect(desk.eventsOf('orders.unknown')).toMatchObject([
      { detail: { code: 'ROW_UNCLEAR', orders: [{ orderId: first }, { orderId: second }] } },
    ]);
    expect(await desk.order(`orderId:${first}`)).toMatchObject({ dropoff: { state: 'unknown' } });
  });

  test('rejects the order that the answer names by a number, also as text', async () => {
    const desk = orderDesk([skipping(1, [{ rowIndex: '1', ...notAllowed }])]);
    await desk.dropOff('c-1', [{ orderId: first }, { orderId: second }]);
    expect(await desk.order(`orderId:${first}`)).toMatchObject({ dropoff: { state: 'accepted' } });
    expect(await desk.order(`orderId:${second}`)).toMatchObject({ dropoff: { state: 'rejected' } });
  });

  test('by invoice number is rejected when the answer skips all orders, although it names them by ID', async () => {
    const desk = orderDesk([skipping(1, [{ orderId: first, ...notAllowed }], 1)], 'invoiceNumber');
    expect(await desk.dropOff('c-1', [{ invoiceNumber: 'INV/1' }])).toMatchObject({ rejected: 1 });
    expect(await desk.order('invoiceNumber:INV/1')).toMatchObject({ dropoff: { state: 'rejected' } });
  });

  test('shares no batch with another command', async () => {
    const desk = orderDesk();
    const detailType = 'order.dropoff.requested';
    await desk.deliverAll([
      messageOf(detailType, 'c-1', [{ orderId: first }]),
      messageOf(detailType, 'c-2', [{ orderId: second }]),
    ]);
    expect(desk.sent).toHaveLength(2);
  });

  test('stays unknown when its answer is lost, and is sent again only on request', async () => {
    const desk = orderDesk([cut]);
    expect(await desk.dropOff('c-1', [{ orderId: first }])).toMatchObject({ unknown: 1 });
    expect(await desk.dropOff('c-2', [{ orderId: first }])).toMatchObject({ rejected: 1 });
    expect(desk.sent).toHaveLength(1);
    desk.pass(LOCK_MS);
    expect(await desk.dropOff('c-3', [{ orderId: first }], { retry: true })).toMatchObject({ accepted: 1 });
  });

  test('is sent in requests of the allowed number of orders', async () => {
    const desk = orderDesk();
    desk.ports.itemsPerRequest = 2;
    await desk.dropOff('c-1', [{ orderId: first }, { orderId: second }, { orderId: orderIdOf(3) }]);
    expect(desk.sent.map(({ items }) => items.length)).toEqual([2, 1]);
  });
});
