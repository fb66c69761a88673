import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createFileRowQueue, createListingChangeQueue } from '../../../shared/aws/event-queues.ts';
import {
  createCommandQueue,
  createQueueSender,
  createTicketQueue,
} from '../../../shared/aws/queue-sender.ts';
import { writeIncomingEvent } from '../../../shared/events/incoming.ts';

interface Entry {
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
}

/** What reaches SQS. */
function sender() {
  const sent: Entry[] = [];
  const send = async ({ input }: { input: { Entries: readonly Entry[] } }) => {
    sent.push(...input.Entries);
    return {};
  };
  return { sent, sender: createQueueSender({ send } as unknown as SQSClient, 'queue') };
}

const groupsOf = (sent: readonly Entry[]) => sent.map(({ MessageGroupId }) => MessageGroupId);
const TIME = Date.parse('2026-11-27T08:00:00.000Z');
const eventOf = (storeClientId: string, id: string) => ({
  id,
  time: TIME,
  detailType: 'stock.changed' as const,
  detail: { storeClientId, occurredAt: TIME, items: [{ sku: 'A-1', stock: 1 }] },
});

test('every message of a file has its store as its group, so that a flood of one store is known from others', async () => {
  const { sent, sender: own } = sender();
  const queue = createFileRowQueue({ productCommands: own, changes: own });
  await queue.send(Array.from({ length: 1_000 }, (_, index) => eventOf('flooding', `f-${index}`)) as never);
  await queue.send([eventOf('quiet', 'q-1')] as never);
  expect(Object.entries(Object.groupBy(groupsOf(sent), (group) => group ?? 'none'))).toMatchObject([
    ['flooding', { length: 1_000 }],
    ['quiet', { length: 1 }],
  ]);
});

test('a deferred command keeps its store as its group', async () => {
  const { sent, sender: own } = sender();
  await createCommandQueue(own).sendLater(writeIncomingEvent(eventOf('store-1', 'c-1') as never), 1_000);
  expect(groupsOf(sent)).toEqual(['store-1']);
});

test('a ticket, a created and a renamed product have their store as their group', async () => {
  const { sent, sender: own } = sender();
  await createTicketQueue(own).send([{ storeClientId: 'store-1' }, { storeClientId: 'store-2' }]);
  const changes = createListingChangeQueue(own);
  await changes.sendCreated({ storeClientId: 'store-3', products: [{} as never], knownAt: TIME as never });
  expect(groupsOf(sent)).toEqual(['store-1', 'store-2', 'store-3']);
});

test.each([
  ['a name that SQS would refuse', 'Laden Ä 1'],
  ['a name that is too long', 'x'.repeat(129)],
])('%s becomes a group that SQS takes', async (_, storeClientId) => {
  const { sent, sender: own } = sender();
  await own.send([JSON.stringify({ storeClientId }), JSON.stringify({ storeClientId })]);
  const [first, second] = groupsOf(sent);
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(second).toBe(first);
});

test.each(['{"importId":"i"}', 'no JSON', '{"detail":{}}'])(
  '%s, without a store, has no group',
  async (body) => {
    const { sent, sender: own } = sender();
    await own.send([body]);
    expect(sent).toHaveLength(1);
    expect(sent[0]).not.toHaveProperty('MessageGroupId');
  },
);
