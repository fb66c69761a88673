import { describe, expect, test } from 'vitest';
import { recordSubmission, recordSummary } from '../../../shared/batches/use-cases/record-batch.ts';
import type { ImportRecord } from '../../../shared/imports/model.ts';
import type { Listing } from '../../../shared/listings/model.ts';
import { endedByRename } from '../../../shared/listings/rules/end-by-rename.ts';
import { withLive } from '../../../shared/listings/use-cases/recording-reads.ts';
import { type Rejection, UNKNOWN_STORE } from '../../../shared/rejections/model.ts';
import { search } from '../../../shared/search/use-cases/search.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryImportTable } from '../../doubles/in-memory-import-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { finalSummary, submission } from '../batches/batch-facts.ts';
import { messageOf, orderDesk, orderIdOf, STORE } from '../orders/order-desk.ts';

const AT = '2026-11-21T08:00:00.000Z';

interface Queues {
  readonly waiting?: { topic: string; messages: number }[];
  readonly dead?: { topic: string; messages: number }[];
}

function world({ waiting = [], dead = [] }: Queues = {}) {
  const desk = orderDesk();
  const files = new VersionedItems<ImportRecord>();
  const ports = {
    ...desk.ports,
    listings: inMemoryListingTable(),
    changeEvents: inMemoryChangeEventTable(),
    imports: inMemoryImportTable(undefined, files),
    deadLetters: { list: async () => dead, listWaiting: async () => waiting },
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

function rejectionOf(storeClientId: string, target: string | undefined): Rejection {
  const facts = { rejectionId: `${AT}#1`, rejectedAt: AT, code: 'VAL_001', message: 'not valid' };
  return { storeClientId, ...facts, ...(target !== undefined && { target }) };
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

  test('for the ID of a product finds it by the name that its store uses, once, and in that store alone', async () => {
    const { ports, list, find } = world();
    const productId = '7c0e6a1c-0000-4000-8000-000000000001';
    const sameAs = ['externalId:erp-77'];
    await list('sku:MUG-1');
    await list('externalId:erp-77');
    const read = { at: AT, values: {}, productId: productId.toUpperCase() };
    for (const target of ['sku:MUG-1', 'externalId:erp-77'])
      await ports.listings.update(STORE, target, (current) =>
        withLive(
          { ...listingOf(STORE, target), ...current, ...(target.startsWith('sku') && { sameAs }) },
          read,
        ),
      );
    for (const word of [productId, productId.toUpperCase(), `id:${productId}`])
      expect((await find(word)).hits).toMatchObject([{ kind: 'product', id: 'sku:MUG-1' }]);
    expect((await find(productId, 'other')).hits).toEqual([]);
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

  test.each([
    ['the beginning of a SKU', 'MUG-', { id: 'sku:MUG-1' }],
    [
      'a product that was only rejected',
      'CUP-1',
      { id: 'sku:CUP-1', what: expect.stringMatching('only rejected') },
    ],
  ])('for %s looks in every store, of 30 too', async (_, word, hit) => {
    const { ports, list, find, stores } = world();
    const store = stores.get(STORE) ?? expect.unreachable();
    for (let number = 10; number < 40; number += 1)
      stores.set(`t-${number}`, { ...store, storeClientId: `t-${number}` });
    await list('sku:MUG-1', 't-39');
    await ports.rejections.putAll([rejectionOf('t-39', 'sku:CUP-1')]);
    expect((await find(word)).hits).toMatchObject([{ storeClientId: 't-39', ...hit }]);
  });

  test('finds a product in the store that has it, and in others in which it was only rejected', async () => {
    const { ports, list, find, stores } = world();
    const store = stores.get(STORE) ?? expect.unreachable();
    stores.set('s-2', { ...store, storeClientId: 's-2' });
    await list('sku:CUP-1');
    await ports.rejections.putAll([
      rejectionOf(STORE, 'sku:CUP-1'),
      rejectionOf('s-2', 'sku:CUP-1'),
      { ...rejectionOf('stroe-1', 'sku:CUP-1'), code: 'STORE_UNKNOWN' },
    ]);
    const { hits } = await find('CUP-1');
    expect(hits.map(({ kind, storeClientId, what }) => [kind, storeClientId, what])).toEqual([
      ['product', STORE, 'a product · stock 5'],
      ['product', 's-2', 'a product · only rejected: VAL_001: not valid'],
      ['product', UNKNOWN_STORE, 'a product · rejected: STORE_UNKNOWN: not valid'],
    ]);
    expect((await find('CUP-1', STORE)).hits).toHaveLength(1);
    // Another product of another store may have the SKU of the one with this ID.
    const productId = '7c0e6a1c-0000-4000-8000-000000000001';
    const live = { at: AT, values: {}, productId };
    await ports.listings.update(STORE, 'sku:CUP-1', (current) => current && withLive(current, live));
    expect((await find(productId)).hits).toMatchObject([{ storeClientId: STORE, id: 'sku:CUP-1' }]);
  });

  test('finds an order in the store that has it, and in others in which it was only rejected', async () => {
    const { ports, decide, find, stores } = world();
    const store = stores.get(STORE) ?? expect.unreachable();
    stores.set('s-2', { ...store, storeClientId: 's-2' });
    const orderId = orderIdOf(1);
    await decide('c-1', [{ orderId, decision: 'accept' }]);
    await ports.rejections.putAll([{ ...rejectionOf('s-2', undefined), orderId }]);
    expect((await find(orderId)).hits).toMatchObject([
      { kind: 'order', storeClientId: STORE, what: 'an order · accept: accepted' },
      { kind: 'order', storeClientId: 's-2', what: 'an order · only rejected: VAL_001: not valid' },
    ]);
  });

  test('finds a product and an order that only an event with a misspelled store names', async () => {
    const { ports, find } = world();
    const order = { orderId: 'o-77', rejectionId: `${AT}#2` };
    await ports.rejections.putAll([
      { ...rejectionOf('stroe-1', 'sku:CUP-2'), code: 'STORE_UNKNOWN' },
      { ...rejectionOf('stroe-1', undefined), code: 'STORE_UNKNOWN', ...order },
    ]);
    for (const [word, kind] of [
      ['CUP-2', 'product'],
      ['o-77', 'order'],
    ] as const) {
      const { hits } = await find(word);
      expect(hits).toMatchObject([
        { kind, storeClientId: UNKNOWN_STORE, trace: { storeClientId: UNKNOWN_STORE } },
      ]);
      expect((await find(word, STORE)).hits).toEqual([]);
    }
  });

  test('says of a name that a product has lost where its values went', async () => {
    const { ports, find } = world();
    const rename = { storeClientId: STORE, from: 'sku:OLD', to: 'sku:NEW', time: Date.parse(AT) };
    await ports.listings.update(STORE, 'sku:OLD', () => endedByRename(undefined, rename, Date.parse(AT)));
    expect((await find('OLD')).hits).toMatchObject([
      { id: 'sku:OLD', what: 'a product · renamed: its values went to sku:NEW' },
    ]);
  });

  test('says of a value that was rejected, as one that an operator has discarded, that it is', async () => {
    const { ports, list, find } = world();
    await list('sku:MUG-1');
    const [price, stock] = [
      { value: 1000, version: 2 },
      { value: 5, version: 2 },
    ];
    await ports.listings.update(
      STORE,
      'sku:MUG-1',
      (current) =>
        current && {
          ...current,
          desired: { price, stock },
          settled: {
            price: { ...price, at: AT, outcome: 'rejected', code: 'DISCARDED' },
            stock: { value: 4, version: 1, at: AT, outcome: 'rejected', code: 'INV_001' },
          },
        },
    );
    const [hit] = (await find('MUG-1')).hits;
    expect(hit?.what).toBe('a product · price 1000 (rejected: DISCARDED), stock 5');
  });

  test('says of a product when something was last known of it: a sent value is later than its creation', async () => {
    const { ports, list, find } = world();
    await list('sku:MUG-1');
    const sent = { stock: { value: 5, version: 1, at: '2026-11-22T09:00:00.000Z' } };
    await ports.listings.update(
      STORE,
      'sku:MUG-1',
      (current) => current && { ...current, createdAt: Date.parse(AT), sent },
    );
    expect((await find('MUG-1')).hits).toMatchObject([{ at: sent.stock.at }]);
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
    expect(hit?.what).toBe('an order · accept: accepted');
  });

  test('says of an order how its documents ended, and when', async () => {
    const { find, ports } = world();
    const orderId = orderIdOf(4);
    const failed = { state: 'failed', commandId: 'c-9', at: AT, code: 'ORDER_021' } as const;
    const order = { storeClientId: STORE, orderKey: `orderId:${orderId}`, orderId };
    await ports.orders.update(STORE, order.orderKey, () => ({ ...order, documents: { invoice: failed } }));
    const [hit] = (await find(orderId)).hits;
    expect(hit).toMatchObject({ what: 'an order · invoice: failed', at: AT });
  });

  test('says of an order for which nothing was sent yet what it waits for', async () => {
    const { decide, find, stores } = world();
    const store = stores.get(STORE) ?? expect.unreachable();
    stores.set(STORE, { ...store, state: 'suspended' });
    const orderId = orderIdOf(3);
    await decide('c-4', [{ orderId, decision: 'accept' }]);
    const [hit] = (await find(orderId)).hits;
    expect(hit).toMatchObject({ kind: 'order', id: orderId, trace: { orderId, storeClientId: STORE } });
    expect(hit?.what).toBe(`an order · order.decision.requested waits: store ${STORE} is suspended`);
    expect(hit?.at).toBeDefined();
  });

  test('finds a batch by its ID, and by the ID of its request', async () => {
    const { dropOff, find } = world();
    await dropOff('c-2', [{ orderId: orderIdOf(2) }]);
    for (const word of ['batch-1', 'request-1'])
      expect((await find(word)).hits).toMatchObject([{ kind: 'batch', id: 'batch-1' }]);
  });

  test('finds the batch of an ID that only its final summary has named', async () => {
    const { ports, find } = world();
    await recordSubmission(ports, submission({ batchId: 'r-1' }));
    await recordSummary(ports, { batchId: 'b-1', requestId: 'r-1' }, finalSummary());
    expect((await find('b-1')).hits).toMatchObject([
      {
        kind: 'batch',
        id: 'r-1',
        what: expect.stringMatching('^a final summary of batch r-1 · .* · completed$'),
      },
    ]);
  });

  test('does not call a final summary a batch that matches none', async () => {
    const { ports, find } = world();
    await recordSummary(ports, { batchId: 'b-9' }, finalSummary());
    const what = 'a final summary without a batch · unmatched';
    expect((await find('b-9')).hits).toMatchObject([{ kind: 'batch', id: 'b-9', what }]);
  });

  test.each(['stock', 'price'] as const)(
    'finds the batch of a request of %s by the ID of the request',
    async (kind) => {
      const { ports, find } = world();
      const answered = {
        kind,
        batchId: 'b-7',
        requestId: 'r-7',
        attemptId: 'a-7',
        endsBy: 'answer',
      } as const;
      await recordSubmission(ports, submission(answered));
      expect((await find('r-7')).hits).toMatchObject([
        { kind: 'batch', id: 'b-7', what: `the request of batch b-7 · ${kind} · completed` },
      ]);
    },
  );

  test('finds what was rejected before anything was sent, by the ID of its event', async () => {
    const { deliver, find } = world();
    await deliver(messageOf('order.decision.requested', 'c-3', [], { storeClientId: '' }));
    expect((await find('event-of-c-3')).hits).toMatchObject([{ kind: 'rejection' }]);
  });

  test.each([
    ['its store is not connected', 'event-of-c-4', 'STORE_UNKNOWN', UNKNOWN_STORE],
    ['another command has its ID', 'event-of-another', 'COMMAND_ID_REUSED', STORE],
  ])(
    'finds the event of a command that was rejected whole as %s',
    async (_, eventId, code, storeClientId) => {
      const { decide, deliver, find } = world();
      const detail = { storeClientId: 'stroe-1' };
      await decide('c-4', [{ orderId: orderIdOf(1), decision: 'accept' }], detail);
      await decide('c-3', [{ orderId: orderIdOf(1), decision: 'accept' }]);
      const other = messageOf('order.decision.requested', 'c-3', [
        { orderId: orderIdOf(2), decision: 'accept' },
      ]);
      await deliver(other.replace('event-of-c-3', 'event-of-another'));
      expect((await find(eventId)).hits).toMatchObject([
        {
          kind: 'rejection',
          id: eventId,
          what: expect.stringMatching(`^order.decision.requested · rejected: ${code}: `),
          storeClientId,
          trace: { eventId, storeClientId },
        },
      ]);
    },
  );

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

  test('finds the event of stock beside a row of it that was rejected', async () => {
    const { ports, find } = world();
    const facts = { eventId: 'e-9', detailType: 'stock.changed', storeClientId: STORE } as const;
    const taken = { ...facts, takenAt: AT, rows: 4, versionKind: 'time', version: 1 } as const;
    await ports.changeEvents.putAll([{ ...taken, targets: [], registers: [] }]);
    const rejected = { ...rejectionOf(STORE, undefined), ...facts, rowIndex: 4, code: 'ROW_INVALID' };
    await ports.rejections.putAll([rejected]);
    const { hits } = await find('e-9');
    expect(hits.map(({ kind, what }) => [kind, what])).toEqual([
      ['rejection', 'stock.changed · rejected: ROW_INVALID: not valid'],
      ['event', 'an event · stock.changed · 4 rows'],
    ]);
  });

  test('finds what was rejected of an event once, though its store is not connected', async () => {
    const { deliver, find } = world();
    const detail = { storeClientId: 'stroe-1', commandId: undefined };
    const items = [{ orderId: orderIdOf(1), decision: 'accept' }];
    await deliver(messageOf('order.decision.requested', 'c-3', items, detail));
    expect((await find('event-of-c-3')).hits).toMatchObject([
      { kind: 'rejection', storeClientId: 'stroe-1' },
    ]);
  });

  test('for a store that was never connected finds it by what was rejected of it, not for one that nothing named', async () => {
    const { ports, find } = world();
    await ports.rejections.putAll([{ ...rejectionOf('stroe-1', 'sku:A'), code: 'STORE_UNKNOWN' }]);
    expect((await find('stroe-1')).hits).toEqual([
      {
        kind: 'store',
        id: 'stroe-1',
        storeClientId: 'stroe-1',
        what: 'a store · not connected to this stack · last rejected: STORE_UNKNOWN: not valid',
        at: AT,
        path: '/stores/stroe-1/rejections',
      },
    ]);
    for (const word of ['stroe-2', '-']) expect((await find(word)).hits).toEqual([]);
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

  test('finds the last imports of a file by its name and store, however many other stores have put files of its name since', async () => {
    const { ports, find } = world();
    const put = async (importId: string, storeClientId: string, putAt: string) => {
      const key = `stock/${storeClientId}/daily.csv`;
      await ports.imports.update(importId, () => ({
        importId,
        storeClientId,
        bucket: 'b',
        key,
        putAt,
        startedAt: putAt,
      }));
    };
    await put('own', STORE, AT);
    for (let index = 1; index <= 11; index += 1)
      await put(`i-${index}`, 'other', new Date(Date.parse(AT) + index).toISOString());
    expect(await find('daily.csv', STORE)).toMatchObject({
      hits: [{ kind: 'file', id: 'own' }],
      hasMore: false,
    });
    const all = await find('daily.csv');
    expect(all.hits.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, index) => `i-${11 - index}`));
    expect(all.hasMore).toBe(true);
  });

  const CASE =
    'In a SKU, an invoice number, the ID of a store and the key of a file upper and lower case count. An order is found by the name that its command gave: its order ID or its invoice number.';

  test('that finds nothing says that it was not received, if no queue has a message', async () => {
    expect(await world().find('NONE')).toMatchObject({
      hits: [],
      message: `No record of NONE: it was not received, or its record is not kept any more. No queue has a message. ${CASE}`,
    });
  });

  test.each([
    ['a word that may be the ID of a product', '7c0e6a1c-0000-4000-8000-000000000009', true],
    ['a target by ID', 'id:7c0e6a1c-0000-4000-8000-000000000009', true],
    ['another word', 'MUG-7', false],
  ])(
    'that finds nothing of %s says so, and since when a product is found by its ID',
    async (_, word, isSaid) => {
      const { message = '' } = await world().find(word);
      expect(message.startsWith(`No record of ${word}: it was not received`)).toBe(true);
      expect(/once an answer about its stock or price has named it, or once it was read/.test(message)).toBe(
        isSaid,
      );
      expect(message.includes('A deletion is found by the IDs of its first 25 products.')).toBe(isSaid);
      expect(message).toContain('its order ID or its invoice number');
    },
  );

  test.each([
    [{ dead: [{ topic: 'Changes', messages: 2 }] }, 'the 2 dead letters of the queue Changes'],
    [{ waiting: [{ topic: 'Changes', messages: 12 }] }, 'the 12 messages in the queue Changes'],
    [
      { waiting: [{ topic: 'Summaries', messages: 1 }], dead: [{ topic: 'Wake', messages: 1 }] },
      'the 1 message in the queue Summaries, or the 1 dead letter of the queue Wake',
    ],
  ])('that finds nothing names the queues in which it may be: %j', async (queues, places) => {
    expect((await world(queues).find('NONE')).message).toBe(
      `No record of NONE yet. It may be among ${places}; otherwise it was not received, or its record is not kept any more. ${CASE}`,
    );
  });
});
