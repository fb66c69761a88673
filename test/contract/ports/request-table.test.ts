import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { createLockTable, createRequestTable } from '../../../shared/aws/request-table.ts';
import { ConnectorError } from '../../../shared/errors/connector-error.ts';
import {
  type CommandPlan,
  type LockRecord,
  locked,
  planKey,
  type RequestRecord,
  released,
} from '../../../shared/requests/model.ts';
import type { LockTable, RequestTable } from '../../../shared/requests/ports.ts';
import { inMemoryLockTable, inMemoryRequestTable } from '../../doubles/in-memory-request-table.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();
const AT = '2026-11-21T08:00:00.000Z';
const NOW = Date.parse(AT);

function request(over: Partial<RequestRecord> = {}): RequestRecord {
  return {
    recordId: freshId('r'),
    storeClientId: 's',
    kind: 'product-create',
    commands: [{ commandId: 'c', eventId: 'e', detailType: 'd', time: NOW, recordIds: ['r'] }],
    rows: [{ command: 0, index: 0, sku: 'A' }],
    requestKey: 'key',
    state: 'prepared',
    tries: 0,
    uncertain: false,
    createdAt: AT,
    touchedAt: AT,
    ...over,
  };
}

interface Opened {
  readonly tableName: string;
  readonly requests: RequestTable;
  /** Puts an item without validation. */
  readonly putItem: (item: RequestRecord & Record<string, unknown>) => Promise<unknown>;
}

function openInMemory(): Opened {
  const items = new VersionedItems<RequestRecord>();
  const putItem: Opened['putItem'] = async (item) => items.replace(item.recordId, item, undefined, {});
  return { tableName: 'Requests', requests: inMemoryRequestTable(undefined, items), putItem };
}

function openOnDynamoDb(): Opened {
  const { client } = local();
  const tableName = local().tableName('Requests');
  return {
    tableName,
    requests: createRequestTable(client, tableName, 90),
    putItem: (Item) => client.send(new PutCommand({ TableName: tableName, Item })),
  };
}

describe.each<[string, () => Opened]>([
  ['in memory', openInMemory],
  ['on DynamoDB', openOnDynamoDb],
])('RequestTable %s', (_, open) => {
  versionedTableContract<RequestRecord>(() => {
    const { requests } = open();
    const record = request();
    return {
      update: (change) => requests.update(record.recordId, change),
      numbered: (tries) => ({ ...record, tries }),
      numberOf: ({ tries }) => tries,
    };
  });

  test('reads a request with all its fields back whole, however large it is', async () => {
    const { requests } = open();
    const whole = request({
      state: 'answered',
      tries: 2,
      senderId: 'me',
      signedAt: NOW,
      uncertain: true,
      rows: Array.from({ length: 1000 }, (__, index) => ({ command: 0, index, externalId: `E-${index}` })),
      note: { left: [1, 2] },
      answer: { errors: Array.from({ length: 1000 }, (__, row) => ({ row, message: 'x'.repeat(500) })) },
      fault: { code: 'VAL_001', message: 'no', status: 400, requestId: 'm', details: { a: [1] } },
      halves: ['a', 'b'],
      appliedAt: AT,
    });
    await requests.update(whole.recordId, () => whole);
    expect(await requests.get(whole.recordId)).toEqual(whole);
    expect(await requests.get(freshId('none'))).toBeUndefined();
  });

  test('adds a new record once: the first one stays, with what has changed in it', async () => {
    const { requests } = open();
    const first = request({ tries: 1 });
    await requests.add(first);
    await requests.add({ ...first, tries: 2 });
    expect(await requests.get(first.recordId)).toEqual(first);
    await requests.update(first.recordId, (current) => current && { ...current, tries: 3 });
    await requests.add({ ...first, tries: 2 });
    expect(await requests.get(first.recordId)).toEqual({ ...first, tries: 3 });
  });

  test('keeps one of two records that are added under one recordId at the same time', async () => {
    const { requests } = open();
    const one = request({ tries: 1 });
    const other = { ...one, tries: 2 };
    await Promise.all([requests.add(one), requests.add(other)]);
    expect([one, other]).toContainEqual(await requests.get(one.recordId));
  });

  test.each<[string, unknown]>([
    [
      'nests deeper than the 32 levels that DynamoDB takes',
      JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`),
    ],
    ['has a larger integer than DynamoDB keeps', { maximum: 2 ** 63 }],
    ['has a larger number than DynamoDB takes', [1, Number.MAX_VALUE]],
    ['has a smaller number than DynamoDB takes', { rate: Number.MIN_VALUE }],
  ])('keeps a small answer that %s', async (_, answer) => {
    const { requests } = open();
    const small = request({ state: 'answered', answer });
    await requests.update(small.recordId, () => small);
    expect((await requests.get(small.recordId))?.answer).toEqual(answer);
  });

  test('has why each command waits, the last reason in place of the first, and further IDs', async () => {
    const { requests } = open();
    const wait = (commandId: string, code: string) => ({
      storeClientId: 's',
      commandId,
      eventId: 'e',
      detailType: 'd',
      time: NOW,
      ...{ code, message: code, since: AT, at: AT, nextAt: AT },
    });
    const [first, second] = [freshId('c'), freshId('c')];
    const keyOf = (commandId: string) => planKey(wait(commandId, ''));
    await requests.putWaits([wait(first, 'OLD'), wait(first, 'NEW'), wait(second, 'OTHER')]);
    await requests.putWaits([]);
    const found = await requests.getWaits([keyOf(first), keyOf(second), keyOf('none')]);
    expect(found).toEqual(
      new Map([
        [keyOf(first), wait(first, 'NEW')],
        [keyOf(second), wait(second, 'OTHER')],
      ]),
    );
    const command = { storeClientId: 's', commandId: first, detailType: 'd' };
    const [eventId, requestId, failedId] = [freshId('e'), freshId('r'), freshId('f')];
    const attempt = { at: AT, outcome: 'refused', status: 503, requestId: failedId } as const;
    const failed = { ...attempt, storeClientId: 's', kind: 'stock', rows: 2, targets: ['sku:A'] } as const;
    await requests.putAliases([
      { id: eventId, command },
      { id: requestId, recordId: 'r-1' },
      { id: failedId, failed },
    ]);
    expect(await requests.aliasOf(failedId)).toEqual({ id: failedId, failed });
    expect(await requests.aliasOf(eventId)).toEqual({ id: eventId, command });
    expect(await requests.aliasOf(requestId)).toEqual({ id: requestId, recordId: 'r-1' });
    expect(await requests.aliasOf(freshId('none'))).toBeUndefined();
  });

  test('lists the open requests that were last touched before a time, the oldest first, page by page', async () => {
    const { requests } = open();
    const put = async (number: number, over: Partial<RequestRecord> = {}) => {
      const touchedAt = `2026-11-21T07:00:0${number}.000Z`;
      const record = request({ recordId: `open-${number}`, touchedAt, state: 'sent', tries: 1, ...over });
      await requests.update(record.recordId, () => record);
    };
    await put(3);
    await put(1, { state: 'prepared', uncertain: true });
    await put(2, { state: 'answered' });
    await put(4, { state: 'answered', appliedAt: AT });
    await put(5, { state: 'prepared' });
    await put(6);
    await put(6, { state: 'unknown', appliedAt: AT });
    await put(9);
    const listed = await readAllPages(async (page) => {
      const found = await requests.listOpen({ touchedBefore: '2026-11-21T07:00:09.000Z', ...page });
      return { entries: found.requests, ...(found.cursor !== undefined && { cursor: found.cursor }) };
    });
    const ids = listed.map(({ recordId }) => recordId).filter((id) => id.startsWith('open-'));
    expect(ids).toEqual(['open-1', 'open-2', 'open-3']);
  });

  test('refuses to change a record that breaks its schema, and still lists the others of its page', async () => {
    const { tableName, requests, putItem } = open();
    const broken = (number: number) =>
      request({ recordId: `broken-${number}`, touchedAt: `2026-11-20T08:00:0${number}.000Z`, state: 'sent' });
    for (const number of [1, 3]) await requests.update(`broken-${number}`, () => broken(number));
    await putItem({ ...broken(2), tries: 'none' as never, open: 'yes' });
    const error = new ConnectorError(
      `${tableName} {"recordId":"broken-2"} can not be read: tries: Invalid input: expected number, received string`,
      { code: 'RECORD_UNREADABLE' },
    );
    await expect(requests.get('broken-2')).rejects.toEqual(error);
    await expect(requests.update('broken-2', () => broken(2))).rejects.toEqual(error);
    const page = await requests.listOpen({ touchedBefore: '2026-11-20T08:00:09.000Z' });
    expect(page).toEqual({ requests: [broken(1), broken(3)], unreadable: [error] });
  });

  test('keeps the first plan of a command', async () => {
    const { requests } = open();
    const key = freshId('s#product.create.requested#c');
    const plan = (recordId: string): CommandPlan => ({ recordIds: [recordId], rejected: 0, plannedAt: AT });
    const stored = await Promise.all(['a', 'b', 'c'].map((id) => requests.putPlan(key, plan(id))));
    const [first] = stored;
    for (const other of stored) expect(other).toEqual(first);
    expect(await requests.putPlan(key, plan('d'))).toEqual(first);
    expect(await requests.getPlans([key])).toEqual(new Map([[key, first]]));
  });

  test('notes the first time at which the rejections of a plan were reported', async () => {
    const { requests } = open();
    const key = freshId('s#product.create.requested#c');
    const fault = { code: 'COMMAND_DISCARDED', message: 'discarded', field: 'detail', details: { a: [1] } };
    const plan: CommandPlan = { recordIds: [], rejected: 1, rejectionsKey: 'k', fault, plannedAt: AT };
    await requests.putPlan(key, plan);
    await requests.markReported(key, AT);
    await requests.markReported(key, '2026-11-22T08:00:00.000Z');
    expect(await requests.getPlans([key])).toEqual(new Map([[key, { ...plan, reportedAt: AT }]]));
  });

  test('stores no plan for a time of reporting', async () => {
    const { requests } = open();
    const key = freshId('s#product.create.requested#none');
    await requests.markReported(key, AT);
    expect(await requests.getPlans([key])).toEqual(new Map());
  });

  test('finds any number of plans by their keys and leaves out missing ones', async () => {
    const { requests } = open();
    const plan: CommandPlan = { recordIds: [], rejected: 1, plannedAt: AT };
    const keys = Array.from({ length: 120 }, (__, number) => freshId(`s#d#${number}`));
    await Promise.all(keys.slice(1).map((key) => requests.putPlan(key, plan)));
    const found = await requests.getPlans([...keys, ...keys]);
    expect([...found.keys()].toSorted()).toEqual(keys.slice(1).toSorted());
    expect(await requests.getPlans([])).toEqual(new Map());
  });
});

describe.each<[string, () => LockTable]>([
  ['in memory', () => inMemoryLockTable()],
  ['on DynamoDB', () => createLockTable(local().client, local().tableName('Requests'), 90)],
])('LockTable %s', (_, create) => {
  const take = (current: LockRecord | undefined, holder: string): LockRecord | undefined => {
    const lock = locked(current?.lock, holder, { now: NOW, until: NOW + 30_000 });
    return lock && { ...current, lock, updatedAt: AT };
  };

  versionedTableContract<LockRecord>(() => {
    const locks = create();
    const thing = freshId('product#s');
    return {
      update: (change) => locks.update(thing, change),
      numbered: (until) => ({ lock: { holder: 'me', until }, updatedAt: AT }),
      numberOf: ({ lock }) => lock?.until ?? 0,
    };
  });

  test('has one winner among several that lock a thing at once, until it releases it', async () => {
    const locks = create();
    const thing = freshId('document#s');
    const holders = ['h-1', 'h-2', 'h-3'];
    const seen = await Promise.all(
      holders.map((holder) => locks.update(thing, (current) => take(current, holder))),
    );
    const [winner = ''] = [...new Set(seen.map((locked) => locked?.lock?.holder))];
    expect(new Set(seen.map((locked) => locked?.lock?.holder)).size).toBe(1);
    await locks.update(
      thing,
      (current) => current && { updatedAt: AT, lock: released(current.lock, winner) },
    );
    expect(await locks.update(thing, (current) => take(current, 'h-4'))).toMatchObject({
      lock: { holder: 'h-4' },
    });
  });
});
