import { describe, expect, test } from 'vitest';
import { createRejectionTable } from '../../../shared/aws/rejection-table.ts';
import type { Rejection, RejectionTable } from '../../../shared/rejections/model.ts';
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

  test('list returns only the rejections of its store', async () => {
    const rejections = create();
    await rejections.putAll([rejectionOf(freshId('store'), 'event#0')]);
    expect(await listAll(rejections, freshId('store'))).toEqual([]);
  });
});
