import { describe, expect, test } from 'vitest';
import type { ChangeMessage } from '../../../shared/changes/rules/read-changes.ts';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import { withWaiting } from '../../../shared/listings/rules/waiting.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import type { Step } from '../../doubles/step.ts';
import { laneWorld, STORE } from '../lanes/lane-world.ts';

const message = (messageId: string, detail: object, detailType = 'stock.changed') => ({
  messageId,
  sentAt: Date.UTC(2026, 0, 1),
  body: JSON.stringify({
    id: messageId,
    'detail-type': detailType,
    detail: { storeClientId: STORE, ...detail },
  }),
});

const ID = '7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f';
const OTHER_ID = '7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e60';

function throwUnreadable(): never {
  throw new Error('unreadable');
}

describe('takeChanges', () => {
  test('writes each target of a batch once, with the newest value, and counts the changes', async () => {
    const world = laneWorld();
    await world.connect();
    let writes = 0;
    const { update } = world.ports.listings;
    world.ports.listings.update = (...args) => {
      writes += 1;
      return update(...args);
    };
    const taken = await takeChanges(world.ports, [
      message('m1', { version: 2, items: [{ sku: 'A', stock: 2 }] }),
      message('m2', { version: 3, items: [{ sku: 'A', stock: 3 }] }),
      message('m3', { version: 1, items: [{ sku: 'A', stock: 1 }] }),
    ]);
    expect(taken).toMatchObject({
      accepted: 2,
      stale: 1,
      coalesced: 2,
      rejections: {},
      failedMessageIds: [],
    });
    expect(writes).toBe(1);
    expect(await world.ports.listings.get(STORE, 'sku:A')).toMatchObject({
      desired: { stock: { value: 3, version: 3 } },
    });
  });

  test('keeps of each event whose rows were merged where these went, and of an event that failed nothing', async () => {
    const world = laneWorld();
    await world.connect();
    const { update } = world.ports.listings;
    world.ports.listings.update = (store, target, ...rest) =>
      target === 'sku:X' ? throwUnreadable() : update(store, target, ...rest);
    const many = Array.from({ length: 150 }, (_, index) => ({ sku: `S-${index}`, stock: 1 }));
    await takeChanges(world.ports, [
      message('m1', { version: 2, items: [{ sku: 'A', stock: 2 }, { sku: 'A', stock: 1 }, 'nonsense'] }),
      message('m2', { version: 3, items: many }),
      message('m3', { version: 3, items: [{ sku: 'X', stock: 1 }] }),
      message('m4', { version: 3, items: ['nonsense'] }),
    ]);
    const { changeEvents } = world.ports;
    expect(await changeEvents.get('m1')).toEqual([
      {
        eventId: 'm1',
        detailType: 'stock.changed',
        storeClientId: STORE,
        takenAt: new Date(world.clock.now()).toISOString(),
        rows: 3,
        versionKind: 'integer',
        version: 2,
        targets: ['sku:A'],
        registers: ['stock'],
        // Of two values of one version the smaller one is taken.
        values: [{ stock: 1 }],
      },
    ]);
    const [cut] = await changeEvents.get('m2');
    expect(cut).toMatchObject({ rows: 150, targets: { length: 100 }, values: { length: 100 } });
    expect(await changeEvents.get('m3')).toEqual([]);
    expect(await changeEvents.get('m4')).toEqual([]);
  });

  test('sends one ticket per lane with new work', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 1, [
      { sku: 'A', stock: 1 },
      { sku: 'B', stock: 1 },
    ]);
    expect(world.tickets).toEqual([{ storeClientId: STORE, delayMs: 0 }]);
  });

  test('recognises a redelivery, and sends the ticket that a crash lost', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 1 }]);
    world.tickets.length = 0;
    expect(await world.change('stock.changed', 1, [{ sku: 'A', stock: 1 }])).toMatchObject({
      accepted: 0,
      stale: 0,
    });
    expect(world.tickets).toHaveLength(1);
    await world.push();
    world.tickets.length = 0;
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 1 }]);
    expect(world.tickets).toEqual([]);
  });

  test('rejects invalid rows, each with its code, and accepts the others', async () => {
    const world = laneWorld();
    await world.connect();
    const future = world.clock.now() + 3_600_000;
    const taken = await takeChanges(world.ports, [
      message('m1', { version: 1, items: [{ sku: 'A', stock: 1 }, { sku: 'B', stock: 1.5 }, 'nonsense'] }),
      message('m2', { occurredAt: future, items: [{ sku: 'C', stock: 1 }] }),
      message('m3', { storeClientId: 'unknown', version: 1, items: [{ sku: 'D', stock: 1 }] }),
      message('m4', { occurredAt: world.clock.now(), items: [{ sku: 'A', stock: 2 }] }),
      { messageId: 'm5', sentAt: 0, body: 'no JSON' },
    ]);
    expect(taken).toMatchObject({ accepted: 1, failedMessageIds: [] });
    expect(taken.rejections).toEqual({
      ROW_INVALID: 2,
      VERSION_FUTURE: 1,
      STORE_UNKNOWN: 1,
      VERSION_KIND: 1,
      EVENT_INVALID: 1,
    });
    expect(
      world.rejections
        .map(({ code, rejectionId }) => `${rejectionId.slice(rejectionId.indexOf('#') + 1)} ${code}`)
        .sort(),
    ).toEqual([
      'm1#stock.changed#1 ROW_INVALID',
      'm1#stock.changed#2 ROW_INVALID',
      'm2#stock.changed#0 VERSION_FUTURE',
      'm3#stock.changed#0 STORE_UNKNOWN',
      'm4#stock.changed#0 VERSION_KIND',
      'm5 EVENT_INVALID',
    ]);
  });

  test('rejects what is not valid for its store too, if that is not connected: so it is listed without the store', async () => {
    const world = laneWorld();
    await takeChanges(world.ports, [
      message('m1', { storeClientId: 'unknown', version: 1, items: [{ sku: 'A', stock: 1.5 }] }),
      message('m2', { storeClientId: 'unknown', occurredAt: 'noon', items: [{ sku: 'B', stock: 1 }] }),
    ]);
    expect(world.rejections).toMatchObject(
      ['sku:A', 'sku:B'].map((target) => ({ code: 'STORE_UNKNOWN', storeClientId: 'unknown', target })),
    );
    expect(world.rejections[0]?.message).toMatch(
      /^store unknown is not connected to this stack[.] ROW_INVALID: /,
    );
  });

  test('keeps the rejections of a stock and a price change with one ID separate', async () => {
    const world = laneWorld();
    await world.connect();
    await takeChanges(world.ports, [
      { ...message('m1', { version: 1, items: [{ sku: 'A', stock: 1.5 }] }), messageId: 'm1' },
      { ...message('m1', { version: 1, items: [{ sku: 'A' }] }, 'price.changed'), messageId: 'm2' },
    ]);
    expect(world.rejections.map(({ detailType }) => detailType)).toEqual(['stock.changed', 'price.changed']);
    expect(new Set(world.rejections.map(({ rejectionId }) => rejectionId)).size).toBe(2);
  });

  test.each([8.64e15 + 1, Number.MAX_SAFE_INTEGER, -1])(
    'rejects an event that claims the time %d, and accepts the others',
    async (occurredAt) => {
      const world = laneWorld();
      await world.connect();
      const taken = await takeChanges(world.ports, [
        message('m1', { occurredAt, items: [{ sku: 'A', stock: 1 }] }),
        message('m2', { version: 1, items: [{ sku: 'B', stock: 1 }] }),
      ]);
      expect(taken).toMatchObject({
        accepted: 1,
        failedMessageIds: [],
        rejections: { EVENT_INVALID: 1 },
      });
      expect(world.rejections).toMatchObject([
        {
          eventId: 'm1',
          field: 'detail.occurredAt',
          message: expect.stringMatching(
            /^detail.occurredAt: must be ISO 8601|^detail.occurredAt: must not be before 2015/,
          ),
        },
      ]);
    },
  );

  test('rejects the latest possible time as too far ahead', async () => {
    const world = laneWorld();
    await world.connect();
    const taken = await takeChanges(world.ports, [
      message('m1', { occurredAt: 8.64e15, items: [{ sku: 'A', stock: 1 }] }),
    ]);
    expect(taken.rejections).toEqual({ VERSION_FUTURE: 1 });
  });

  test('keeps rejecting a time that was ahead when it was sent, at every delivery', async () => {
    const world = laneWorld();
    await world.connect();
    const early = message('m1', {
      occurredAt: world.clock.now() + 360_000,
      items: [{ sku: 'A', stock: 1 }],
    });
    await takeChanges(world.ports, [early]);
    await world.clock.run(world.clock.sleep(400_000));
    expect((await takeChanges(world.ports, [early])).rejections).toEqual({ VERSION_FUTURE: 1 });
  });

  test('returns only the messages of a target that could not be written for redelivery', async () => {
    const world = laneWorld();
    await world.connect();
    const { update } = world.ports.listings;
    world.ports.listings.update = (storeClientId, target, ...rest) => {
      if (target === 'sku:A') throw new Error('throttled');
      return update(storeClientId, target, ...rest);
    };
    const taken = await takeChanges(world.ports, [
      message('m1', { version: 1, items: [{ sku: 'A', stock: 1 }] }),
      message('m2', { version: 1, items: [{ sku: 'B', stock: 1 }] }),
    ]);
    expect(taken).toMatchObject({ failedMessageIds: ['m1'], accepted: 1 });
  });

  const BAD = 'store-bad';
  type World = ReturnType<typeof laneWorld>;
  test.each<[string, (world: World) => void]>([
    [
      'can not be looked up',
      ({ ports }) => {
        const { get } = ports.stores;
        ports.stores.get = async (id) => (id === BAD ? throwUnreadable() : get(id));
      },
    ],
    [
      'has a price guard that can not be read',
      ({ ports }) => {
        const { get } = ports.guards;
        ports.guards.get = async (id) => (id === BAD ? throwUnreadable() : get(id));
      },
    ],
    [
      'has rejections that can not be kept',
      ({ ports }) => {
        const { putAll } = ports.rejections;
        ports.rejections.putAll = async (rows) =>
          rows.some(({ storeClientId }) => storeClientId === BAD) ? throwUnreadable() : putAll(rows);
      },
    ],
  ])('returns only the messages of a store for redelivery that %s', async (_, breakStore) => {
    const world = laneWorld();
    await world.connect();
    const { get } = world.ports.stores;
    world.ports.stores.get = () => get(STORE);
    breakStore(world);
    const items = [{ sku: 'A', price: 1 }, 'nonsense'];
    const taken = await takeChanges(world.ports, [
      message('m1', { storeClientId: BAD, version: 1, items }, 'price.changed'),
      message('m2', { version: 1, items }, 'price.changed'),
    ]);
    expect(taken).toMatchObject({
      failedMessageIds: ['m1'],
      failures: [{ message: 'unreadable' }],
    });
    expect(await world.ports.listings.get(STORE, 'sku:A')).toBeDefined();
    expect(world.rejections).toContainEqual(expect.objectContaining({ storeClientId: STORE, rowIndex: 1 }));
  });

  test('returns only a message that can not be processed for redelivery', async () => {
    const world = laneWorld();
    await world.connect();
    const [first, second] = [Number.NaN, 0].map((sentAt, index) => ({
      ...message(`m${index + 1}`, { version: 1, items: [{ sku: 'A', stock: 1 }, 'nonsense'] }),
      sentAt,
    })) as [ChangeMessage, ChangeMessage];
    const taken = await takeChanges(world.ports, [first, second]);
    expect(taken).toMatchObject({
      failedMessageIds: ['m1'],
      failures: [{ name: 'RangeError' }],
      accepted: 1,
    });
  });

  test('returns unfinished messages for redelivery when time is short, and continues after the written rows', async () => {
    const world = laneWorld();
    await world.connect();
    const stopAt = world.clock.now() + 100;
    const { update } = world.ports.listings;
    world.ports.listings.update = async (...args) => {
      await world.clock.sleep(60);
      return update(...args);
    };
    const items = Array.from({ length: 60 }, (_, index) => ({ sku: `SKU-${index}`, stock: 1 }));
    const messages = [message('m1', { version: 1, items })];
    const first = await world.clock.run(takeChanges(world.ports, messages, stopAt));
    expect(first).toMatchObject({ accepted: 50, failedMessageIds: ['m1'] });
    const second = await world.clock.run(takeChanges(world.ports, messages));
    expect(second).toMatchObject({ accepted: 10, stale: 0, failedMessageIds: [] });
  });

  test('reports rejections in parts while there is time, those of small messages first', async () => {
    const world = laneWorld();
    await world.connect();
    const stopAt = world.clock.now() + 100;
    const { putAll } = world.ports.rejections;
    world.ports.rejections.putAll = async (...args) => {
      await world.clock.sleep(150);
      return putAll(...args);
    };
    const bad = (rows: number) =>
      Array.from({ length: rows }, (_, index) => ({ sku: `S${index}`, stock: 1.5 }));
    const messages = [1_000, 900, 800, 700, 3].map((rows, index) => ({
      ...message(`m${index}`, { version: 1, items: bad(rows) }),
      messageId: `m${index}`,
    }));
    const first = await world.clock.run(takeChanges(world.ports, messages, stopAt));
    expect(first.failedMessageIds.toSorted()).toEqual(['m0', 'm1']);
    expect(first.rejections).toEqual({ ROW_INVALID: 1_503 });
    const second = await world.clock.run(takeChanges(world.ports, messages.slice(0, 2)));
    expect(second).toMatchObject({ failedMessageIds: [], rejections: { ROW_INVALID: 1_900 } });
  });

  test('puts the page of a listing before the listing, so that the waker finds what a crash leaves', async () => {
    const world = laneWorld();
    await world.connect();
    const steps: string[] = [];
    const step: Step = async (operation, effect) => {
      steps.push(operation.split(' ')[0] ?? '');
      return effect();
    };
    Object.assign(world.ports, { listings: inMemoryListingTable(step) });
    await world.change('stock.changed', 1, [
      { sku: 'A', stock: 1 },
      { sku: 'B', stock: 2 },
    ]);
    expect(steps.slice(0, 3)).toEqual(['listings.getMany', 'waiting.put', 'listings.replace']);
  });

  test.each([
    ['sku', 'stock.changed', { id: ID, stock: 1 }, 'id'],
    ['sku', 'price.changed', { externalId: ID, price: 1 }, 'externalId'],
    ['id', 'stock.changed', { sku: 'A', stock: 1 }, 'sku'],
    ['externalId', 'stock.changed', { sku: 'A', stock: 1 }, 'sku'],
    ['externalId', 'price.changed', { externalId: ID, price: 1 }, 'externalId'],
  ] as const)(
    'rejects a row by a name that its store does not use, and accepts the others: %s, %s, %j',
    async (products, detailType, row, field) => {
      const world = laneWorld();
      await world.connect();
      const store = await world.ports.stores.get(STORE);
      world.ports.stores.get = async () => store && { ...store, names: { products, orders: 'orderId' } };
      const isPrice = detailType === 'price.changed';
      const name = isPrice && products === 'externalId' ? 'sku' : products;
      const good = { [name]: name === 'sku' ? 'B' : OTHER_ID, ...(isPrice ? { price: 2 } : { stock: 2 }) };
      const taken = await takeChanges(world.ports, [
        message('m1', { version: 1, items: [row, good] }, detailType),
      ]);
      expect(taken).toMatchObject({ accepted: 1, rejections: { NAME_KIND: 1 }, failedMessageIds: [] });
      expect(world.rejections).toMatchObject([
        { rowIndex: 0, field: `detail.items.0.${field}`, message: expect.stringContaining('productNames') },
      ]);
    },
  );

  test('accepts a UUID in upper or lower case as the same target', async () => {
    const world = laneWorld();
    await world.connect();
    const store = await world.ports.stores.get(STORE);
    world.ports.stores.get = async () => store && { ...store, names: { products: 'id', orders: 'orderId' } };
    await world.change('stock.changed', 2, [{ id: ID.toUpperCase(), stock: 2 }]);
    expect(await world.change('stock.changed', 1, [{ id: ID, stock: 1 }])).toMatchObject({ stale: 1 });
    expect(await world.ports.listings.get(STORE, `id:${ID}`)).toMatchObject({
      desired: { stock: { value: 2, version: 2 } },
    });
  });

  test('processes the other rows when one nests 5,000 deep', async () => {
    const world = laneWorld();
    await world.connect();
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const rows = [`{"sku":"A","stock":${deep}}`, deep, `{"sku":"A","stock":1,"more":${deep}}`];
    const body = `{"id":"m1","detail-type":"stock.changed","detail":{"storeClientId":"${STORE}","version":1,"items":[${rows},{"sku":"B","stock":2}]}}`;
    const taken = await takeChanges(world.ports, [
      { messageId: 'm1', sentAt: 0, body },
      message('m2', { version: 1, items: [{ sku: 'C', stock: 1 }] }),
    ]);
    expect(taken).toMatchObject({ accepted: 2, rejections: { ROW_INVALID: 3 }, failedMessageIds: [] });
  });

  describe('for an update of a product', () => {
    const OF_COMMAND = { isOfCommand: true, occurredAt: Date.UTC(2026, 0, 1) };
    const give = (world: ReturnType<typeof laneWorld>, detail: object) =>
      takeChanges(world.ports, [message('m1', { ...detail, items: [{ sku: 'A', stock: 7 }] })]);

    test('replaces the time of a command by the first integer version', async () => {
      const world = laneWorld();
      await world.connect();
      await give(world, OF_COMMAND);
      await world.push();
      expect(await world.change('stock.changed', 1, [{ sku: 'A', stock: 3 }])).toMatchObject({ accepted: 1 });
      await world.push();
      expect(world.sent.map(({ items }) => items)).toEqual([
        [{ sku: 'A', stock: 7 }],
        [{ sku: 'A', stock: 3 }],
      ]);
      expect(await world.push()).toMatchObject({ requests: 0 });
    });

    test('keeps the order of the values of commands at the first integer version', async () => {
      const world = laneWorld();
      await world.connect();
      const { occurredAt } = OF_COMMAND;
      const stock = (value: number) => ({ items: [{ sku: 'A', stock: value }] });
      const detailOf = (value: number) => ({
        ...OF_COMMAND,
        occurredAt: occurredAt + value,
        ...stock(value),
      });
      await takeChanges(world.ports, [message('m1', detailOf(7))]);
      await world.push();
      await takeChanges(world.ports, [message('m2', detailOf(9))]);
      await world.change('price.changed', 1, [{ sku: 'A', price: 3 }]);
      for (let push = 0; push < 3; push += 1) await world.push();
      expect(world.sent.flatMap(({ items }) => items)).toEqual([
        { sku: 'A', stock: 7 },
        { sku: 'A', price: 3 },
        { sku: 'A', stock: 9 },
      ]);
    });

    test('rejects the time of a command when versions are integers, and accepts its version', async () => {
      const world = laneWorld();
      await world.connect();
      await world.change('stock.changed', 1, [{ sku: 'A', stock: 3 }]);
      expect((await give(world, OF_COMMAND)).rejections).toEqual({ VERSION_KIND: 1 });
      expect(world.rejections.at(-1)?.message).toContain('give the command a version');
      expect(await give(world, { isOfCommand: true, version: 2 })).toMatchObject({ accepted: 1 });
    });

    test('is distinguished from a change of the partner with a commandId, which sets the kind of version', async () => {
      const world = laneWorld();
      await world.connect();
      await give(world, { commandId: 'c-1', occurredAt: Date.UTC(2026, 0, 1) });
      expect((await world.change('stock.changed', 1, [{ sku: 'A', stock: 3 }])).rejections).toEqual({
        VERSION_KIND: 1,
      });
    });

    test('continues with times once a change with a time has come', async () => {
      const world = laneWorld();
      await world.connect();
      await give(world, OF_COMMAND);
      await give(world, { occurredAt: OF_COMMAND.occurredAt + 1 });
      expect((await world.change('stock.changed', 1, [{ sku: 'A', stock: 3 }])).rejections).toEqual({
        VERSION_KIND: 1,
      });
      expect(await give(world, { ...OF_COMMAND, occurredAt: OF_COMMAND.occurredAt + 2 })).toMatchObject({
        rejections: {},
      });
    });
  });

  describe('for a large event', () => {
    const bad = (count: number) =>
      Array.from({ length: count }, (_, index) => (index % 2 ? {} : { sku: 'A' }));

    test('rejects up to a thousand rows one by one', async () => {
      const world = laneWorld();
      await world.connect();
      await takeChanges(world.ports, [message('m1', { version: 1, items: bad(1_000) })]);
      expect(world.rejections).toHaveLength(1_000);
      expect(world.rejections[0]).not.toHaveProperty('rowIndexes');
    });

    test('rejects more rows in groups of a hundred, the same at every delivery', async () => {
      const world = laneWorld();
      await world.connect();
      const items = [...bad(1_050), { id: ID, stock: 1 }, { sku: 'B', stock: 1 }];
      const taken = await takeChanges(world.ports, [message('m1', { version: 1, items })]);
      expect(taken.rejections).toEqual({ ROW_INVALID: 1_050, NAME_KIND: 1 });
      expect(world.rejections).toHaveLength(12);
      const rows = world.rejections.flatMap(({ rowIndex, rowIndexes }) => rowIndexes ?? [rowIndex]);
      expect(rows.toSorted((a, b) => Number(a) - Number(b))).toEqual([...Array(1_051).keys()]);
      const ids = world.rejections.map(({ rejectionId }) => rejectionId);
      await takeChanges(world.ports, [message('m1', { version: 1, items })]);
      expect(world.rejections.slice(12).map(({ rejectionId }) => rejectionId)).toEqual(ids);
    });

    test('returns messages for redelivery that it has no time to read', async () => {
      const world = laneWorld();
      await world.connect();
      const messages = ['m1', 'm2', 'm3'].map((id) => message(id, { version: 1, items: bad(3) }));
      let reads = 0;
      Object.assign(world.ports, { clock: { ...world.clock, now: () => reads++ } });
      const taken = await takeChanges(world.ports, messages, 2);
      expect(taken).toMatchObject({ failedMessageIds: ['m3'], rejections: { ROW_INVALID: 6 } });
    });
  });

  test('has the values of created products sent again, and makes no listing for the others', async () => {
    const world = laneWorld();
    await world.connect();
    const { listings, clock } = world.ports;
    await takeChanges(world.ports, [message('m1', { version: 1, items: [{ sku: 'A', stock: 1 }] })]);
    const settle = {
      stock: { value: 1, version: 1, at: '2026-01-01T00:00:00.000Z', outcome: 'accepted' },
    } as const;
    await listings.update(
      STORE,
      'sku:A',
      (current) => current && withWaiting({ ...current, settled: settle }, clock.now()),
    );
    expect((await listings.get(STORE, 'sku:A'))?.waitingSince).toBeUndefined();
    world.tickets.length = 0;

    const products = [{ sku: 'A' }, { sku: 'B', externalId: ID }, { sku: 'x'.repeat(2_000) }];
    const created = message('m2', { products, knownAt: clock.now() }, 'products.created');
    expect(await takeChanges(world.ports, [created])).toMatchObject({ failedMessageIds: [], rejections: {} });
    expect((await listings.get(STORE, 'sku:A'))?.waitingSince).toBeDefined();
    expect(world.tickets).toHaveLength(1);
    // A product is listed from its creation on, by each of its names; a parent of variants has no stock of its own.
    const createdAt = clock.now();
    const externalId = `externalId:${ID.toLowerCase()}`;
    expect(await listings.get(STORE, 'sku:B')).toMatchObject({
      desired: {},
      createdAt,
      sameAs: [externalId],
    });
    expect(await listings.get(STORE, externalId)).toMatchObject({ createdAt, sameAs: ['sku:B'] });
    const parent = [{ sku: 'P', isParent: true }];
    await takeChanges(world.ports, [
      message('m3', { products: parent, knownAt: createdAt }, 'products.created'),
    ]);
    expect(await listings.get(STORE, 'sku:P')).toBeUndefined();
    // What is said of it next is its first value, of either kind of version.
    await takeChanges(world.ports, [message('m4', { version: 7, items: [{ sku: 'B', stock: 4 }] })]);
    expect(await listings.get(STORE, 'sku:B')).toMatchObject({
      versionKind: 'integer',
      desired: { stock: { value: 4, version: 7 } },
    });
  });
});
