import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createRoutes } from '../../../functions/operations-api/routes.ts';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import { performDocumentCommand } from '../../../shared/documents/use-cases/perform-document-command.ts';
import type { LaneReport } from '../../../shared/lanes/use-cases/lane-report.ts';
import { pushLane } from '../../../shared/lanes/use-cases/push-lane.ts';
import { type LaneSeen, wakeLanes } from '../../../shared/lanes/use-cases/wake-lanes.ts';
import { measureLimit } from '../../../shared/limits/measure-limit.ts';
import { performOrderCommand } from '../../../shared/orders/use-cases/perform-order-command.ts';
import { performProductCommand } from '../../../shared/products/use-cases/perform-product-command.ts';
import { sweep } from '../../../shared/products/use-cases/sweep.ts';
import { announceLeftStores } from '../../../shared/stores/use-cases/announce-store.ts';
import { contextOf, countedMetrics, deliver, NOW, setStage, start } from './invocation.ts';

vi.mock('../../../shared/aws/marketplace.ts', async (load) => ({
  ...(await load<object>()),
  connectMarketplace: async (_: unknown, options?: object) => ({ options }),
}));
vi.mock('../../../shared/aws/marketplace-call.ts', async (load) => ({
  ...(await load<object>()),
  connectLimiter: () => ({}),
  connectCall: async () => undefined,
}));
vi.mock('../../../functions/operations-api/routes.ts', () => ({ createRoutes: vi.fn(() => []) }));
vi.mock('../../../shared/documents/use-cases/perform-document-command.ts');
vi.mock('../../../shared/lanes/use-cases/push-lane.ts');
vi.mock('../../../shared/lanes/use-cases/wake-lanes.ts');
vi.mock('../../../shared/limits/measure-limit.ts');
vi.mock('../../../shared/changes/use-cases/take-changes.ts');
vi.mock('../../../shared/orders/use-cases/perform-order-command.ts');
vi.mock('../../../shared/products/use-cases/perform-product-command.ts');
vi.mock('../../../shared/products/use-cases/sweep.ts');
vi.mock('../../../shared/stores/use-cases/announce-store.ts');

let counted: Map<string, number>;
/** Milliseconds after which each signal aborts. */
let aborts: number[];

beforeEach(async () => {
  const clear = setStage();
  counted = await countedMetrics();
  aborts = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    aborts.push(ms);
    return new AbortController().signal;
  });
  return clear;
});

test('the change-intake stops reading changes with 15 s left', async () => {
  vi.mocked(takeChanges).mockResolvedValue({ failedMessageIds: [], failures: [], rejections: {} } as never);
  const handler = await start(() => import('../../../functions/change-intake/handler.ts'));
  await deliver(handler, '{}', 60_000);
  const [, messages, stopAt] = vi.mocked(takeChanges).mock.lastCall ?? [];
  expect(messages).toMatchObject([{ messageId: 'm-1', sentAt: NOW - 1_000 }]);
  expect(stopAt).toBe(NOW + 45_000);
});

describe('the listing-producer', () => {
  const ended = (ended: LaneReport['ended']) =>
    ({ ended, requests: 2, rows: 30, rejections: {}, leaseExpired: false }) as const;
  const push = async (remainingMs = 100_000) => {
    const handler = await start(() => import('../../../functions/listing-producer/handler.ts'));
    await deliver(handler, '{"storeClientId":"s-1"}', remainingMs);
    return vi.mocked(pushLane).mock.lastCall ?? [];
  };

  test('begins no request that could not end and be settled, and aborts what still goes with 10 s left', async () => {
    vi.mocked(pushLane).mockResolvedValue(ended('drained'));
    const [, settings, lane] = await push();
    expect(lane).toMatchObject({ storeClientId: 's-1', stopAt: NOW + 98_000 - 15_000 - 10_000 });
    expect(aborts).toEqual([90_000]);
    expect(settings).toEqual({
      itemsPerRequest: 70,
      requestsInFlight: 4,
      requestsPerSecond: 3,
      attemptLifetimeMs: 41_000,
      batchDeadlineMs: 12 * 60_000,
    });
  });

  test('aborts at once where it has no time left', async () => {
    vi.mocked(pushLane).mockResolvedValue(ended('turn-over'));
    await push(5_000);
    expect(aborts).toEqual([0]);
  });

  test('counts a refusal of the partner, and no other end', async () => {
    vi.mocked(pushLane).mockResolvedValue(ended('drained'));
    await push();
    expect(Object.fromEntries(counted)).toEqual({ RequestsSent: 2, RowsSent: 30 });
    vi.mocked(pushLane).mockResolvedValue(ended('partner-refused'));
    await push();
    expect(counted.get('PartnerRefused')).toBe(1);
  });
});

test('the order-producer begins requests in the first half of its time, and counts what came of them', async () => {
  vi.mocked(performOrderCommand).mockResolvedValue({ done: 1, unknown: 2, rejected: 3 } as never);
  const handler = await start(() => import('../../../functions/order-producer/handler.ts'));
  await deliver(handler, '{}', 80_000);
  const [ports, message, stopAt] = vi.mocked(performOrderCommand).mock.lastCall ?? [];
  expect(stopAt).toBe(NOW + 40_000);
  expect(message).toMatchObject({ messageId: 'm-1', body: '{}' });
  expect(ports).toMatchObject({ itemsPerRequest: 70, batchDeadlineMs: 12 * 60_000 });
  expect(Object.fromEntries(counted)).toEqual({ OrdersDone: 1, OrdersUnknown: 2, RowsRejected: 3 });
});

describe.each([
  ['product-producer', performProductCommand, { requests: 0, rejected: 0 }],
  ['order-producer', performOrderCommand, { done: 0, unknown: 0, rejected: 0 }],
  ['document-fetcher', performDocumentCommand, { state: 'waiting' }],
] as const)('the %s', (name, perform, result) => {
  test.each([
    ['measures for how long', { putOff: 'SYS_DEP_503', ageMs: 5_000 }, 5_000],
    ['does not measure what is nobody to blame for: how long', { putOff: 'PRODUCT_BUSY' }, undefined],
  ])('%s a command has waited', async (_, putOff, expected) => {
    vi.mocked(perform).mockResolvedValue({ ...result, ...putOff } as never);
    const handler = await start(() => import(`../../../functions/${name}/handler.ts`));
    await deliver(handler, '{}', 80_000);
    expect(counted.get('CommandAge')).toBe(expected);
  });
});

test('the product-producer begins requests in the first half of its time, and counts them', async () => {
  vi.mocked(performProductCommand).mockResolvedValue({ requests: 1, rejected: 2 } as never);
  const handler = await start(() => import('../../../functions/product-producer/handler.ts'));
  await deliver(handler, '{}', 80_000);
  const [ports, message, stopAt] = vi.mocked(performProductCommand).mock.lastCall ?? [];
  expect(stopAt).toBe(NOW + 40_000);
  expect(message).toMatchObject({ messageId: 'm-1', body: '{}' });
  expect(ports).toMatchObject({
    itemsPerRequest: 70,
    attemptLifetimeMs: 41_000,
    batchDeadlineMs: 12 * 60_000,
  });
  expect(Object.fromEntries(counted)).toEqual({ RequestsSent: 1, RowsRejected: 2 });
});

test.each([
  ['stored', { DocumentsStored: 1 }],
  ['failed', { DocumentsFailed: 1 }],
  ['waiting', {}],
])(
  'the document-fetcher leaves a permit to others, waits for an order as long as is set, and counts what is %s',
  async (state, counts) => {
    vi.mocked(performDocumentCommand).mockResolvedValue({ state } as never);
    const handler = await start(() => import('../../../functions/document-fetcher/handler.ts'));
    await deliver(handler, '{}', 60_000);
    expect(vi.mocked(performDocumentCommand).mock.lastCall?.[0]).toMatchObject({
      calls: { options: { leavesOne: true } },
      waitForStateMs: 30 * 60_000,
    });
    expect(Object.fromEntries(counted)).toEqual(counts);
  },
);

describe('the batch-sweeper', () => {
  const report = { resolved: 1, unresolved: 2, abandoned: 3 };
  const run = async () => {
    const handler = await start(() => import('../../../functions/batch-sweeper/handler.ts'));
    return handler({}, contextOf(240_000));
  };

  test('leaves a batch until its deadline is over, ends its reading with 20 s left, and counts what came of it', async () => {
    vi.mocked(sweep).mockResolvedValue(report as never);
    await run();
    expect(vi.mocked(sweep).mock.lastCall).toMatchObject([
      { pageSize: 60 },
      { callBudget: 400, graceMs: 12 * 60_000 },
    ]);
    expect(aborts).toEqual([220_000]);
    expect(Object.fromEntries(counted)).toEqual({
      BatchesResolved: 1,
      BatchesUnresolved: 2,
      StepsAbandoned: 3,
    });
  });

  test('fails by what failed in a part of it, once all is done', async () => {
    const [inStores, inBatches] = [new Error('no store'), new Error('no batch')];
    vi.mocked(announceLeftStores).mockRejectedValue(inStores);
    vi.mocked(sweep).mockImplementation(async (_, { onFailure }) => {
      onFailure(inBatches);
      return report as never;
    });
    await expect(run()).rejects.toMatchObject({ errors: [inStores, inBatches] });
    expect(counted.get('BatchesResolved')).toBe(1);
  });
});

describe('the lane-waker', () => {
  const lane = (facts: Partial<LaneSeen>) =>
    ({ storeClientId: 's', oldestChangeAgeMs: 0, ...facts }) as LaneSeen;
  const wake = async () => {
    const handler = await start(() => import('../../../functions/lane-waker/handler.ts'));
    return handler({}, contextOf(60_000));
  };

  test('tells the age of the oldest change that waits for nobody, and how the limit stands', async () => {
    vi.mocked(measureLimit).mockResolvedValue({ utilization: 40, stopped: false });
    vi.mocked(wakeLanes).mockResolvedValue([
      lane({ oldestChangeAgeMs: 5_000, oldestFreeChangeAgeMs: 5_000 }),
      lane({ oldestChangeAgeMs: 80_000, oldestFreeChangeAgeMs: 7_000, waitsFor: 'release' }),
      lane({ oldestChangeAgeMs: 90_000, oldestFreeChangeAgeMs: 0, waitsFor: 'connection' }),
    ]);
    await wake();
    const limit = { limitId: 'PARTNER_CLIENT_ID', requestsPerSecond: 3 };
    expect(vi.mocked(measureLimit).mock.lastCall?.[1]).toEqual(limit);
    expect(Object.fromEntries(counted)).toEqual({
      OldestChangeAge: 7_000,
      LimitUtilization: 40,
      LanesStopped: 0,
    });
  });

  test('tells that all lanes are stopped, and fails by the lane that could not be looked at', async () => {
    const failure = new Error('no lane');
    vi.mocked(measureLimit).mockResolvedValue({ utilization: 0, stopped: true });
    vi.mocked(wakeLanes).mockImplementation(async (_, { onFailure }) => {
      onFailure(failure);
      return [];
    });
    await expect(wake()).rejects.toMatchObject({ errors: [failure] });
    expect(Object.fromEntries(counted)).toEqual({
      OldestChangeAge: 0,
      LimitUtilization: 0,
      LanesStopped: 1,
    });
  });
});

test('the operations API has its times in milliseconds, and sends sellers back to its own callback', async () => {
  await start(() => import('../../../functions/operations-api/handler.ts'));
  expect(vi.mocked(createRoutes).mock.lastCall?.[0]).toMatchObject({
    callbackUrl: 'http://127.0.0.1:1/onboarding/callback',
    pageSize: 60,
    itemsPerRequest: 70,
    attemptLifetimeMs: 41_000,
    batchDeadlineMs: 12 * 60_000,
  });
});
