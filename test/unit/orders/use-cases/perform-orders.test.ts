import { expect, test } from 'vitest';
import { performOrders } from '../../../../shared/orders/use-cases/perform-orders.ts';
import { fail } from '../../support/failure.ts';
import { NOW, orderDesk, orderIdOf, type Reply, STORE } from '../order-desk.ts';

const items = [1, 2, 3, 4].map((number) => ({ orderId: orderIdOf(number), decision: 'accept' as const }));
const command = {
  action: 'decision',
  storeClientId: STORE,
  commandId: 'c-1',
  eventId: 'c-1',
  detailType: 'order.decision.requested',
  time: NOW,
  items,
  retry: false,
} as const;
const refuse = fail({ code: 'ORDER_001', outcome: 'refused', retryable: false, status: 404 });
const accept = () => ({ success: true, message: 'ok' });
const noPermit = fail({ code: 'LIMIT_REACHED', outcome: 'not-sent', retryable: true });
const never = Array.from({ length: 10 }, () => noPermit);

const outcomesAfter = async (...replies: Reply[]) => {
  const outcomes = await performOrders(orderDesk(replies).ports, command);
  return outcomes.map(({ state, code }) => [state, code]);
};

test('orders of one half of a refused request count when the other half can not be sent', async () => {
  const [done, notSent] = [
    ['done', undefined],
    ['not sent', 'LIMIT_REACHED'],
  ];
  expect(await outcomesAfter(refuse, accept, ...never)).toEqual([done, done, notSent, notSent]);
});

test('a command ends in the error if none of its orders could be sent', async () => {
  await expect(outcomesAfter(...never)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  await expect(outcomesAfter(refuse, ...never)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
});
