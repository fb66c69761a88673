import { expect, test } from 'vitest';
import { queueCommand } from '../../../functions/operations-api/queued-command.ts';
import { orderDesk, orderIdOf, STORE } from '../orders/order-desk.ts';

test('the answer to a caller whose time is over does not say that a command was not performed: its request may have been sent', async () => {
  const { ports } = orderDesk();
  const detail = { storeClientId: STORE, items: [{ orderId: orderIdOf(1), decision: 'accept' }] };
  const command = { id: 'r-1', detailType: 'order.decision.requested', detail, wait: 1 } as const;
  // Performed by another function: only the records tell.
  const queue = { send: async () => undefined };
  const answer = await queueCommand(ports, queue, command, () => expect.unreachable());
  expect(answer).toMatchObject({
    status: 202,
    body: { state: 'queued', message: 'The command is queued: it has not ended yet, and may have been sent' },
  });
});
