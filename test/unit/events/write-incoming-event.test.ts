import { describe, expect, test } from 'vitest';
import { createFileRowQueue, createListingChangeQueue } from '../../../shared/aws/event-queues.ts';
import {
  type IncomingDetailType,
  incomingDetailSchemas,
  writeIncomingEvent,
} from '../../../shared/events/incoming.ts';
import { parseIncomingEvent } from '../../../shared/events/parse-incoming-event.ts';
import { EARLIEST_TIME } from '../../../shared/time/look-of-time.ts';

const TIME = Date.UTC(2026, 10, 22, 8, 0, 0, 123);
const RECEIVED_AT = TIME + 3_600_000;
const storeClientId = 'store-1';

/** A message as received from its queue, sent an hour after the event. */
function read(body: string) {
  const detailTypes = Object.keys(incomingDetailSchemas) as IncomingDetailType[];
  return parseIncomingEvent(body, detailTypes, { messageId: 'message-1', sentAt: RECEIVED_AT });
}

const unused = { send: () => Promise.reject(new Error('it has no such message')) };

/** The messages of a queue whose sender is made by `create`. */
async function sentThrough<Queue>(
  create: (sender: { send(bodies: readonly string[]): Promise<void> }) => Queue,
  send: (queue: Queue) => Promise<void>,
) {
  const bodies: string[] = [];
  await send(create({ send: async (more) => void bodies.push(...more) }));
  return bodies.map(read);
}

describe('an event that the connector writes', () => {
  const event = {
    id: 'event-1',
    time: TIME,
    detailType: 'order.document.requested',
    detail: { storeClientId, orderId: 'o-1', document: 'invoice', includeItems: undefined },
  } as const;

  test('is read back unchanged', () => {
    expect(read(writeIncomingEvent(event))).toEqual({ ok: true, receivedAt: RECEIVED_AT, event });
  });

  test('is not written when its detail breaks its schema', () => {
    const detail = { ...event.detail, orderId: '' };
    expect(() => writeIncomingEvent({ ...event, detail })).toThrow('orderId');
  });
});

describe('an event is read from the message', () => {
  test('for products of a file', async () => {
    const command = { storeClientId, commandId: 'file/0', products: [{ sku: 'A' }] };
    const sent = await sentThrough(
      (productCommands) => createFileRowQueue({ productCommands, changes: unused }),
      (queue) =>
        queue.send([{ id: 'file/0', time: TIME, detailType: 'catalog.sync.requested', detail: command }]),
    );
    expect(sent).toEqual([
      {
        ok: true,
        receivedAt: RECEIVED_AT,
        event: { id: 'file/0', time: TIME, detailType: 'catalog.sync.requested', detail: command },
      },
    ]);
  });

  test('for stock of a file', async () => {
    const detail = { storeClientId, version: 7, items: [{ sku: 'A', stock: 1 }], file: { lines: [2] } };
    const event = { id: 'file/0', time: TIME, detailType: 'stock.changed', detail } as const;
    const sent = await sentThrough(
      (changes) => createFileRowQueue({ productCommands: unused, changes }),
      (queue) => queue.send([event]),
    );
    expect(sent).toEqual([{ ok: true, receivedAt: RECEIVED_AT, event }]);
  });

  test.each([
    [TIME, { occurredAt: new Date(TIME).toISOString() }],
    [EARLIEST_TIME, { occurredAt: new Date(EARLIEST_TIME).toISOString() }],
    [TIME, { version: 7 }],
  ])('for changes of a listing at %d, with %j', async (time, version) => {
    const integer = 'version' in version ? version : {};
    const prices = [{ id: 'p', price: 5 }];
    const sent = await sentThrough(createListingChangeQueue, (queue) =>
      queue.send({ storeClientId, commandId: 'c-1', ...integer, time, prices, stocks: [] }),
    );
    const detail = { storeClientId, isOfCommand: true, ...version, items: prices };
    expect(sent).toEqual([
      { ok: true, receivedAt: RECEIVED_AT, event: { id: 'c-1', time, detailType: 'price.changed', detail } },
    ]);
  });
});
