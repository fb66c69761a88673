import { expect, test } from 'vitest';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import type { LaneCounts } from '../../../shared/lanes/use-cases/lane-context.ts';
import { failure } from '../support/failure.ts';
import { laneWorld, STORE } from './lane-world.ts';

test('a refusal that concerns no row is reported with its code, and the rows are kept', async () => {
  const world = laneWorld({
    reply: () => {
      throw failure('STORE_020', { status: 400, requestId: 'request-1' });
    },
  });
  await world.connect();
  await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  expect(await world.push()).toMatchObject({
    ended: 'paused',
    rejections: {},
    refusal: { code: 'STORE_020', message: 'STORE_020', requestId: 'request-1' },
  });
  expect(world.rejections).toEqual([]);
  await world.clock.run(world.clock.sleep(60_000));
  await world.push();
  expect(world.sent.at(-1)?.items).toEqual([{ sku: 'A', stock: 5 }]);
  expect(world.sent).toHaveLength(2);
});

test('a drained lane reports no refusal', async () => {
  const world = laneWorld();
  await world.connect();
  await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  expect(await world.push()).not.toHaveProperty('refusal');
});

test('requests, rows and rejections before a failed push are counted', async () => {
  const world = laneWorld({
    reply: () => ({ errors: [{ rowIndex: 0, code: 'INV_001', message: 'no such SKU' }] }),
  });
  await world.connect();
  await world.change('stock.changed', 1, [
    { sku: 'A', stock: 0 },
    { sku: 'B', stock: 5 },
  ]);
  await world.ports.lanes.acquire(STORE, { leaseId: 'of-one-who-died', now: 0, until: 1 });
  world.ports.listings.nextDue = () => Promise.reject(new Error('no connection to the table'));
  const counts: LaneCounts[] = [];
  await expect(world.push(60_000, 100, { onFailure: (counted) => counts.push(counted) })).rejects.toThrow(
    'no connection to the table',
  );
  expect(counts).toEqual([{ requests: 2, rows: 2, rejections: { INV_001: 2 }, leaseExpired: true }]);
});

test('a sent row is counted whatever its outcome, and a withdrawn one is not', async () => {
  const world = laneWorld({
    reply: () => {
      throw failure('TIMEOUT', { outcome: 'unknown' });
    },
  });
  await world.connect();
  await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  world.onceChosen(() => world.change('stock.changed', 2, [{ sku: 'A', stock: 0 }]));
  expect(await world.push()).toMatchObject({ requests: 1, rows: 1 });
  expect(world.sent).toHaveLength(1);
});

test('a finally refused row is published, and a temporarily refused one is not', async () => {
  const answers = [
    { rowIndex: 0, code: 'ROW_BUSY', message: 'later', details: { retryable: true } },
    { rowIndex: 0, code: 'INV_001', message: 'no such SKU', details: { retryable: false } },
  ];
  const world = laneWorld({ reply: () => ({ errors: answers.splice(0, 1) }) });
  const events: OutgoingEvent[] = [];
  world.ports.events.publish = async (published) => {
    events.push(...published);
  };
  const rejections = () => events.filter(({ detailType }) => detailType === 'rows.rejected');
  await world.connect();
  await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  expect(await world.push()).toMatchObject({ rows: 1, rejections: {} });
  expect(rejections()).toEqual([]);
  await world.clock.run(world.clock.sleep(60_000));
  expect(await world.push()).toMatchObject({ rows: 1, rejections: { INV_001: 1 } });
  expect(rejections()).toMatchObject([
    { detail: { rows: [{ rowIndex: 0, code: 'INV_001', versions: [1] }] } },
  ]);
});
