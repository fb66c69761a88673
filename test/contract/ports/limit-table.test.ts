import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { createLimitTable } from '../../../shared/aws/limit-table.ts';
import { createLimiter } from '../../../shared/limits/limiter.ts';
import { freshLimit, type Limit } from '../../../shared/limits/model.ts';
import type { LimitChange, LimitTable } from '../../../shared/limits/ports.ts';
import { systemClock } from '../../../shared/time/system-clock.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';

const local = useLocalTables();

describe.each<[string, () => LimitTable]>([
  ['in memory', () => inMemoryLimitTable()],
  ['on DynamoDB', () => createLimitTable(local().client, local().tableName('Limits'))],
])('LimitTable %s', (_, create) => {
  async function limitOf(values: Partial<Limit> = {}) {
    const limits = create();
    const limitId = freshId('partner');
    await limits.create({ ...freshLimit(limitId), ...values });
    const change = (wanted: LimitChange) => limits.change(limitId, wanted);
    return { limits, limitId, change, get: () => limits.get(limitId) };
  }
  const stop = { code: 'AUTH_010', message: 'Invalid signature', since: 1, retryAt: 61_001 };

  test('create makes a limit and keeps an existing one', async () => {
    const { limits, limitId, get } = await limitOf({ nextSlotAt: 1_000.5, stop });
    await limits.create(freshLimit(limitId));
    expect(await get()).toEqual({ ...freshLimit(limitId), nextSlotAt: 1_000.5, stop });
  });

  test('a limit that was never created is absent, and a change does not create it', async () => {
    const limits = create();
    const limitId = freshId('partner');
    expect(await limits.change(limitId, { add: { succeeded: 1 } })).toBeUndefined();
    expect(await limits.get(limitId)).toBeUndefined();
  });

  test('a change sets, adds and removes at once, and returns the new limit', async () => {
    const { limitId, change, get } = await limitOf({ succeeded: 4, permits: { 'per-mit_1': 9 }, stop });
    const changed = await change({
      set: { pausedUntil: 7, failure: { at: 5, status: 503 }, stop: undefined },
      add: { succeeded: 1, nextSlotAt: 20.25 },
      permits: { 'per-mit_1': undefined, 'per-mit_2': 10, 'not-there': undefined },
    });
    expect(changed).toEqual({
      ...freshLimit(limitId),
      succeeded: 5,
      nextSlotAt: 20.25,
      pausedUntil: 7,
      permits: { 'per-mit_2': 10 },
      failure: { at: 5, status: 503 },
    });
    expect(await get()).toEqual(changed);
  });

  test.each([3, 7, 49])(
    'at %i requests a second, a place that is given back is the next one to be taken',
    async (rate) => {
      const settings = { requestsPerSecond: rate, requestsInFlight: 9, permitLifetimeMs: 9_000, stopMs: 1 };
      const { limits, limitId } = await limitOf({ nextSlotAt: Date.now() + 5_000 });
      const ports = { limits, clock: systemClock, newId: randomUUID, random: Math.random };
      const permits = createLimiter(ports, settings, [limitId]);
      const reserve = async () => {
        const place = await permits.reserve({ until: Date.now() + 20_000 });
        return 'begin' in place ? place : expect.fail('there is a place');
      };
      for (let places = 0; places < 5; places += 1) await reserve();
      const given = await reserve();
      await given.giveBack();
      expect((await reserve()).at).toBe(given.at);
    },
  );

  test('a change may only remove', async () => {
    const { limitId, change } = await limitOf({ permits: { 'per-mit_1': 9 }, stop });
    expect(await change({ permits: { 'per-mit_1': undefined }, set: { stop: undefined } })).toEqual(
      freshLimit(limitId),
    );
  });

  test.each<{ says: string; where: NonNullable<LimitChange['where']>; holds: boolean }>([
    {
      says: 'all comparisons that hold',
      where: [
        ['nextSlotAt', '<', 101],
        ['nextSlotAt', '<=', 100],
      ],
      holds: true,
    },
    { says: 'a number that is too low', where: [['nextSlotAt', '<', 100]], holds: false },
    {
      says: 'one of two that does not hold',
      where: [
        ['slowedAt', '=', 0],
        ['nextSlotAt', '>=', 101],
      ],
      holds: false,
    },
    { says: 'fewer permits than are allowed', where: [['permits', 'fewer than', 2]], holds: true },
    { says: 'as many permits as are allowed', where: [['permits', 'fewer than', 1]], holds: false },
    { says: 'no stop, where there is one', where: [['stop', 'absent']], holds: false },
    { says: 'the stop that there is', where: [['stop.retryAt', '=', stop.retryAt]], holds: true },
    { says: 'another stop', where: [['stop.retryAt', '=', 5]], holds: false },
  ])('a change under the condition of $says is made: $holds', async ({ where, holds }) => {
    const { change, get } = await limitOf({ nextSlotAt: 100, permits: { one: 1 }, stop });
    const changed = await change({ where, add: { succeeded: 1 } });
    expect(changed === undefined).toBe(!holds);
    expect((await get())?.succeeded).toBe(holds ? 1 : undefined);
  });

  test('a permit can be returned alone, and a stop ended alone', async () => {
    const { limitId, change } = await limitOf({ permits: { '9bb7-1': 9 }, stop });
    expect(await change({ permits: { '9bb7-1': undefined } })).toMatchObject({ permits: {}, stop });
    expect(await change({ set: { stop: undefined } })).toEqual(freshLimit(limitId));
  });

  test('a limit without a stop meets "stop absent" and no comparison with the time of a stop', async () => {
    const { change } = await limitOf();
    expect(await change({ where: [['stop', 'absent']], add: { succeeded: 1 } })).toBeDefined();
    expect(await change({ where: [['stop.retryAt', '=', 0]], add: { succeeded: 1 } })).toBeUndefined();
  });

  test('changes at the same time all count, and never take more permits than allowed', async () => {
    const { change, get } = await limitOf();
    const taken = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        change({
          where: [['permits', 'fewer than', 3]],
          permits: { [`permit-${index}`]: 1_000 },
          add: { nextSlotAt: 200 },
        }),
      ),
    );
    expect(taken.filter((one) => one !== undefined)).toHaveLength(3);
    expect(await get()).toMatchObject({ nextSlotAt: 600 });
  });
});

test('an item has `granted`, without which earlier versions do not read it after a way back', async () => {
  const { client, tableName } = local();
  const limitId = freshId('partner');
  await createLimitTable(client, tableName('Limits')).create(freshLimit(limitId));
  const { Item } = await client.send(new GetCommand({ TableName: tableName('Limits'), Key: { limitId } }));
  expect(Item).toEqual({ ...freshLimit(limitId), granted: 0 });
});
