import { describe, expect, test, vi } from 'vitest';
import type { BatchRecord } from '../../../shared/batches/model.ts';
import { resolveBatch } from '../../../shared/batches/use-cases/operate-batch.ts';
import { followBatchEnd } from '../../../shared/products/batch-ends.ts';
import {
  comparableFields,
  followResolution,
  updateAnswerOf,
} from '../../../shared/products/update-requests.ts';
import { fail } from '../support/failure.ts';
import { answer, cut, cutAlways, LIFETIME_MS, NOW, productId, setUp, store } from './update-setup.ts';

const HOUR_MS = 3_600_000;

describe('an update of a product', () => {
  test('gives its price and stock to the listing, by the name that the store uses, once the rest was accepted', async () => {
    const { update, calls, changes } = setUp();
    const end = await update('u-1', { name: 'New', price: 5, specialPrice: null, stock: 3 });
    expect(end.requests.map(updateAnswerOf)).toMatchObject([{ fields: ['name'], updated: answer }]);
    expect(calls).toEqual([{ call: 'getProduct' }, { call: 'updateProduct', changes: { name: 'New' } }]);
    const prices = [{ sku: 'A', price: 5, specialPrice: null }];
    const facts = { storeClientId: 's-1', commandId: 'u-1', time: NOW };
    expect(changes).toEqual([{ ...facts, prices, stocks: [{ sku: 'A', stock: 3 }] }]);
  });

  test('that is refused changes no price or stock, and is rejected once', async () => {
    const setup = setUp([fail({ code: 'VAL_001' })]);
    await setup.update('u-1', { name: 'New', price: 5, stock: 0 });
    await setup.update('u-1', { name: 'New', price: 5, stock: 0 });
    expect(setup.changes).toEqual([]);
    expect(setup.rejected()).toMatchObject([{ code: 'VAL_001', commandId: 'u-1', id: productId }]);
    expect(setup.sent()).toHaveLength(1);
  });

  test('with price and stock only sends no request', async () => {
    const { update, sent, changes } = setUp();
    await update('u-1', { warehouses: [{ clientId: 'wh-1', stock: 3 }] });
    expect(sent()).toEqual([]);
    expect(changes).toMatchObject([{ stocks: [{ sku: 'A', warehouses: [{ clientId: 'wh-1', stock: 3 }] }] }]);
  });

  test('gives a negative stock to the listing, where it sells nothing, unless the store rejects it', async () => {
    const { update, changes, stores, rejected } = setUp();
    await update('u-1', { stock: -2 });
    await update('u-2', { warehouses: [{ clientId: 'wh-1', stock: -3 }] });
    expect(changes).toMatchObject([
      { stocks: [{ sku: 'A', stock: -2 }] },
      { stocks: [{ sku: 'A', warehouses: [{ clientId: 'wh-1', stock: -3 }] }] },
    ]);
    stores.set('s-1', { ...store, negativeStock: 'reject' });
    await update('u-3', { stock: -2 });
    expect(changes).toHaveLength(2);
    expect(rejected()).toMatchObject([{ code: 'ROW_INVALID', commandId: 'u-3', id: productId }]);
  });

  test('gives its integer version to its price and stock', async () => {
    const { update, changes } = setUp();
    await update('u-1', { price: 5 }, { version: 7 });
    expect(changes).toMatchObject([{ version: 7, prices: [{ price: 5 }] }]);
  });

  test('is recorded without the fields of its answer that are too large for a record', async () => {
    const data = { ...answer.data, echo: 'x'.repeat(500_000) };
    const { update } = setUp([() => ({ ...answer, data, more: 'x'.repeat(500_000) })]);
    const [record] = (await update('u-1', { name: 'New' })).requests;
    expect(record?.answer).toMatchObject({
      updated: { success: true, isCut: true, data: { ...answer.data, isCut: true } },
    });
    expect(JSON.stringify(record).length).toBeLessThan(10_000);
  });

  test('that changes the SKU of its product gives its price to the listing of the new SKU', async () => {
    const { update, changes } = setUp();
    await update('u-1', { sku: 'B', price: 5 });
    expect(changes).toMatchObject([{ prices: [{ sku: 'B', price: 5 }] }]);
  });

  test.each([90, null])('combines a special price of %j alone with the shown price', async (specialPrice) => {
    const { update, changes } = setUp();
    await update('u-1', { specialPrice });
    expect(changes).toMatchObject([{ prices: [{ sku: 'A', specialPrice, shownPrice: 100 }] }]);
  });

  test.each([
    [
      'a special price alone, where the product shows no price',
      { specialPrice: 90 },
      { sku: 'A', price: null },
    ],
    ['a price, where the product has variants', { price: 90 }, { hasVariant: true }],
    ['a price, where the product has no SKU', { price: 90 }, { sku: null }],
  ])('is rejected whole with %s', async (_, given, shown) => {
    const setup = setUp([], { id: productId, ...shown });
    await setup.update('u-1', { name: 'New', ...given });
    expect(setup.rejected()).toMatchObject([{ code: 'ROW_INVALID', id: productId }]);
    expect([setup.sent(), setup.changes]).toEqual([[], []]);
    expect(await setup.update('u-2', { name: 'New' })).not.toHaveProperty('error');
  });

  test.each([
    [{ price: -1 }, 'detail.changes.price'],
    [{ colour: 'red' }, 'detail.changes'],
    [{}, 'detail.changes'],
  ])('that breaks a rule is rejected: %j', async (given, field) => {
    const setup = setUp();
    await setup.update('u-1', given);
    expect(setup.rejected()).toEqual([
      expect.objectContaining({ code: 'ROW_INVALID', field, id: productId }),
    ]);
    expect([setup.calls, setup.changes]).toEqual([[], []]);
  });

  test('is rejected for a missing product, also when the product is read first', async () => {
    const setup = setUp([fail({ code: 'PRD_014' })]);
    await setup.update('u-1', { name: 'New' });
    setup.ports.calls.getProduct = async () => fail({ code: 'PRD_014' })();
    await setup.update('u-2', { specialPrice: 5 });
    expect(setup.rejected().map(({ code, commandId }) => [code, commandId])).toEqual([
      ['PRD_014', 'u-1'],
      ['PRD_014', 'u-2'],
    ]);
  });

  test('reads its product once in each send: further attempts would exceed the time of the function', async () => {
    const { ports, update } = setUp();
    const getProduct = vi.spyOn(ports.calls, 'getProduct');
    await update('u-1', { name: 'New', price: 5 });
    expect(getProduct).toHaveBeenCalledExactlyOnceWith(expect.anything(), { productId }, { maxAttempts: 1 });
  });

  test('dated far ahead is rejected, and reserves no field', async () => {
    const setup = setUp();
    await setup.update('far', { name: 'Far' }, setup.at(6));
    expect(setup.rejected()).toMatchObject([
      {
        code: 'VERSION_FUTURE',
        commandId: 'far',
        field: 'time',
        message: expect.stringMatching(/^time .*ahead$/),
      },
    ]);
    await setup.update('now', { name: 'Now' });
    expect(setup.sent()).toEqual([{ name: 'Now' }]);
  });

  test('repeats its effects after a crash without sending again', async () => {
    const { ports, update, sent, changes } = setUp();
    ports.changes.send.mockRejectedValueOnce(new Error('the queue is away'));
    expect(await update('u-1', { name: 'New', stock: 0 })).toMatchObject({ error: { message: /away/ } });
    await update('u-1', { name: 'New', stock: 0 });
    expect(sent()).toHaveLength(1);
    expect(changes).toMatchObject([{ stocks: [{ stock: 0 }] }]);
  });

  test('that was certainly not sent reserves no field, also after a read of its product that failed', async () => {
    const noPermit = fail({ code: 'LIMIT_REACHED', outcome: 'not-sent', retryable: true });
    const { ports, update } = setUp(Array.from({ length: 6 }, () => noPermit));
    const { getProduct } = ports.calls;
    ports.calls.getProduct = async () => {
      ports.calls.getProduct = getProduct;
      return cut();
    };
    expect(await update('u-1', { name: 'New', specialPrice: 5 })).toMatchObject({
      error: { code: 'LIMIT_REACHED' },
    });
    const product = await ports.locks.update(`product#s-1#${productId}`, () => undefined);
    expect(product).toMatchObject({ claims: [] });
    expect(product?.lock).toBeUndefined();
  });

  test('that was discarded before it began is rejected', async () => {
    const setup = setUp();
    const discardedAt = new Date(NOW).toISOString();
    setup.stores.set('s-1', { ...store, discardedAt });
    await setup.update('u-1', { name: 'New' });
    expect(setup.rejected()).toMatchObject([{ code: 'COMMAND_DISCARDED', id: productId }]);
    expect(setup.sent()).toEqual([]);
  });
});

test('an update queues the SKUs that it gives to its product or a variant as created', async () => {
  const { ports, update } = setUp();
  await update('u-1', { sku: 'B' });
  await update('u-2', { variants: { items: [{ sku: 'C' }] } });
  const created = ports.changes.sendCreated.mock.calls.flat();
  expect(created).toMatchObject([
    { storeClientId: 's-1', products: [{ sku: 'B' }], knownAt: NOW },
    { storeClientId: 's-1', products: [{ sku: 'C' }], knownAt: NOW },
  ]);
});

describe('an update of the SKU', () => {
  test('has the listing of the former SKU end, before the values of the new one are sent', async () => {
    const { ports, update } = setUp();
    await update('u-1', { sku: 'B' });
    const command = { storeClientId: 's-1', commandId: 'u-1', time: NOW };
    expect(ports.changes.sendRenamed.mock.calls.flat()).toEqual([{ ...command, from: 'A', to: 'B' }]);
  });

  test('knows the former SKU, though an earlier try of unknown outcome has renamed the product', async () => {
    const product = { id: productId, sku: 'A' };
    const renames = () => {
      product.sku = 'B';
      return cut();
    };
    const { ports, update } = setUp([renames], product);
    await update('u-1', { sku: 'B' });
    expect(ports.changes.sendRenamed.mock.calls.flat()).toMatchObject([{ from: 'A', to: 'B' }]);
  });

  test.each([
    ['is the one that the product has', { id: productId, sku: 'B' }, 'sku'],
    ['is its first', { id: productId, sku: null }, 'sku'],
    ['names no listing, in a store that names products by ID', { id: productId, sku: 'A' }, 'id'],
  ] as const)('ends no listing when the SKU %s', async (_, product, products) => {
    const { ports, update, stores } = setUp([], product);
    stores.set('s-1', { ...store, names: { ...store.names, products } });
    await update('u-1', { sku: 'B' });
    expect(ports.changes.sendRenamed).not.toHaveBeenCalled();
    expect(ports.changes.sendCreated).toHaveBeenCalled();
  });

  test('of variants has the listings of their former SKUs end, also after an earlier try that renamed them', async () => {
    const product = {
      id: productId,
      hasVariant: true,
      variants: {
        items: [
          { sku: 'A', optionIndexes: [0] },
          { sku: 'B', optionIndexes: [1] },
        ],
      },
    };
    const items = [
      { sku: 'A2', optionIndexes: [0], stock: 3 },
      { sku: 'B2', optionIndexes: [1] },
    ];
    const renames = () => {
      product.variants.items = items;
      return cut();
    };
    const { ports, update, changes } = setUp([renames], product);
    await update('u-1', { variants: { items } });
    expect(ports.changes.sendRenamed.mock.calls.flat()).toMatchObject([
      { from: 'A', to: 'A2' },
      { from: 'B', to: 'B2' },
    ]);
    expect(changes).toMatchObject([{ stocks: [{ sku: 'A2', stock: 3 }] }]);
  });

  test('of variants without options reads no product', async () => {
    const { calls, update } = setUp();
    await update('u-1', { variants: { items: [{ sku: 'C', stock: 1 }] } });
    expect(calls.map(({ call }) => call)).toEqual(['updateProduct']);
  });

  test('ends no listing when it is refused', async () => {
    const { ports, update } = setUp([fail({ code: 'VAL_001' })]);
    await update('u-1', { sku: 'B' });
    expect(ports.changes.sendRenamed).not.toHaveBeenCalled();
  });
});

describe('an update with an unknown outcome', () => {
  const setUpUnknown = async (replies = cutAlways) => {
    const setup = setUp([() => answer, ...replies]);
    await setup.update('newer', { weight: 2 }, { ...setup.at(2), now: NOW - LIFETIME_MS });
    setup.calls.length = 0;
    await setup.update('u-1', { name: 'New', weight: 1, stock: 0 }, { now: NOW + 2 * LIFETIME_MS });
    setup.time.now += 2 * HOUR_MS;
    await setup.sweep();
    const [batch] = [...setup.batches.entries()].map(([, record]) => record);
    return { ...setup, batch: batch ?? expect.unreachable() };
  };

  test('is read back by the fields that were sent', async () => {
    const { ports, batch, changes } = await setUpUnknown();
    expect(batch).toMatchObject({
      kind: 'product-update',
      state: 'submitted',
      rows: { sent: 1, unknown: 1 },
    });
    expect(await comparableFields(ports, batch.attemptId ?? '')).toEqual({ unset: ['name'], claimed: [] });
    expect(changes.slice(1)).toEqual([]);
  });

  test('is not read back by a field that a newer update has set since', async () => {
    const { ports, batch, update, at, time } = await setUpUnknown();
    await update('newest', { name: 'Newest' }, { ...at(3), now: time.now });
    expect(await comparableFields(ports, batch.attemptId ?? '')).toEqual({ unset: [], claimed: [] });
    expect(await comparableFields(ports, 'another request')).toBeUndefined();
  });

  test('is not read back by a field that a newer update of unknown outcome may have set', async () => {
    const { ports, batch, update, at, time, sweep, batches } = await setUpUnknown([
      ...cutAlways,
      ...cutAlways,
    ]);
    await update('newest', { name: 'Newest' }, { ...at(3), now: time.now });
    const comparable = () => comparableFields(ports, batch.attemptId ?? '');
    expect(await comparable()).toEqual({ unset: ['name'], claimed: ['name'] });

    time.now += 2 * HOUR_MS;
    await sweep();
    const newest = batches.all().find(({ commandId }) => commandId === 'newest') ?? expect.unreachable();
    await followResolution(ports, { ...newest, state: 'unresolved' });
    expect(await comparable()).toEqual({ unset: [], claimed: [] });
  });

  test('read back as done keeps its fields from an older update of the same second', async () => {
    const setup = setUp(cutAlways);
    await setup.update('u-1', { name: 'New' }, { receivedAt: NOW + 700 });
    setup.time.now += 2 * HOUR_MS;
    await setup.sweep();
    const [batch = expect.unreachable()] = [...setup.batches.entries()].map(([, record]) => record);
    await followResolution(setup.ports, {
      ...batch,
      state: 'completed',
      completedAt: '2026-11-21T10:00:00Z',
    });
    setup.calls.length = 0;
    await setup.update('u-2', { name: 'Old' }, { receivedAt: NOW + 300 });
    expect(setup.sent()).toEqual([]);
  });

  test('gives its price and stock to the listing only once it is read back as done', async () => {
    const { ports, batch, changes } = await setUpUnknown();
    changes.length = 0;
    await followResolution(ports, { ...batch, state: 'unresolved' });
    await followResolution(ports, { ...batch, state: 'failed' });
    expect(changes).toEqual([]);
    await followResolution(ports, { ...batch, state: 'completed', completedAt: '2026-11-21T10:00:00Z' });
    expect(changes).toMatchObject([{ commandId: 'u-1', time: NOW, stocks: [{ sku: 'A', stock: 0 }] }]);
  });

  test.each([
    ['accepted', 'completed', [{ commandId: 'u-1', stocks: [{ sku: 'A', stock: 0 }] }]],
    ['rejected', 'failed', []],
  ] as const)('ends as an operator says, and its stock follows: %s', async (rest, state, following) => {
    const { ports, batch, changes } = await setUpUnknown();
    changes.length = 0;
    const ending = { ...ports, onEnd: (ended: BatchRecord) => followBatchEnd(ports, ended) };
    expect(await resolveBatch(ending, batch.batchId, { rows: [], rest })).toMatchObject({ state });
    expect(changes).toMatchObject(following);
  });

  test('no longer keeps fields from an older update once it is read back as not done', async () => {
    const { ports, batch, update, calls, time } = await setUpUnknown();
    await followResolution(ports, { ...batch, state: 'failed', completedAt: '2026-11-21T10:00:00Z' });
    calls.length = 0;
    await update('older', { name: 'Old' }, { time: NOW - 1, now: time.now });
    expect(calls).toEqual([{ call: 'updateProduct', changes: { name: 'Old' } }]);
  });
});
