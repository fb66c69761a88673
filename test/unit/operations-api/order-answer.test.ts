import { describe, expect, test } from 'vitest';
import { orderAnswer } from '../../../functions/operations-api/order-answer.ts';
import type { OrderCommand } from '../../../shared/orders/model.ts';
import type { OrderRowOutcome } from '../../../shared/orders/rules/command-outcomes.ts';

const command = (action: OrderCommand['action'], orders: number): OrderCommand => ({
  action,
  storeClientId: 's-1',
  commandId: 'request-1',
  eventId: 'request-1',
  detailType: `order.${action}.requested`,
  time: 0,
  items: Array.from({ length: orders }, (_, index) => ({ orderId: `o-${index}` })),
  retry: false,
});

const answerTo = (action: OrderCommand['action'], ...outcomes: Omit<OrderRowOutcome, 'index'>[]) =>
  orderAnswer(
    command(action, outcomes.length),
    outcomes.map((outcome, index) => ({ index, ...outcome })),
  );

const conflict = { state: 'rejected', code: 'ORDER_DECIDED_OTHERWISE', message: 'm' } as const;
const refused = { state: 'rejected', code: 'ORDER_001', message: 'm' } as const;
const discarded = { state: 'rejected', code: 'COMMAND_DISCARDED', message: 'm' } as const;
const lost = { state: 'unknown', code: 'TIMEOUT', message: 'm' } as const;

describe('the answer to a command by route', () => {
  test('counts orders as accepted that were done now or before', () => {
    expect(answerTo('decision', { state: 'accepted' }, { state: 'accepted' })).toMatchObject({
      success: true,
      requestId: 'request-1',
      data: { summary: { total: 2, accepted: 2, skipped: 0, unknown: 0 }, errors: [] },
    });
  });

  test('names each order that was not done, with the reason', () => {
    const { data } = answerTo('dropoff', { state: 'accepted', batchId: 'b-1' }, refused, lost, conflict);
    expect(data).toEqual({
      batchId: 'b-1',
      summary: { total: 4, accepted: 1, skipped: 2, unknown: 1 },
      errors: [
        { rowIndex: 1, orderId: 'o-1', code: 'ORDER_001', message: 'm' },
        { rowIndex: 2, orderId: 'o-2', code: 'TIMEOUT', message: 'm' },
        { rowIndex: 3, orderId: 'o-3', code: 'ORDER_DECIDED_OTHERWISE', message: 'm' },
      ],
    });
  });

  test.each([
    ['another decision', [conflict], 409, 'ORDER_DECIDED_OTHERWISE'],
    ['an operator who discards all waiting work', [discarded], 409, 'COMMAND_DISCARDED'],
    ['the marketplace', [refused, refused], 422, 'ORDER_001'],
    ['different things', [refused, conflict], 422, 'ORDERS_REFUSED'],
    ['a lost answer', [lost], 504, 'TIMEOUT'],
  ] as const)('is an error when %s prevented every order', (_, outcomes, status, code) => {
    expect(() => answerTo('decision', ...outcomes)).toThrow(expect.objectContaining({ status, code }));
  });

  test('says of several orders how many have an unknown outcome, and the reason of one order not of all', () => {
    expect(() => answerTo('decision', conflict, lost)).toThrow(
      expect.objectContaining({
        status: 504,
        code: 'ORDERS_REFUSED',
        message:
          'the outcome of 1 of 2 is unknown: no decision was accepted: details.errors says why for each',
      }),
    );
    const message = 'no dropoff was accepted: details.errors says why for each';
    expect(() => answerTo('dropoff', refused, conflict)).toThrow(expect.objectContaining({ message }));
    expect(() => answerTo('decision', lost, lost)).toThrow(
      expect.objectContaining({ code: 'TIMEOUT', message: 'the outcome is unknown: m' }),
    );
  });

  test('is the error of the marketplace when it skipped every dropoff', () => {
    const skipped = { state: 'rejected', code: 'STATUS_NOT_ALLOWED', message: 'm', batchId: 'b-1' } as const;
    expect(() => answerTo('dropoff', skipped)).toThrow(
      expect.objectContaining({ status: 422, code: 'ORDER_026' }),
    );
  });
});
