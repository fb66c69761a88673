import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRoutes } from '../../../functions/operations-api/routes.ts';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import { healthOf } from '../../../shared/health/rules/health.ts';
import { reportHealth } from '../../../shared/health/use-cases/report-health.ts';
import type { LaneReport } from '../../../shared/lanes/use-cases/lane-context.ts';
import { pushLane } from '../../../shared/lanes/use-cases/push-lane.ts';
import { type LaneSeen, wakeLanes } from '../../../shared/lanes/use-cases/wake-lanes.ts';
import { measureLimit } from '../../../shared/limits/measure-limit.ts';
import { applyOrders } from '../../../shared/orders/use-cases/apply-orders.ts';
import { type RequestRecord, requestKindSchema } from '../../../shared/requests/model.ts';
import {
  type CommandsReceived,
  receiveCommands,
} from '../../../shared/requests/use-cases/receive-commands.ts';
import { sweep } from '../../../shared/requests/use-cases/sweep.ts';
import { announcePendingStores } from '../../../shared/stores/use-cases/announce-store.ts';
import { contextOf, countedMetrics, deliver, NOW, setStage, start } from './invocation.ts';

vi.mock('../../../shared/aws/marketplace.ts', async (load) => ({
  ...(await load<object>()),
  connectMarketplace: vi.fn(() => ({})),
}));
vi.mock('../../../functions/operations-api/routes.ts', () => ({ createRoutes: vi.fn(() => []) }));
vi.mock('../../../shared/health/use-cases/report-health.ts');
vi.mock('../../../shared/lanes/use-cases/push-lane.ts');
vi.mock('../../../shared/lanes/use-cases/wake-lanes.ts');
vi.mock('../../../shared/limits/measure-limit.ts');
vi.mock('../../../shared/changes/use-cases/take-changes.ts');
vi.mock('../../../shared/orders/use-cases/apply-orders.ts');
vi.mock('../../../shared/requests/use-cases/receive-commands.ts');
vi.mock('../../../shared/requests/use-cases/sweep.ts');
vi.mock('../../../shared/stores/use-cases/announce-store.ts');

// Modules are shared with later files, which must not get those that were loaded with mocks.
afterAll(() => void vi.resetModules());

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
  vi.mocked(takeChanges).mockResolvedValue({
    failedMessageIds: [],
    failures: [],
    rejections: {},
    events: [],
    warnings: [],
  } as never);
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

  test('begins no request that it could not finish, and aborts running ones with 10 s left', async () => {
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

  test('aborts at once when it has no time left', async () => {
    vi.mocked(pushLane).mockResolvedValue(ended('turn-over'));
    await push(5_000);
    expect(aborts).toEqual([0]);
  });

  test('counts a refusal of the partner and no other end', async () => {
    vi.mocked(pushLane).mockResolvedValue(ended('drained'));
    await push();
    expect(Object.fromEntries(counted)).toEqual({ RequestsSent: 2, RowsSent: 30 });
    vi.mocked(pushLane).mockResolvedValue(ended('partner-refused'));
    await push();
    expect(counted.get('PartnerRefused')).toBe(1);
  });
});

describe('the order-producer', () => {
  const received: CommandsReceived = {
    failures: [],
    commands: [],
    deferred: [],
    rejected: 3,
    requests: [],
    warnings: [],
  };
  const row = { command: 0, orderId: '20000000-0000-4000-8000-000000000001' };
  const answered: RequestRecord = {
    recordId: 'r-1',
    storeClientId: 's-1',
    kind: 'order-decision',
    commands: [],
    rows: [
      { ...row, index: 0 },
      { ...row, index: 1 },
    ],
    requestKey: 'k',
    state: 'answered',
    tries: 1,
    uncertain: false,
    createdAt: '',
    touchedAt: '',
    answer: { rows: [{ verdict: 'sent' }, { verdict: 'rejected', code: 'ORDER_OUTCOME_UNKNOWN' }] },
  };
  const perform = async (result: Partial<CommandsReceived>) => {
    vi.mocked(receiveCommands).mockResolvedValue({ ...received, ...result });
    const handler = await start(() => import('../../../functions/order-producer/handler.ts'));
    await deliver(handler, '{}', 80_000);
    return vi.mocked(receiveCommands).mock.lastCall;
  };

  test('begins requests in the first 0.4 of its time, and counts each request and its rows by outcome once', async () => {
    const report = { summary: {}, acceptedRows: [], errors: [] };
    const decided = { ...answered, answer: { ...(answered.answer as object), report } };
    const [ports, , messages, time] =
      (await perform({
        requests: [decided, { ...answered, state: 'unknown' }, { ...decided, appliedAt: 'before' }],
      })) ?? [];
    expect(time?.stopAt).toBe(NOW + 32_000);
    expect(messages).toMatchObject([{ messageId: 'm-1', body: '{}' }]);
    expect(ports).toMatchObject({
      itemsPerRequest: 70,
      attemptLifetimeMs: 41_000,
      batchDeadlineMs: 12 * 60_000,
    });
    expect(Object.fromEntries(counted)).toEqual({
      OrdersAccepted: 1,
      OrdersUnknown: 2,
      RowsRejected: 4,
      RequestsSent: 1,
    });
  });

  test.each([
    ['measures how long the marketplace has delayed a command', { ageMs: 5_000 }, 5_000],
    ['does not measure how long a command waited for another command', {}, undefined],
  ])('%s', async (_, age, expected) => {
    const deferral = {
      code: 'SYS_DEP_503',
      delayMs: 1,
      storeClientId: 's-1',
      eventId: 'e-1',
      commandId: 'c-1',
      ...age,
    };
    await perform({ deferred: [deferral] });
    expect(counted.get('CommandAge')).toBe(expected);
  });
});

describe('the product-producer', () => {
  const received = { failures: [], deferred: [], rejected: 0, requests: [], warnings: [] };
  const receive = async (what: object) => {
    vi.mocked(receiveCommands).mockResolvedValue({ ...received, ...what } as never);
    const handler = await start(() => import('../../../functions/product-producer/handler.ts'));
    await deliver(handler, '{}', 80_000);
    return vi.mocked(receiveCommands).mock.lastCall ?? [];
  };

  test('begins requests in the first 0.4 of its time, and counts the answered ones', async () => {
    const requests = [{ state: 'answered' }, { state: 'refused' }];
    const [ports, , messages, time] = await receive({ requests, rejected: 2 });
    expect(time?.stopAt).toBe(NOW + 32_000);
    expect(messages).toMatchObject([{ messageId: 'm-1', body: '{}' }]);
    expect(ports).toMatchObject({ attemptLifetimeMs: 41_000 });
    expect(Object.fromEntries(counted)).toEqual({ RequestsSent: 1, RowsRejected: 2 });
  });

  test('measures the longest wait caused by the marketplace, and no other wait', async () => {
    const busy = { code: 'PRODUCT_BUSY', delayMs: 1 };
    await receive({ deferred: [busy] });
    expect(counted.get('CommandAge')).toBeUndefined();
    const waiting = [5_000, 7_000].map((ageMs) => ({ code: 'SYS_DEP_503', delayMs: 1, ageMs }));
    await receive({ deferred: [busy, ...waiting] });
    expect(counted.get('CommandAge')).toBe(7_000);
  });
});

describe('the document-fetcher', () => {
  const received = { failures: [], deferred: [], rejected: 0, requests: [], warnings: [] };
  const stored = { bucket: 'b', key: 'k', size: 1, sha256: 's', commandId: 'c' };
  const deliverOne = async (over: object) => {
    vi.mocked(receiveCommands).mockResolvedValue({ ...received, ...over } as never);
    const handler = await start(() => import('../../../functions/document-fetcher/handler.ts'));
    await deliver(handler, '{}', 60_000);
  };

  test('begins requests in the first 0.4 of its time', async () => {
    await deliverOne({});
    const [ports, , messages, time] = vi.mocked(receiveCommands).mock.lastCall ?? [];
    expect(ports).toMatchObject({
      waitForStateMs: 30 * 60_000,
      attemptLifetimeMs: 41_000,
    });
    expect(messages).toMatchObject([{ messageId: 'm-1', body: '{}' }]);
    expect(time?.stopAt).toBe(NOW + 24_000);
  });

  test.each([
    ['a stored document', { state: 'answered', answer: { stored } }, { DocumentsStored: 1 }],
    ['a failed document', { state: 'refused', fault: { code: 'c', message: 'm' } }, { DocumentsFailed: 1 }],
    ['no document that ended before', { state: 'answered', answer: { stored }, appliedAt: 'before' }, {}],
    ['no document of unknown outcome', { state: 'unknown' }, {}],
  ])('counts %s', async (_, request, counts) => {
    await deliverOne({ requests: [request] });
    const { DocumentsStored, DocumentsFailed } = Object.fromEntries(counted);
    expect({ DocumentsStored, DocumentsFailed }).toEqual({
      DocumentsStored: undefined,
      DocumentsFailed: undefined,
      ...counts,
    });
  });

  test('measures how long the marketplace has delayed a command', async () => {
    await deliverOne({ deferred: [{ code: 'SYS_DEP_503', ageMs: 5_000 }, { code: 'DOCUMENT_BUSY' }] });
    expect(counted.get('CommandAge')).toBe(5_000);
  });
});

describe('the batch-sweeper', () => {
  const report = { resolved: 1, unresolved: 2, abandoned: 3 };
  const run = async () => {
    const handler = await start(() => import('../../../functions/batch-sweeper/handler.ts'));
    return handler({}, contextOf(240_000));
  };

  test('waits for the deadline of a batch, stops reading with 20 s left, and counts the outcomes', async () => {
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
      RequestsAbandoned: 3,
    });
  });

  test('gives each kind of request to the domain that it belongs to', async () => {
    vi.mocked(sweep).mockResolvedValue(report as never);
    await run();
    const [{ domainOf }] = vi.mocked(sweep).mock.lastCall as Parameters<typeof sweep>;
    const byDomain = Map.groupBy(requestKindSchema.options, (kind) => domainOf(kind));
    expect([...byDomain.values()].map((kinds) => kinds.toSorted()).toSorted()).toEqual([
      [
        'catalog-sync',
        'catalog-variants-sync',
        'price',
        'product-create',
        'product-create-variants',
        'product-deletion',
        'product-update',
        'stock',
      ],
      ['dropoff', 'order-decision'],
      ['invoice', 'shipping-label'],
    ]);
    await domainOf('dropoff').apply({ recordId: 'r-1' } as RequestRecord, undefined);
    expect(vi.mocked(applyOrders).mock.lastCall?.[1]).toEqual({ recordId: 'r-1' });
  });

  test('completes all parts, then fails with the errors of those that failed', async () => {
    const [inStores, inBatches] = [new Error('no store'), new Error('no batch')];
    vi.mocked(announcePendingStores).mockRejectedValue(inStores);
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

  const health = healthOf([], 0);
  beforeEach(() => void vi.mocked(reportHealth).mockResolvedValue({ isFailing: false, health }));

  test('measures the age of the oldest change that is not blocked on a person, and the use of the limit', async () => {
    vi.mocked(measureLimit).mockResolvedValue({ utilization: 40, stopped: false });
    vi.mocked(wakeLanes).mockResolvedValue([
      lane({ oldestChangeAgeMs: 5_000, oldestFreeChangeAgeMs: 5_000 }),
      lane({ oldestChangeAgeMs: 80_000, oldestFreeChangeAgeMs: 7_000, waitsFor: 'release' }),
      lane({ oldestChangeAgeMs: 90_000, oldestFreeChangeAgeMs: 0, waitsFor: 'connection' }),
    ]);
    await wake();
    const limit = { limitIds: ['PARTNER_CLIENT_ID'], requestsPerSecond: 3 };
    expect(vi.mocked(measureLimit).mock.lastCall?.[1]).toEqual(limit);
    expect(Object.fromEntries(counted)).toEqual({
      OldestChangeAge: 7_000,
      LimitUtilization: 40,
      LanesStopped: 0,
      MarketplaceFailing: 0,
      SendingStopped: 0,
    });
  });

  test('logs the lanes that have waited longest, the longest first', async () => {
    const ages = Array.from({ length: 30 }, (_, index) => ((index * 7) % 30) * 1_000);
    vi.mocked(wakeLanes).mockResolvedValue(ages.map((oldestChangeAgeMs) => lane({ oldestChangeAgeMs })));
    const { logger } = await import('../../../shared/lambda/observability.ts');
    const logged = vi.spyOn(logger, 'info');
    await wake();
    const [, { oldest }] = logged.mock.lastCall as unknown as [string, { oldest: LaneSeen[] }];
    const longest = ages.toSorted((a, b) => b - a).slice(0, 20);
    expect(oldest.map(({ oldestChangeAgeMs }) => oldestChangeAgeMs)).toEqual(longest);
  });

  test('reports that all lanes are stopped, and fails with the error of a lane that could not be read', async () => {
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
      MarketplaceFailing: 0,
      SendingStopped: 0,
    });
  });

  test('counts a marketplace that fails', async () => {
    vi.mocked(wakeLanes).mockResolvedValue([]);
    vi.mocked(reportHealth).mockResolvedValue({ isFailing: true, health });
    await wake();
    expect(vi.mocked(reportHealth).mock.lastCall?.[1]).toEqual(['PARTNER_CLIENT_ID']);
    expect(counted.get('MarketplaceFailing')).toBe(1);
  });

  test.each([
    ['a change that waits', {}, 1],
    ['a change that is blocked on a person', { waitsFor: 'connection', oldestFreeChangeAgeMs: 0 }, 0],
  ] as const)('says whether nothing is sent, by %s', async (_, facts, stopped) => {
    vi.mocked(wakeLanes).mockResolvedValue([
      lane({ oldestChangeAgeMs: 300_000, oldestFreeChangeAgeMs: 300_000, ...facts }),
    ]);
    await wake();
    expect(counted.get('SendingStopped')).toBe(stopped);
  });
});

test('the operations API receives its times in milliseconds and the URL of its own callback', async () => {
  await start(() => import('../../../functions/operations-api/handler.ts'));
  expect(vi.mocked(createRoutes).mock.lastCall?.[0]).toMatchObject({
    callbackUrl: 'http://127.0.0.1:1/onboarding/callback',
    pageSize: 60,
    itemsPerRequest: 70,
    attemptLifetimeMs: 41_000,
    batchDeadlineMs: 12 * 60_000,
  });
});
