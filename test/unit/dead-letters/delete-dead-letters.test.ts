import { expect, test } from 'vitest';
import type { DeadLetterMessage } from '../../../shared/dead-letters/ports.ts';
import { deleteDeadLetters } from '../../../shared/dead-letters/use-cases/delete-dead-letters.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { UNKNOWN_STORE } from '../../../shared/rejections/model.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { connectedStore } from '../stores/store-ports.ts';

const SENT_AT = Date.parse('2026-11-21T08:00:00.000Z');

const connected = new Map(
  ['s-1', 's-2', 's-3', 's-4'].map((storeClientId) => [storeClientId, connectedStore({ storeClientId })]),
);

function setUp(bodies: Readonly<Record<string, unknown>>) {
  const messages = new Map<string, DeadLetterMessage>(
    Object.entries(bodies).map(([messageId, body]) => [
      messageId,
      {
        messageId,
        body: typeof body === 'string' ? body : JSON.stringify(body),
        sentAt: SENT_AT,
        receiptHandle: messageId,
      },
    ]),
  );
  const published: OutgoingEvent[] = [];
  const events = inMemoryEventPublisher(undefined, published);
  const rejections = inMemoryRejectionTable();
  return {
    messages,
    published,
    rejections,
    ports: {
      events,
      rejections,
      stores: inMemoryStoreTable(undefined, connected),
      deadLetterMessages: {
        find: async (queue: string, ids: readonly string[]) =>
          queue === 'Dead' ? ids.flatMap((id) => messages.get(id) ?? []) : undefined,
        remove: async (_: string, { messageId }: DeadLetterMessage) => {
          messages.delete(messageId);
        },
      },
    },
  };
}

test('a deleted dead letter is a rejection with the reason, found by its store, event, command and each product', async () => {
  const detail = { storeClientId: 's-1', commandId: 'c-1', products: [{ sku: 'A' }, { sku: 'B' }, 'no row'] };
  const body = { id: 'e-1', 'detail-type': 'catalog.sync.requested', detail };
  const { ports, messages, rejections, published } = setUp({ 'm-1': body, 'm-2': {} });
  const request = { queue: 'Dead', messageIds: ['m-1', 'm-9'], reason: 'sent by a test' };
  expect(await deleteDeadLetters(ports, request)).toEqual({ deleted: ['m-1'], notFound: ['m-9'] });
  expect([...messages.keys()]).toEqual(['m-2']);
  for (const about of [
    { name: 'target', value: 'sku:A' },
    { name: 'target', value: 'sku:B' },
    { name: 'eventId', value: 'e-1' },
    { name: 'commandId', value: 'c-1' },
  ] as const) {
    const { rejections: found } = await rejections.list('s-1', { about });
    expect(found, about.value).toMatchObject([
      {
        code: 'DEAD_LETTER_DELETED',
        message: 'an operator deleted its message: sent by a test',
        rejectedAt: '2026-11-21T08:00:00.000Z',
        details: { queue: 'Dead', messageId: 'm-1', body },
      },
    ]);
  }
  expect(published).toMatchObject([{ detailType: 'rows.rejected', detail: { storeClientId: 's-1' } }]);
});

test('a deleted dead letter of a store that is not connected is found without a store, with the reason', async () => {
  const body = { id: 'e-1', detail: { storeClientId: 's-9', items: [{ sku: 'A' }] } };
  const { ports, rejections } = setUp({ 'm-1': body });
  await deleteDeadLetters(ports, { queue: 'Dead', messageIds: ['m-1'], reason: 'of a test' });
  for (const about of [
    undefined,
    { name: 'eventId', value: 'e-1' },
    { name: 'target', value: 'sku:A' },
  ] as const) {
    const { rejections: kept } = await rejections.list(UNKNOWN_STORE, { about });
    const message = expect.stringMatching(
      /s-9 .*DEAD_LETTER_DELETED: an operator deleted its message: of a test/,
    );
    expect(kept).toMatchObject([{ code: 'STORE_UNKNOWN', message }]);
  }
});

test.each([
  ['is no JSON', 'not { json', '-', {}],
  ['is of the connector itself', { storeClientId: 's-2' }, 's-2', {}],
  ['is about one order', { detail: { storeClientId: 's-3', orderId: 'o-1' } }, 's-3', { orderId: 'o-1' }],
  [
    'has odd fields',
    { id: 7, detail: { storeClientId: 's-4', items: 'none', ids: ['p-1'] } },
    's-4',
    { id: 'p-1' },
  ],
])('a dead letter that %s can be deleted', async (_, body, store, names) => {
  const { ports, messages, rejections } = setUp({ 'm-1': body });
  await deleteDeadLetters(ports, { queue: 'Dead', messageIds: ['m-1'], reason: 'r' });
  expect(messages.size).toBe(0);
  const { rejections: kept } = await rejections.list(store);
  expect(kept).toMatchObject([{ code: 'DEAD_LETTER_DELETED', eventId: 'm-1', ...names }]);
});

test('a message whose rejection could not be stored stays', async () => {
  const { ports, messages } = setUp({ 'm-1': {} });
  const failing = {
    ...ports,
    rejections: {
      putAll: async () => {
        throw new Error('no table');
      },
    },
  };
  await expect(
    deleteDeadLetters(failing, { queue: 'Dead', messageIds: ['m-1'], reason: 'r' }),
  ).rejects.toThrow('no table');
  expect(messages.size).toBe(1);
});

test('a queue that is no dead-letter queue is refused', async () => {
  const { ports } = setUp({});
  const request = { queue: 'Work', messageIds: ['m-1'], reason: 'r' };
  await expect(deleteDeadLetters(ports, request)).rejects.toMatchObject({ code: 'QUEUE_UNKNOWN' });
});
