import { expect, test } from 'vitest';
import type { DeadLetterMessage } from '../../../shared/dead-letters/ports.ts';
import { deleteDeadLetters } from '../../../shared/dead-letters/use-cases/delete-dead-letters.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import { importIdOf } from '../../../shared/imports/file/announced-file.ts';
import type { ContinuedImport } from '../../../shared/imports/import-message.ts';
import { hasFailed } from '../../../shared/imports/model.ts';
import { UNKNOWN_STORE } from '../../../shared/rejections/model.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryImportTable } from '../../doubles/in-memory-import-table.ts';
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
  const imports = inMemoryImportTable();
  const continued: ContinuedImport[] = [];
  return {
    continued,
    messages,
    published,
    rejections,
    imports,
    ports: {
      events,
      rejections,
      imports,
      importQueue: { send: async (message: ContinuedImport) => void continued.push(message) },
      clock: { now: () => SENT_AT + 3_600_000 },
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

const announced = (key: string) => ({
  id: 'e-1',
  time: '2026-11-21T08:00:00Z',
  'detail-type': 'Object Created',
  detail: { bucket: { name: 'imports' }, object: { key, etag: 'etag', sequencer: '1' } },
});
const fileOf = (key: string) => ({
  bucket: 'imports',
  key,
  etag: 'etag',
  versionId: undefined,
  sequencer: '1',
});

test.each(['s-1', 's-9'])(
  'the deleted message of a put file is found by the store %s, the file and its event',
  async (storeClientId) => {
    const key = `stock/${storeClientId}/full/a.csv`;
    const importId = importIdOf(fileOf(key));
    const { ports, rejections } = setUp({ 'm-1': announced(key) });
    await deleteDeadLetters(ports, { queue: 'Dead', messageIds: ['m-1'], reason: 'of a test' });
    for (const about of [
      undefined,
      { name: 'importId', value: importId },
      { name: 'commandId', value: importId },
      { name: 'eventId', value: 'e-1' },
    ] as const) {
      const { rejections: found } = await rejections.list(storeClientId, { about });
      expect(found).toMatchObject([
        {
          code: storeClientId === 's-1' ? 'DEAD_LETTER_DELETED' : 'STORE_UNKNOWN',
          message: expect.stringMatching(/an operator deleted its message: of a test$/),
          detailType: 'stock.changed',
          origin: `s3://imports/${key}`,
        },
      ]);
    }
  },
);

test.each([
  ['stock/s-1/full/a.csv', [{ isFollowed: true }]],
  ['catalog/s-1/a.csv', []],
])('a file %s whose message was deleted before it was read to its end has failed', async (key, followed) => {
  const importId = importIdOf(fileOf(key));
  const { ports, imports, continued } = setUp({ 'm-1': announced(key) });
  const at = '2026-11-21T08:00:00Z';
  const position = { offset: 90, number: 4 };
  const progress = { sent: 2, rejected: { ROW_INVALID: 1 }, commands: 1, position };
  const file = { importId, storeClientId: 's-1', bucket: 'imports', key, putAt: at, startedAt: at, progress };
  await imports.update(importId, () => file);
  await deleteDeadLetters(ports, { queue: 'Dead', messageIds: ['m-1'], reason: 'of a test' });
  const record = await imports.get(importId);
  expect(record?.reading).toMatchObject({
    rows: 3,
    sent: 2,
    endedAt: '2026-11-21T09:00:00.000Z',
    fault: { code: 'DEAD_LETTER_DELETED', message: 'an operator deleted its message: of a test' },
  });
  expect(record && hasFailed(record)).toBe(true);
  expect(continued).toMatchObject(followed);
  expect(continued).toHaveLength(followed.length);
});

test('a file that was read to its end stays as it is when a further message of it is deleted', async () => {
  const key = 'stock/s-1/a.csv';
  const importId = importIdOf(fileOf(key));
  const { ports, imports, continued } = setUp({ 'm-1': announced(key) });
  const at = '2026-11-21T08:00:00Z';
  const reading = { sent: 1, rejected: {}, commands: 1, rows: 1, endedAt: at };
  const file = { importId, storeClientId: 's-1', bucket: 'imports', key, putAt: at, startedAt: at, reading };
  await imports.update(importId, () => file);
  await deleteDeadLetters(ports, { queue: 'Dead', messageIds: ['m-1'], reason: 'r' });
  expect(await imports.get(importId)).toEqual(file);
  expect(continued).toEqual([]);
});

test('the deleted message of an import that goes on is found by its store and file, as far as these are known', async () => {
  const [known, expired] = ['a', 'b'].map((one) => one.repeat(32)) as [string, string];
  const { ports, rejections, imports } = setUp({
    'm-1': { importId: known, isFollowed: true },
    'm-2': { importId: expired },
    'm-3': { importId: 'of no import' },
  });
  const key = 'prices/s-1/a.csv';
  const times = { putAt: '2026-11-21T08:00:00Z', startedAt: '2026-11-21T08:00:00Z' };
  await imports.update(known, () => ({
    importId: known,
    storeClientId: 's-1',
    bucket: 'imports',
    key,
    ...times,
  }));
  await deleteDeadLetters(ports, { queue: 'Dead', messageIds: ['m-1', 'm-2', 'm-3'], reason: 'r' });
  const ofFile = async (store: string, value: string) =>
    (await rejections.list(store, { about: { name: 'importId', value } })).rejections;
  expect(await ofFile('s-1', known)).toMatchObject([
    { commandId: known, detailType: 'price.changed', origin: `s3://imports/${key}` },
  ]);
  expect(await ofFile(UNKNOWN_STORE, expired)).toMatchObject([{ commandId: expired, eventId: 'm-2' }]);
  expect((await rejections.list(UNKNOWN_STORE)).rejections).toHaveLength(2);
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
