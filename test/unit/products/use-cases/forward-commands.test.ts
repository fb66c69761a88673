import { expect, test } from 'vitest';
import { forwardCommands } from '../../../../shared/products/use-cases/forward-commands.ts';
import { simpleProduct } from '../../../run/catalog.ts';
import { NOW } from '../product-ports.ts';

const command = (number: number, storeClientId: string) => ({
  messageId: `message-${number}`,
  sentAt: NOW,
  body: JSON.stringify({
    id: `event-${number}`,
    'detail-type': 'catalog.sync.requested',
    detail: { storeClientId, products: [simpleProduct(number)] },
  }),
});

/** The commands of some messages, sent on to a queue that refuses the n-th calls. */
async function forward(messages: readonly ReturnType<typeof command>[], refused: readonly number[] = []) {
  const calls: (readonly string[])[] = [];
  const send = async (bodies: readonly string[]) => {
    calls.push(bodies);
    if (refused.includes(calls.length)) throw new Error('refused');
  };
  const ports = { commands: { send }, newId: () => 'id', itemsPerRequest: 100 };
  return { calls, result: await forwardCommands(ports, messages) };
}

test('small commands of two stores go on as two messages', async () => {
  const messages = Array.from({ length: 60 }, (_, index) => command(index, `s-${index % 2}`));
  const { calls, result } = await forward(messages);
  expect(calls.map((bodies) => bodies.length)).toEqual([2]);
  expect(result).toEqual({ sent: 2, failedMessageIds: [], failures: [] });
});

test('what could not be sent comes again, with all that shared its call; the rest is done with', async () => {
  const messages = Array.from({ length: 12 }, (_, index) => command(index, `s-${index}`));
  const { calls, result } = await forward(messages, [1]);
  expect(calls.map((bodies) => bodies.length)).toEqual([10, 2]);
  expect(result.failedMessageIds).toEqual(messages.slice(0, 10).map(({ messageId }) => messageId));
  expect(result).toMatchObject({ sent: 2, failures: [new Error('refused')] });
});
