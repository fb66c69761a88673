import { describe, expect, test } from 'vitest';
import { discardEverything, discardPrices } from '../../../shared/guards/use-cases/operate-guard.ts';
import { permitWait } from '../../../shared/time/waits.ts';
import { failure } from '../support/failure.ts';
import { laneWorld, type Reply, STORE } from './lane-world.ts';

/** Fails once with `error`, then accepts. */
function failingOnce(error: Error): Reply {
  let failed = false;
  return () => {
    if (failed) return {};
    failed = true;
    throw error;
  };
}

const skus = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `SKU-${String(from + index).padStart(5, '0')}`);

describe('pushLane', () => {
  test('sends zeros first, then prices, then other stock', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    await world.change('price.changed', 1, [{ sku: 'A', price: 100 }]);
    await world.change('stock.changed', 1, [{ sku: 'B', stock: 0 }]);
    expect(await world.push()).toMatchObject({ ended: 'drained', requests: 3, rows: 3 });
    expect(world.sent.map(({ kind, items }) => ({ kind, items }))).toEqual([
      { kind: 'stock', items: [{ sku: 'B', stock: 0 }] },
      { kind: 'price', items: [{ sku: 'A', price: 100 }] },
      { kind: 'stock', items: [{ sku: 'A', stock: 5 }] },
    ]);
  });

  test('sends a zero that arrives during the wait for permits before all requests except the next one', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change(
      'stock.changed',
      1,
      skus(1, 2000).map((sku) => ({ sku, stock: 5 })),
    );
    const pushing = world.push();
    const intake = world.clock.sleep(1500).then(async () => {
      await world.change('stock.changed', 1, [{ sku: 'LATE', stock: 0 }]);
      return world.clock.now();
    });
    const [takenAt] = await Promise.all([intake, pushing]);
    const next = world.sent.find(({ at }) => at > takenAt + 120);
    expect(next?.items).toEqual([{ sku: 'LATE', stock: 0 }]);
    expect(world.sent.length).toBeGreaterThan(15);
  });

  test('sends a more urgent row within 100 ms of the time that the request which it replaces had', async () => {
    const sendOne = async (meanwhile: readonly object[]) => {
      const world = laneWorld();
      await world.connect();
      await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
      world.onceChosen(() => world.change('stock.changed', 2, meanwhile));
      await world.push();
      return world.sent;
    };
    const [undisturbed] = await sendOne([]);
    const sent = await sendOne([{ sku: 'A', stock: 0 }]);
    expect(sent).toMatchObject([{ items: [{ sku: 'A', stock: 0 }] }]);
    expect((sent[0]?.at ?? 0) - (undisturbed?.at ?? 0)).toBeLessThanOrEqual(100);
  });

  test('has several requests in flight, but no target in two of them', async () => {
    const world = laneWorld({ latencyMs: 900 });
    await world.connect();
    await world.change(
      'stock.changed',
      1,
      skus(1, 40).map((sku) => ({ sku, stock: 5 })),
    );
    const intake = world.clock.sleep(300).then(() =>
      world.change(
        'stock.changed',
        2,
        skus(1, 40).map((sku) => ({ sku, stock: 6 })),
      ),
    );
    await Promise.all([intake, world.push(60_000, 10)]);
    const overlapping = world.sent.flatMap((one, index) =>
      world.sent
        .slice(index + 1)
        .filter(({ at }) => at < one.at + 900)
        .map((other) => [one, other] as const),
    );
    expect(overlapping.length).toBeGreaterThan(2);
    for (const [one, other] of overlapping) {
      const names = new Set(one.items.map((item) => JSON.stringify((item as { sku: string }).sku)));
      for (const item of other.items) {
        expect(names.has(JSON.stringify((item as { sku: string }).sku))).toBe(false);
      }
    }
  });

  test('finds new work while a request is in flight', async () => {
    const world = laneWorld({ latencyMs: 5000 });
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    const intake = world.clock
      .sleep(1000)
      .then(() => world.change('stock.changed', 1, [{ sku: 'B', stock: 7 }]));
    await Promise.all([intake, world.push()]);
    const [first, second] = world.sent;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeLessThanOrEqual(1600);
  });

  test('uses at least 95 % of the rate for one store while work waits', async () => {
    const world = laneWorld({ latencyMs: 150 });
    await world.connect();
    await world.change(
      'stock.changed',
      1,
      skus(1, 300).map((sku) => ({ sku, stock: 5 })),
    );
    await world.push(20_000, 1);
    const first = world.sent[0]?.at ?? 0;
    const inTenSeconds = world.sent.filter(({ at }) => at < first + 10_000).length;
    expect(inTenSeconds).toBeGreaterThanOrEqual(48);
    expect(inTenSeconds).toBeLessThanOrEqual(50);
  });

  test.each<[string, object]>([
    ['counts failures without their rows', { summary: { total: 2, failed: 2 }, errors: [] }],
    ['names a row beyond the request', { errors: [{ code: 'INV_001', message: 'no', rowIndex: 2 }] }],
  ])('accepts no row when the answer %s, and sends the newest values later', async (_, data) => {
    const answers = [{ batchId: 'b-1', ...data }];
    const world = laneWorld({ reply: () => answers.shift() ?? {} });
    await world.connect();
    await world.change('stock.changed', 1, [
      { sku: 'A', stock: 5 },
      { sku: 'B', stock: 6 },
    ]);
    await world.push();
    expect(await world.ports.batches.get('b-1')).toMatchObject({
      state: 'submitted',
      rows: { accepted: 0, unknown: 2 },
    });
    await world.change('stock.changed', 2, [{ sku: 'B', stock: 7 }]);
    await world.clock.run(world.clock.sleep(29_000));
    await world.push();
    expect(world.sent).toHaveLength(1);
    await world.clock.run(world.clock.sleep(2_000));
    await world.push();
    expect(world.sent.at(-1)?.items).toEqual([
      { sku: 'A', stock: 5 },
      { sku: 'B', stock: 7 },
    ]);
  });

  test('holds back rows of an unknown outcome, continues with others, and sends the newest value later', async () => {
    const world = laneWorld({
      reply: failingOnce(failure('TIMEOUT', { outcome: 'unknown', retryable: true })),
    });
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    expect(await world.push()).toMatchObject({ ended: 'drained' });
    const begin = world.sent[0]?.at ?? 0;
    expect(world.tickets.at(-1)?.delayMs).toBeGreaterThan(29_000);
    await world.change('stock.changed', 2, [{ sku: 'A', stock: 6 }]);
    await world.change('stock.changed', 2, [{ sku: 'B', stock: 1 }]);
    await world.push();
    expect(world.sent.at(-1)?.items).toEqual([{ sku: 'B', stock: 1 }]);
    await world.clock.run(world.clock.sleep(31_000));
    await world.push();
    expect(world.sent.at(-1)).toMatchObject({ items: [{ sku: 'A', stock: 6 }] });
    expect((world.sent.at(-1)?.at ?? 0) - begin).toBeGreaterThanOrEqual(30_000);
  });

  test('sends a target that changed once, however often others change', async () => {
    const hot = skus(1, 30);
    let version = 0;
    const world = laneWorld({
      reply: async () => {
        version += 1;
        await world.change(
          'stock.changed',
          version,
          hot.map((sku) => ({ sku, stock: version })),
        );
        return {};
      },
    });
    await world.connect();
    await world.change(
      'stock.changed',
      0,
      hot.map((sku) => ({ sku, stock: 9 })),
    );
    await world.clock.run(world.clock.sleep(1_000));
    await world.change('stock.changed', 1, [{ sku: 'COLD', stock: 5 }]);
    await world.push(20_000, 10);
    const sentCold = world.sent.findIndex(({ items }) => JSON.stringify(items).includes('COLD'));
    expect(sentCold).toBeGreaterThanOrEqual(0);
    expect(sentCold).toBeLessThan(10);
  });

  test('finds the invalid row of a request that is refused as a whole', async () => {
    const world = laneWorld({
      reply: ({ items }) => {
        if (items.some((item) => 'sku' in item && item.sku === 'SKU-00007')) throw failure('VAL_001');
        return {};
      },
    });
    await world.connect();
    await world.change(
      'stock.changed',
      1,
      skus(1, 20).map((sku) => ({ sku, stock: 5 })),
    );
    expect(await world.push()).toMatchObject({ ended: 'drained', rejections: { VAL_001: 1 } });
    expect(world.rejections).toMatchObject([{ code: 'VAL_001', target: 'sku:SKU-00007' }]);
    expect(await world.push()).toMatchObject({ ended: 'drained', requests: 0 });
  });

  test.each(['VAL_002', 'INV_001', 'INV_003', 'PRD_016', 'NEW_042'])(
    'finds the invalid row of a request that is refused as a whole with %s',
    async (code) => {
      const world = laneWorld({
        reply: ({ items }) => {
          if (items.some((item) => 'sku' in item && item.sku === 'B')) throw failure(code);
          return {};
        },
      });
      await world.connect();
      const stocks = ['A', 'B', 'C'].map((sku) => ({ sku, stock: 5 }));
      await world.change('stock.changed', 1, stocks);
      expect(await world.push()).toMatchObject({ ended: 'drained', rejections: { [code]: 1 } });
      expect(world.rejections).toMatchObject([{ code, target: 'sku:B' }]);
    },
  );

  test('writes the same rejection again for a row that is resent after a crash', async () => {
    const world = laneWorld({ reply: () => Promise.reject(failure('VAL_001')) });
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    const { update } = world.ports.listings;
    world.ports.listings.update = () => Promise.reject(new Error('killed'));
    await expect(world.push()).rejects.toThrow('killed');
    world.ports.listings.update = update;
    await world.clock.run(world.clock.sleep(30_000 + permitWait.longestMs));
    await world.push();
    expect(world.rejections).toHaveLength(2);
    expect(new Set(world.rejections.map(({ rejectionId }) => rejectionId)).size).toBe(1);
  });

  test('keeps the lease when the outcome of a row could not be written, whatever happens to other requests', async () => {
    const world = laneWorld({
      reply: async ({ items }) => {
        const isOfA = JSON.stringify(items).includes('"A"');
        await world.clock.sleep(isOfA ? 1_000 : 2_000);
        if (isOfA) throw failure('TIMEOUT', { outcome: 'unknown' });
        await world.connect('token-of-tomorrow');
        throw failure('AUTH_014');
      },
    });
    await world.connect();
    await world.change('stock.changed', 1, [
      { sku: 'A', stock: 5 },
      { sku: 'B', stock: 5 },
    ]);
    const { update } = world.ports.listings;
    world.ports.listings.update = (storeClientId, target, ...rest) =>
      target === 'sku:A' ? Promise.reject(new Error('killed')) : update(storeClientId, target, ...rest);
    await expect(world.push(60_000, 1)).rejects.toThrow('killed');
    expect(world.sent).toHaveLength(2);
    const lane = await world.ports.lanes.get(STORE);
    expect(lane?.leaseUntil).toBeGreaterThan(world.clock.now());
  });

  test('sends a zero between the two halves of a refused request', async () => {
    let refused = false;
    const world = laneWorld({
      reply: async () => {
        if (refused) return {};
        refused = true;
        await world.change('stock.changed', 1, [{ sku: 'LATE', stock: 0 }]);
        throw failure('VAL_001');
      },
    });
    await world.connect();
    await world.change(
      'stock.changed',
      1,
      skus(1, 20).map((sku) => ({ sku, stock: 5 })),
    );
    await world.push();
    expect(world.sent.map(({ items }) => items.length)).toEqual([20, 1, 10, 10]);
  });

  test('keeps a row that may succeed later, and backs off', async () => {
    const world = laneWorld({
      reply: ({ items }) => ({
        errors: world.sent.length > 1 ? [] : [rowError('INV_009', items.length - 1, true)],
      }),
    });
    await world.connect();
    await world.change('stock.changed', 1, [
      { sku: 'A', stock: 5 },
      { sku: 'B', stock: 6 },
    ]);
    await world.push();
    await world.clock.run(world.clock.sleep(1000));
    await world.push();
    expect(world.sent.at(-1)?.items).toEqual([{ sku: 'B', stock: 6 }]);
  });

  test('removes a listing by a name that its store does not use, and does not send it', async () => {
    const world = laneWorld();
    await world.connect();
    const target = 'id:7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f';
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    const waiting = await world.ports.listings.get(STORE, 'sku:A');
    await world.ports.listings.update(STORE, target, () => waiting && { ...waiting, target });
    await world.push();
    expect(world.sent.map(({ items }) => items)).toEqual([[{ sku: 'A', stock: 5 }]]);
    expect(await world.ports.listings.get(STORE, target)).toBeUndefined();
  });

  test('withholds a chosen request for a zero that was chosen for a later place', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('price.changed', 1, [{ sku: 'A', price: 5 }]);
    await world.change('stock.changed', 1, [{ sku: 'B', stock: 5 }]);
    world.onceChosen(async () => {
      await world.change('stock.changed', 1, [{ sku: 'C', stock: 0 }]);
      await world.clock.sleep(400);
    });
    await world.push();
    const rows = world.sent.flatMap(({ items }) => items);
    expect(rows[0]).toEqual({ sku: 'C', stock: 0 });
    expect(rows).toHaveLength(3);
  });

  test('withholds a chosen request when a zero arrives', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    world.onceChosen(() => world.change('stock.changed', 1, [{ sku: 'B', stock: 0 }]));
    const { waiting } = world.ports.listings;
    world.ports.listings.waiting = async function* (store, query) {
      await world.clock.sleep(5);
      yield* waiting(store, query);
    };
    await world.push();
    expect(world.sent.map(({ items }) => items)).toEqual([
      [{ sku: 'B', stock: 0 }],
      [{ sku: 'A', stock: 5 }],
    ]);
  });

  test.each([
    ['its price is', 'price.changed', { price: 5 }, discardPrices],
    ['all work of its store is', 'stock.changed', { stock: 5 }, discardEverything],
  ] as const)('withholds a chosen request when %s discarded', async (_, detailType, change, discard) => {
    const world = laneWorld();
    await world.connect();
    await world.change(detailType, 1, [{ sku: 'A', ...change }]);
    world.onceChosen(async () => {
      await discard(world.ports, STORE);
      await world.change('stock.changed', 1, [{ sku: 'B', stock: 5 }]);
    });
    await world.push();
    expect(world.sent.map(({ items }) => items)).toEqual([[{ sku: 'B', stock: 5 }]]);
  });

  test.each([
    ['a zero', 'stock.changed', { stock: 0 }],
    ['a price', 'price.changed', { price: 9 }],
  ] as const)(
    'withholds a chosen row above 0 when %s arrives for its target',
    async (_, detailType, change) => {
      const world = laneWorld();
      await world.connect();
      await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
      world.onceChosen(() => world.change(detailType, 2, [{ sku: 'A', ...change }]));
      await world.push();
      expect(world.sent[0]?.items).toEqual([{ sku: 'A', ...change }]);
    },
  );

  test.each([0, 4])(
    'sends stock that falls from 5 to %d at once while the price of its target backs off',
    async (stock) => {
      const busy = rowError('ROW_BUSY', 0, true);
      const world = laneWorld({ reply: ({ kind }) => (kind === 'price' ? { errors: [busy] } : {}) });
      await world.connect();
      await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
      await world.push();
      await world.change('price.changed', 1, [{ sku: 'A', price: 5 }]);
      const requests = 9;
      while (world.sent.length < requests) {
        await world.push();
        await world.clock.run(world.clock.sleep(world.tickets.at(-1)?.delayMs ?? 0));
      }
      await world.push();
      const dueAt = world.clock.now() + (world.tickets.at(-1)?.delayMs ?? 0);
      expect(dueAt - world.clock.now()).toBeGreaterThan(60_000);
      world.sent.length = 0;
      await world.change('stock.changed', 2, [{ sku: 'A', stock }]);
      await world.push();
      expect(world.sent.map(({ items }) => items)).toEqual([[{ sku: 'A', stock }]]);
      expect(await world.ports.listings.nextDue(STORE)).toBe(dueAt);
    },
  );

  test('does not send a rejected value again, and sends the raise behind a rejected price', async () => {
    const world = laneWorld({
      reply: ({ kind }) => ({ errors: kind === 'price' ? [rowError('PRD_016', 0, false)] : [] }),
    });
    await world.connect();
    await world.change('price.changed', 1, [{ sku: 'A', price: 10 }]);
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 3 }]);
    expect(await world.push()).toMatchObject({ rejections: { PRD_016: 1 } });
    expect(world.sent.map(({ kind }) => kind)).toEqual(['price', 'stock']);
  });

  test('suspends a store whose credentials are refused, keeps its work, and sends it once connected again', async () => {
    const world = laneWorld({ reply: failingOnce(failure('AUTH_014')) });
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    expect(await world.push()).toMatchObject({ ended: 'suspended' });
    expect(await world.push()).toMatchObject({ ended: 'not-connected' });
    await world.connect();
    expect(await world.push()).toMatchObject({ ended: 'drained', rows: 1 });
  });

  test('continues at once when the refused token was rotated meanwhile', async () => {
    const refuse = failingOnce(failure('AUTH_014'));
    const world = laneWorld({
      reply: async (request) => {
        if (world.sent.length === 1) await world.connect('token-2');
        return refuse(request);
      },
    });
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    world.tickets.length = 0;
    expect(await world.push()).toMatchObject({ ended: 'suspended' });
    expect(world.tickets).toMatchObject([{ delayMs: 0 }]);
    expect(await world.push()).toMatchObject({ ended: 'drained', rows: 1 });
  });

  test.each(['AUTH_010', 'AUTH_011'])(
    'stops all lanes after %s, loses nothing, and continues later',
    async (code) => {
      const world = laneWorld({ reply: failingOnce(failure(code)) });
      await world.connect();
      await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
      expect(await world.push()).toMatchObject({ ended: 'partner-refused' });
      expect(await world.push()).toMatchObject({ ended: 'stopped', requests: 0 });
      await world.clock.run(world.clock.sleep(60_000));
      expect(await world.push()).toMatchObject({ ended: 'drained', rows: 1 });
      expect((await world.limitNow())?.stop).toBeUndefined();
    },
  );

  test('sends nothing for the ticket of a new change while a Retry-After asks its store to wait', async () => {
    const world = laneWorld({
      reply: failingOnce(failure('SYS_DEP_503', { status: 503, retryAfterMs: 40_000, retryable: true })),
    });
    await world.connect();
    await world.change('price.changed', 1, [{ sku: 'A', price: 5 }]);
    expect(await world.push()).toMatchObject({ ended: 'paused' });
    expect(world.tickets.at(-1)?.delayMs).toBe(40_000);
    await world.change('stock.changed', 1, [{ sku: 'B', stock: 0 }]);
    await world.clock.run(world.clock.sleep(30_000));
    expect(await world.push()).toMatchObject({ ended: 'paused', requests: 0 });
    await world.clock.run(world.clock.sleep(10_000));
    await world.push();
    expect(world.sent.length).toBeGreaterThan(1);
  });

  test('waits for Retry-After with a delayed ticket, and releases its lane', async () => {
    const world = laneWorld({
      reply: failingOnce(failure('RATE_LIMITED', { status: 429, retryAfterMs: 20_000, retryable: true })),
    });
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    expect(await world.push()).toMatchObject({ ended: 'paused' });
    expect(world.tickets.at(-1)).toEqual({ storeClientId: STORE, delayMs: 20_000 });
    expect(await world.ports.lanes.get(STORE)).not.toHaveProperty('leaseId');
  });

  test('ends in time and sends a ticket for the remaining work', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change(
      'stock.changed',
      1,
      skus(1, 100).map((sku) => ({ sku, stock: 5 })),
    );
    const begin = world.clock.now();
    const { requests } = await world.push(5000, 1);
    expect(requests).toBeGreaterThan(20);
    expect(world.clock.now() - begin).toBeLessThan(7500);
    expect(world.tickets.at(-1)?.delayMs).toBeLessThan(1000);
    expect(await world.ports.lanes.get(STORE)).not.toHaveProperty('leaseId');
  });

  test('sends nothing that may land after its lease once the lane has another holder', async () => {
    const world = laneWorld();
    await world.connect();
    const stocks = skus(1, 30).map((sku) => ({ sku, stock: 5 }));
    await world.change('stock.changed', 1, stocks);
    const { extend } = world.ports.lanes;
    world.ports.lanes.extend = async (storeClientId, _, until) => extend(storeClientId, 'another', until);
    const begin = world.clock.now();
    expect(await world.push(60_000, 1)).toMatchObject({ ended: 'lost' });
    expect(world.sent.length).toBeGreaterThan(0);
    for (const { at } of world.sent) expect(at).toBeLessThanOrEqual(begin + permitWait.longestMs);
    expect(Object.keys((await world.limitNow())?.permits ?? {})).toEqual([]);
  });

  test.each([
    [30_000, 'paused'],
    [31_000, 'lost'],
  ])('sends nothing when it hangs for %d ms before a request leaves', async (ms, ended) => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    world.onceChosen(() => world.clock.sleep(ms));
    expect(await world.push()).toMatchObject({ ended });
    expect(world.sent).toEqual([]);
  });

  test('reads the listing of a row once for its request, unless something more urgent waits', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
    let reads = 0;
    const { waiting, getMany } = world.ports.listings;
    world.ports.listings.waiting = (storeClientId, query) => {
      // Less is asked for by the look whether anything is due.
      if (query.limit !== 1) reads += 1;
      return waiting(storeClientId, query);
    };
    world.ports.listings.getMany = (...query) => {
      reads += 1;
      return getMany(...query);
    };
    await world.push();
    expect(world.sent).toHaveLength(1);
    expect(reads).toBe(1);
  });

  test('extends its lease once for all requests of some seconds', async () => {
    const world = laneWorld();
    await world.connect();
    const stocks = skus(1, 20).map((sku) => ({ sku, stock: 5 }));
    await world.change('stock.changed', 1, stocks);
    const extended: number[] = [];
    const { extend } = world.ports.lanes;
    world.ports.lanes.extend = (storeClientId, leaseId, until) => {
      extended.push(until);
      return extend(storeClientId, leaseId, until);
    };
    await world.push(60_000, 1);
    expect(world.sent).toHaveLength(20);
    const lands = world.sent.map(({ at }) => at + 30_000);
    expect(extended.length).toBeLessThanOrEqual(2);
    expect(extended.at(-1)).toBeGreaterThanOrEqual(Math.max(...lands));
  });

  test('leaves a leased lane to its holder, and marks it dirty', async () => {
    const world = laneWorld();
    await world.connect();
    const now = world.clock.now();
    await world.ports.lanes.acquire(STORE, { leaseId: 'another', now, until: now + 10_000 });
    expect(await world.push()).toMatchObject({ ended: 'held-elsewhere' });
    expect(await world.ports.lanes.get(STORE)).toMatchObject({ leaseId: 'another', dirty: 1 });
    await world.clock.run(world.clock.sleep(10_001));
    expect(await world.push()).toMatchObject({ ended: 'drained', leaseExpired: true });
  });

  test('sends the global value for warehouses without their own value, but not for one without a clientId', async () => {
    const world = laneWorld();
    const data = [{ clientId: 'wh-1' }, { clientId: 'wh-2' }, { clientId: null }, {}];
    Object.assign(world.ports.marketplace, { listWarehouses: async () => ({ data }) });
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 50 }]);
    await world.change('stock.changed', 2, [{ sku: 'A', warehouses: [{ clientId: 'wh-1', stock: 3 }] }]);
    await world.push();
    expect(world.sent.map(({ items }) => items)).toEqual([
      [
        {
          sku: 'A',
          warehouses: [
            { clientId: 'wh-1', stock: 3 },
            { clientId: 'wh-2', stock: 50 },
          ],
        },
      ],
    ]);
  });
});

function rowError(code: string, rowIndex: number, retryable: boolean) {
  return { code, message: code, rowIndex, details: { retryable } } as never;
}

describe('a store whose requests have unknown outcomes', () => {
  const fourRows = ['A', 'B', 'C', 'D'].map((sku) => ({ sku, stock: 5 }));

  test('gets one request at a time, also from the next lease holder, until one succeeds', async () => {
    let isOut = true;
    const timeout = failure('TIMEOUT', { outcome: 'unknown', retryable: true });
    const world = laneWorld({ latencyMs: 900, reply: () => (isOut ? Promise.reject(timeout) : {}) });
    await world.connect();
    await world.change('stock.changed', 1, fourRows.slice(0, 1));
    await world.push();
    expect(await world.ports.lanes.get(STORE)).toMatchObject({ oneAtATime: true });
    isOut = false;
    await world.change('stock.changed', 1, fourRows.slice(1));
    world.sent.length = 0;
    await world.push(60_000, 1);
    const [first, second] = world.sent;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(900);
    expect(await world.ports.lanes.get(STORE)).not.toHaveProperty('oneAtATime');
  });

  test('gets its other rows when one of them makes every request fail', async () => {
    const broken = failure('HTTP_500', { outcome: 'unknown', retryable: true, status: 500 });
    const world = laneWorld({
      reply: ({ items }) => {
        if (items.some((item) => 'sku' in item && item.sku === 'B')) throw broken;
        return {};
      },
    });
    await world.connect();
    await world.change('stock.changed', 1, fourRows);
    for (let rounds = 0; rounds < 6; rounds += 1) {
      await world.push();
      await world.clock.run(world.clock.sleep(30_000));
    }
    const sent = world.sent.map(({ items }) => items.length);
    expect(sent.slice(0, 2)).toEqual([4, 2]);
    const listings = await world.ports.listings.getMany(STORE, ['sku:A', 'sku:C', 'sku:D']);
    const outcomes = [...listings.values()].map(({ settled }) => settled.stock?.outcome);
    expect(outcomes).toEqual(['accepted', 'accepted', 'accepted']);
    const failing = await world.ports.listings.get(STORE, 'sku:B');
    expect(failing?.failures).toBeGreaterThanOrEqual(1);
    expect(failing?.settled.stock).toBeUndefined();
  });

  test('does not delay other stores: its lane pauses after the second request', async () => {
    const world = laneWorld({
      reply: () => Promise.reject(failure('TIMEOUT', { outcome: 'unknown', retryable: true })),
    });
    await world.connect();
    await world.change('stock.changed', 1, fourRows);
    expect(await world.push(60_000, 1)).toMatchObject({ ended: 'paused' });
    expect(world.sent.length).toBeLessThanOrEqual(3);
    expect(world.tickets.at(-1)?.delayMs).toBe(30_000);
  });
});

describe('a lane request that is refused as a whole', () => {
  const twenty = skus(1, 20).map((sku) => ({ sku, stock: 5 }));

  test('makes later requests smaller, also under the next lease holder, and larger again once they are accepted', async () => {
    const world = laneWorld({
      reply: ({ items }) => {
        if (items.length > 5) throw failure('VAL_001');
        return {};
      },
    });
    await world.connect();
    await world.change('stock.changed', 1, twenty);
    const { requests } = await world.push(1, 20);
    expect(requests).toBeLessThan(4);
    expect(await world.ports.lanes.get(STORE)).toMatchObject({ rowsAtMost: 10 });
    await world.push(60_000, 20);
    expect(world.sent.map(({ items }) => items.length)).toEqual(expect.arrayContaining([20, 10, 5]));
    expect(world.rejections).toEqual([]);
  });

  test('for now each time that it has a certain row does not hold the others', async () => {
    const world = laneWorld({
      reply: ({ items }) => {
        const isRefused = items.some((item) => 'sku' in item && item.sku === 'SKU-00003');
        if (isRefused) throw failure('SYS_DEP_503', { status: 503, retryable: true });
        return {};
      },
    });
    await world.connect();
    await world.change('stock.changed', 1, twenty);
    for (let runs = 0; runs < 20; runs += 1) {
      await world.push();
      await world.clock.run(world.clock.sleep(world.tickets.at(-1)?.delayMs ?? 0));
    }
    const targets = twenty.map(({ sku }) => `sku:${sku}`);
    const listings = await world.ports.listings.getMany(STORE, targets);
    const waiting = [...listings.values()].filter(({ settled }) => settled.stock?.outcome !== 'accepted');
    expect(waiting).toMatchObject([{ target: 'sku:SKU-00003', settled: {} }]);
    expect(world.rejections).toEqual([]);
  });

  test('without a code rejects no value: a single row backs off, and the others are sent', async () => {
    const world = laneWorld({
      reply: ({ items }) => {
        if (items.some((item) => 'sku' in item && item.sku === 'SKU-00003')) throw failure('HTTP_400');
        return {};
      },
    });
    await world.connect();
    await world.change('stock.changed', 1, twenty.slice(0, 4));
    expect(await world.push()).toMatchObject({ ended: 'drained', rejections: {} });
    expect(world.rejections).toEqual([]);
    expect(world.tickets.at(-1)?.delayMs).toBeGreaterThan(0);
    const settled = await world.ports.listings.get(STORE, 'sku:SKU-00004');
    expect(settled?.settled.stock).toMatchObject({ outcome: 'accepted' });
  });
});

test('a lane without a free permit sends when one is free', async () => {
  const world = laneWorld();
  await world.connect();
  await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  const others = world.limiter;
  for (let taken = 0; taken < 5; taken += 1) {
    const place = await others.reserve({ until: world.clock.now() + 2_000 });
    if ('begin' in place) await world.clock.run(place.begin());
  }
  expect(await world.push(3_000)).toMatchObject({ ended: 'turn-over', requests: 0 });
  expect(world.tickets.at(-1)).toMatchObject({ storeClientId: STORE, delayMs: 0 });
  expect(await world.push()).toMatchObject({ ended: 'drained', requests: 1 });
});
