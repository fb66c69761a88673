import { describe, expect, test } from 'vitest';
import { createRejectionTable } from '../../../shared/aws/rejection-table.ts';
import {
  type Rejection,
  type RejectionKey,
  type RejectionQuery,
  type RejectionTable,
  UNKNOWN_STORE,
} from '../../../shared/rejections/model.ts';
import { boundedRejection } from '../../../shared/rejections/rules/bounded.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';

const local = useLocalTables();

describe.each<[string, () => RejectionTable]>([
  ['in memory', () => inMemoryRejectionTable()],
  ['on DynamoDB', () => createRejectionTable(local().client, local().tableName('Rejections'), 90)],
])('RejectionTable %s', (_, create) => {
  const rejectionOf = (storeClientId: string, rejectionId: string): Rejection => ({
    storeClientId,
    rejectionId,
    rejectedAt: '2026-01-01T00:00:00.000Z',
    code: 'ROW_INVALID',
    message: 'stock: must be at least 0',
    rowIndex: 0,
  });
  const listAll = (rejections: RejectionTable, store: string) =>
    readAllPages(async (page) => {
      const { rejections: entries, ...rest } = await rejections.list(store, page);
      return { entries, ...rest };
    });

  test('putAll stores more rejections than fit one batch write', async () => {
    const rejections = create();
    const store = freshId('store');
    const ids = Array.from({ length: 30 }, (__, index) => `event#${String(index).padStart(2, '0')}`);
    await rejections.putAll(ids.map((id) => rejectionOf(store, id)));
    const kept = await listAll(rejections, store);
    expect(kept.map(({ rejectionId }) => rejectionId)).toEqual(ids);
    expect(kept[0]).toEqual(rejectionOf(store, 'event#00'));
  });

  test.each<[string, unknown]>([
    ['nest deeper than it takes', JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`)],
    ['have a larger integer than it keeps', { maximum: 2 ** 63 }],
    ['have a larger number than it takes', [1, Number.MAX_VALUE]],
    ['have a smaller number than it takes', Number.MIN_VALUE],
  ])('keeps a rejection without those details of the marketplace that %s', async (_, odd) => {
    const rejections = create();
    const store = freshId('store');
    const rejection = { ...rejectionOf(store, 'event#0'), details: { requestId: 'm-1', odd } };
    await rejections.putAll([boundedRejection(rejection)]);
    const [kept] = await listAll(rejections, store);
    expect(kept?.details).toEqual({ requestId: 'm-1', isCut: true });
  });

  test('putAll stores equal rejections once, also within one call', async () => {
    const rejections = create();
    const store = freshId('store');
    await rejections.putAll([rejectionOf(store, 'event#0'), rejectionOf(store, 'event#0')]);
    await rejections.putAll([rejectionOf(store, 'event#0')]);
    expect(await listAll(rejections, store)).toEqual([rejectionOf(store, 'event#0')]);
  });

  test('those of a command, or of an event that is no command, are found by its ID', async () => {
    const rejections = create();
    const [store, commandId, eventId] = [freshId('store'), freshId('command'), freshId('event')];
    const ofCommand = [0, 1].map((row) => ({ ...rejectionOf(store, `a#${row}`), commandId, eventId }));
    const ofEvent = { ...rejectionOf(freshId('store'), 'b#0'), eventId };
    await rejections.putAll([...ofCommand, ofEvent, rejectionOf(store, 'c#0')]);
    expect(await rejections.listOf(commandId)).toEqual(ofCommand);
    expect(await rejections.listOf(eventId)).toEqual([ofEvent]);
    expect(await rejections.listOf(freshId('event'))).toEqual([]);
  });

  const ID = '7F9C24E5-2c3a-4f0e-9d6b-1a2b3c4d5e6f';
  const importId = 'a'.repeat(32);

  test.each<[string, Partial<Rejection>, RejectionKey]>([
    ['SKU', { sku: 'A' }, { name: 'target', value: 'sku:A' }],
    ['product ID in any case', { id: ID }, { name: 'target', value: `id:${ID.toLowerCase()}` }],
    ['externalId beside a SKU', { sku: 'A', externalId: ID }, { name: 'target', value: `externalId:${ID}` }],
    ['target alone', { target: 'sku:A' }, { name: 'target', value: 'sku:A' }],
    ['order', { orderId: ID }, { name: 'orderId', value: ID.toLowerCase() }],
    ['invoice number', { invoiceNumber: 'I-1' }, { name: 'invoiceNumber', value: 'I-1' }],
    ['event with a command of another ID', { eventId: 'e', commandId: 'c' }, { name: 'eventId', value: 'e' }],
    ['command', { eventId: 'e', commandId: 'c' }, { name: 'commandId', value: 'c' }],
    ['batch', { batchId: 'b' }, { name: 'batchId', value: 'b' }],
    ['file, of its products', { commandId: `${importId}/7` }, { name: 'importId', value: importId }],
    ['file, of its stock', { eventId: `${importId}/7` }, { name: 'importId', value: importId }],
    ['file, as a whole', { commandId: importId, eventId: 'e' }, { name: 'importId', value: importId }],
  ])('list finds rejections of a store by %s', async (_, facts, about) => {
    const rejections = create();
    const [store, other] = [freshId('store'), freshId('store')];
    const rejection = { ...rejectionOf(store, 'event#0'), ...facts };
    await rejections.putAll([
      rejection,
      rejectionOf(store, 'event#1'),
      { ...rejection, storeClientId: other },
    ]);
    expect(await rejections.list(store, { about })).toEqual({ rejections: [rejection] });
    const another = { ...about, value: `${about.value}x` };
    expect(await rejections.list(store, { about: another })).toEqual({ rejections: [] });
  });

  test('list finds a rejection of several rows by each of their products, with that row', async () => {
    const rejections = create();
    const store = freshId('store');
    const rows = [0, 7].map((rowIndex) => ({ rowIndex, sku: `A-${rowIndex}` }));
    const rejection = { ...rejectionOf(store, 'event#0'), sku: 'A-0', rowIndexes: [0, 7], subjects: rows };
    await rejections.putAll([rejection]);
    const found = await rejections.list(store, { about: { name: 'target', value: 'sku:A-7' } });
    expect(found).toMatchObject({ rejections: [{ rejectionId: 'event#0', sku: 'A-7', rowIndex: 7 }] });
    expect(found.rejections[0]?.subjects).toBeUndefined();
    expect(await listAll(rejections, store)).toEqual([rejection]);
  });

  test('a rejection of a store that is not connected is listed and found by its product with those that name no store, and found once by its event', async () => {
    const rejections = create();
    const [store, eventId] = [freshId('typo'), freshId('e')];
    const since = `9${freshId('')}`;
    const rejection = { ...rejectionOf(store, since), code: 'STORE_UNKNOWN', eventId, sku: eventId };
    await rejections.putAll([rejection]);
    const { rejections: found } = await rejections.listOfStores([UNKNOWN_STORE], { since, limit: 10 });
    expect(found).toMatchObject([{ eventId, code: 'STORE_UNKNOWN', storeClientId: UNKNOWN_STORE }]);
    expect(await listAll(rejections, store)).toMatchObject([{ eventId, storeClientId: store }]);
    expect(await rejections.listOf(eventId)).toMatchObject([{ storeClientId: store }]);
    const about = { name: 'target', value: `sku:${eventId}` } as const;
    const byName = () => rejections.listOfStores([UNKNOWN_STORE], { about, limit: 10 });
    expect((await byName()).rejections).toMatchObject([{ eventId, storeClientId: UNKNOWN_STORE }]);
    await rejections.putAll([], [rejection]);
    expect((await rejections.listOfStores([UNKNOWN_STORE], { since, limit: 10 })).rejections).toEqual([]);
    expect((await byName()).rejections).toEqual([]);
  });

  test('listOfStores has the rejections of several stores together, the newest first, each once, in pages', async () => {
    const rejections = create();
    const [first, second, empty] = [freshId('a'), freshId('b'), freshId('c')];
    const idOf = (day: number) => `2026-01-0${day}T00:00:00.000Z#e`;
    const some = [
      [first, 1],
      [first, 2],
      [first, 3],
      [first, 7],
      [second, 2],
      [second, 5],
      [second, 7],
    ] as const;
    await rejections.putAll(
      some.map(([storeClientId, day]) => ({
        ...rejectionOf(storeClientId, idOf(day)),
        sku: 'A',
        code: day === 2 ? 'OTHER' : 'ROW_INVALID',
      })),
    );
    await rejections.putAll([rejectionOf(freshId('d'), idOf(9))]);
    const read = async (limit: number, query: Omit<RejectionQuery, 'limit'> = {}) => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await rejections.listOfStores([first, second, empty], { ...query, limit, cursor });
        expect(page.rejections.length).toBeLessThanOrEqual(limit);
        found.push(
          ...page.rejections.map((one) => `${one.storeClientId.charAt(0)}${one.rejectionId.charAt(9)}`),
        );
        cursor = page.cursor;
      } while (cursor !== undefined);
      return found;
    };
    const newest = ['a7', 'b7', 'b5', 'a3', 'a2', 'b2', 'a1'];
    for (const limit of [1, 2, 3, 10]) expect(await read(limit), `${limit}`).toEqual(newest);
    const about = { name: 'target', value: 'sku:A' } as const;
    expect(await read(2, { about, since: '2026-01-02' })).toEqual(newest.slice(0, -1));
    expect(await read(2, { code: 'OTHER' })).toEqual(['a2', 'b2']);
    expect(await read(2, { since: '2027' })).toEqual([]);
  });

  test('list has the newest first on request, and those since a time, of one code, in pages', async () => {
    const rejections = create();
    const store = freshId('store');
    const some = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'].map((day, index) => ({
      ...rejectionOf(store, `${day}T00:00:00.000Z#e`),
      sku: 'A',
      code: index === 2 ? 'OTHER' : 'ROW_INVALID',
    }));
    await rejections.putAll(some);
    const query: RejectionQuery = {
      about: { name: 'target', value: 'sku:A' },
      since: '2026-01-02T00:00:00.000Z',
      newestFirst: true,
    };
    const all = await readAllPages(async (page) => {
      const { rejections: entries, ...rest } = await rejections.list(store, { ...query, ...page });
      return { entries, ...rest };
    });
    expect(all).toEqual([some[3], some[2], some[1]]);
    const ofCode = await rejections.list(store, { ...query, code: 'ROW_INVALID' });
    expect(ofCode.rejections).toEqual([some[3], some[1]]);
  });

  test('putAll removes the withdrawn rejections, under all their names', async () => {
    const rejections = create();
    const store = freshId('store');
    const [kept, gone] = [0, 1].map((row) => ({ ...rejectionOf(store, `b#${row}`), sku: 'A', batchId: 'b' }));
    if (kept === undefined || gone === undefined) throw new Error('two rejections');
    await rejections.putAll([kept, gone]);
    await rejections.putAll([kept], [{ ...gone, code: '', message: '' }]);
    expect(await listAll(rejections, store)).toEqual([kept]);
    for (const [name, value] of [
      ['target', 'sku:A'],
      ['batchId', 'b'],
    ] as const)
      expect((await rejections.list(store, { about: { name, value } })).rejections).toEqual([kept]);
  });

  test('list returns only the rejections of its store', async () => {
    const rejections = create();
    await rejections.putAll([rejectionOf(freshId('store'), 'event#0')]);
    expect(await listAll(rejections, freshId('store'))).toEqual([]);
  });
});
