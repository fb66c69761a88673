import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { createLimitTable } from '../../../shared/aws/limit-table.ts';
import { createLimiter } from '../../../shared/limits/limiter.ts';
import type { Limit } from '../../../shared/limits/model.ts';
import type { LimitTable } from '../../../shared/limits/ports.ts';
import { freshLimit } from '../../../shared/limits/rules/reserve.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();
const NOW = Date.UTC(2026, 0, 1);

describe.each<[string, () => LimitTable]>([
  ['in memory', () => inMemoryLimitTable()],
  ['on DynamoDB', () => createLimitTable(local().client, local().tableName('Limits'))],
])('LimitTable %s', (_, create) => {
  versionedTableContract<Limit>(() => {
    const limits = create();
    const limitId = freshId('partner');
    const limit = { ...freshLimit(limitId), nextSlotAt: 1_000.5, permits: { 'permit-1': 31_000 } };
    return {
      update: (change) => limits.update(limitId, change),
      numbered: (granted) => ({ ...limit, granted }),
      numberOf: ({ granted }) => granted,
    };
  });

  test('get reads back what update wrote, and nothing before', async () => {
    const limits = create();
    const limitId = freshId('partner');
    expect(await limits.get(limitId)).toBeUndefined();
    await limits.update(limitId, () => freshLimit(limitId));
    expect(await limits.get(limitId)).toEqual(freshLimit(limitId));
  });

  test('keeps how the stores stand, for a limiter as well', async () => {
    const limits = create();
    const limitId = freshId('partner');
    const settings = { requestsPerSecond: 5, requestsInFlight: 1, permitLifetimeMs: 30_000, stopMs: 60_000 };
    const newId = () => freshId('permit');
    const clock = { now: () => NOW, sleep: async () => {} };
    const limiter = createLimiter({ limits, clock, newId, random: () => 0 }, settings, limitId);
    const until = clock.now();
    const acquire = (storeClientId: string) => limiter.acquire({ storeClientId, until: until + 5_000 });
    const first = await acquire('A');
    const waiting = limiter.acquire({ storeClientId: 'B', until });
    expect(await waiting).toMatchObject({ granted: false, reason: 'in-flight' });
    const standing = (await limits.get(limitId))?.stores;
    expect(standing).toEqual({
      A: { permits: [expect.any(String)], slotAt: expect.any(Number), waitsUntil: 0, hangsUntil: 0 },
      B: { permits: [], slotAt: 0, waitsUntil: expect.any(Number), hangsUntil: 0 },
    });
    if (first.granted) await first.permit.release({ status: 200 });
    expect(await limiter.acquire({ storeClientId: 'A', until })).toMatchObject({ granted: false });
    expect(await acquire('B')).toMatchObject({ granted: true });
  });
});

test('LimitTable on DynamoDB reads a record of before stores were kept in it', async () => {
  const { client, tableName } = local();
  const limitId = freshId('partner');
  const { stores, ...before } = freshLimit(limitId);
  await client.send(new PutCommand({ TableName: tableName('Limits'), Item: { ...before, revision: 1 } }));
  const limits = createLimitTable(client, tableName('Limits'));
  expect(await limits.get(limitId)).toEqual({ ...before, stores });
});
