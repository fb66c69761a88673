import { describe, expect, test } from 'vitest';
import type { ImportRecord } from '../../../shared/imports/model.ts';
import type { Listing } from '../../../shared/listings/model.ts';
import { search } from '../../../shared/search/use-cases/search.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryImportTable } from '../../doubles/in-memory-import-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { messageOf, orderDesk, orderIdOf, STORE } from '../orders/order-desk.ts';

const AT = '2026-11-21T08:00:00.000Z';

function world(dead: { queueArn: string; messages: number }[] = []) {
  const desk = orderDesk();
  const files = new VersionedItems<ImportRecord>();
  const ports = {
    ...desk.ports,
    listings: inMemoryListingTable(),
    changeEvents: inMemoryChangeEventTable(),
    imports: inMemoryImportTable(undefined, files),
    deadLetters: { list: async () => dead },
  };
  const list = (target: string, storeClientId = STORE) =>
    ports.listings.update(storeClientId, target, () => listingOf(storeClientId, target));
  const find = (word: string, storeClientId?: string) => search(ports, word, storeClientId);
  return { ...desk, ports, list, find };
}

function listingOf(storeClientId: string, target: string): Listing {
  const desired = { stock: { value: 5, version: Date.parse(AT) } };
  return { storeClientId, target, versionKind: 'time', desired, sent: {}, settled: {}, failures: 0 };
}

describe('a search', () => {
  test.each([
    ['MUG-1', 'sku:MUG-1'],
    ['sku:MUG-1', 'sku:MUG-1'],
    ['ERP-77', 'externalId:erp-77'],
    ['7C0E6A1C-0000-4000-8000-000000000001', 'id:7c0e6a1c-0000-4000-8000-000000000001'],
  ])('for %s finds the product %s, in the stores that have it', async (word, target) => {
    const { list, find } = world();
    await list(target);
    await list(target, 'other');
    await list('sku:MUG-10');
    expect((await find(word)).hits).toEqual([
      expect.objectContaining({
        kind: 'product',
        id: target,
        storeClientId: STORE,
        trace: { target, storeClientId: STORE },
      }),
    ]);
    expect((await find(word, 'other')).hits).toMatchObject([{ storeClientId: 'other' }]);
  });

  test('for the beginning of a SKU finds the products, and says if there are more', async () => {
    const { list, find } = world();
    for (let number = 0; number < 22; number += 1) await list(`sku:CUP-${String(number).padStart(2, '0')}`);
    await list('sku:XCUP');
    expect((await find('CUP-1')).hits.map(({ id }) => id)).toEqual(
      Array.from({ length: 10 }, (_, digit) => `sku:CUP-1${digit}`),
    );
    const all = await find('CUP');
    expect({ found: all.hits.length, hasMore: all.hasMore }).toEqual({ found: 20, hasMore: true });
  });

  test('finds an order, its command, its event and its request', async () => {
    const { decide, find, requests } = world();
    const orderId = orderIdOf(1);
    await decide('c-1', [{ orderId, decision: 'accept' }]);
    const kindsOf = async (word: string) => (await find(word)).hits.map(({ kind, trace }) => [kind, trace]);
    expect(await kindsOf(orderId)).toEqual([['order', { orderId, storeClientId: STORE }]]);
    expect(await kindsOf('c-1')).toEqual([['command', { commandId: 'c-1', storeClientId: STORE }]]);
    expect(await kindsOf('event-of-c-1')).toEqual([['command', { eventId: 'event-of-c-1' }]]);
    const recordId = requests()[0]?.recordId ?? '';
    expect(await kindsOf(recordId)).toEqual([['request', { requestId: recordId }]]);
    const [hit] = (await find(orderId)).hits;
    expect(hit?.what).toBe('an order · accept: done');
  });

  test('finds a batch by its ID, and by the ID of its request', async () => {
    const { dropOff, find } = world();
    await dropOff('c-2', [{ orderId: orderIdOf(2) }]);
    for (const word of ['batch-1', 'request-1'])
      expect((await find(word)).hits).toMatchObject([{ kind: 'batch', id: 'batch-1' }]);
  });

  test('finds what was rejected before anything was sent, by the ID of its event', async () => {
    const { deliver, find } = world();
    await deliver(messageOf('order.decision.requested', 'c-3', [], { storeClientId: '' }));
    expect((await find('event-of-c-3')).hits).toMatchObject([{ kind: 'rejection' }]);
  });

  test('finds the event of stock, if no record has the word as its key', async () => {
    const { ports, find } = world();
    const event = {
      eventId: 'e-9',
      detailType: 'stock.changed',
      storeClientId: STORE,
      takenAt: AT,
      rows: 2,
      versionKind: 'time',
      version: 1,
      targets: [],
      registers: [],
    } as const;
    await ports.changeEvents.putAll([{ ...event, targets: [], registers: [] }]);
    expect((await find('e-9')).hits).toMatchObject([
      { kind: 'event', what: 'an event · stock.changed · 2 rows' },
    ]);
  });

  test('finds the imports of a file by its name and by its key, and a store by its ID', async () => {
    const { ports, find } = world();
    const key = `prices/${STORE}/november.csv`;
    const file = { importId: 'i-1', storeClientId: STORE, bucket: 'b', key, putAt: AT, startedAt: AT };
    await ports.imports.update('i-1', () => file);
    for (const word of ['november.csv', key, 'i-1'])
      expect((await find(word)).hits).toMatchObject([{ kind: 'file', id: 'i-1', path: '/imports/i-1' }]);
    expect((await find(STORE)).hits).toMatchObject([{ kind: 'store', id: STORE }]);
  });

  test('that finds nothing says so, and in which queues it may be', async () => {
    const nothing = 'No record of NONE: it was not received, unless it still waits in its queue, or';
    expect(await world().find('NONE')).toMatchObject({
      hits: [],
      message: `${nothing} its record has expired.`,
    });
    const dead = { queueArn: 'arn:aws:sqs:r:1:changes', messages: 2 };
    expect((await world([dead]).find('NONE')).message).toBe(
      `${nothing} it is among the dead letters of changes (2 messages), or its record has expired.`,
    );
  });
});
