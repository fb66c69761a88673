import { describe, expect, test, vi } from 'vitest';
import { recordSummary } from '../../../../shared/batches/use-cases/record-batch.ts';
import { performProductCommand } from '../../../../shared/products/use-cases/perform-product-command.ts';
import { externalIdOf, simpleProduct, variantProduct } from '../../../run/catalog.ts';
import { fail } from '../../support/failure.ts';
import { accept, connectedStore, NOW, productPorts, type Reply } from '../product-ports.ts';

function setUp(replies: Reply[] = [], settings = {}) {
  const { ports, seen, time } = productPorts(replies);
  const give = (detailType: string, detail: object, stopAt?: number) =>
    performProductCommand(
      { ...ports, ...settings },
      {
        messageId: 'message-1',
        sentAt: NOW,
        body: JSON.stringify({
          id: 'event-1',
          'detail-type': detailType,
          detail: { storeClientId: 's-1', ...detail },
        }),
      },
      stopAt,
    );
  const sync = (products: unknown[]) => give('catalog.sync.requested', { products, commandId: 'c-1' });
  return { seen, ports, give, sync, time };
}

const simple = (count: number) => Array.from({ length: count }, (_, index) => simpleProduct(index + 1));
const skus = (products: readonly { sku?: unknown }[]) => products.map(({ sku }) => sku);

describe('a catalog sync', () => {
  test('goes out as one request and begins a batch that its summary ends', async () => {
    const { sync, seen } = setUp([accept('b-1')]);
    expect(await sync(simple(3))).toMatchObject({ requests: 1, rejected: 0, commandId: 'c-1' });
    expect(seen.sent).toEqual([{ call: 'syncCatalog', storeToken: 'token-s-1', products: simple(3) }]);
    expect(seen.batches.get('b-1')).toMatchObject({
      state: 'submitted',
      kind: 'catalog-sync',
      commandId: 'c-1',
      requestId: 'request-of-b-1',
      deadlineAt: '2026-11-21T08:15:00.000Z',
      rows: { sent: 3, accepted: 0, rejected: 0, unknown: 3 },
    });
    expect(seen.events.map(({ detailType }) => detailType)).toEqual(['batch.submitted']);
  });

  test('its attempt is recorded with its rows before the request leaves, and closed by the answer', async () => {
    const recorded: unknown[] = [];
    const { sync, seen } = setUp([
      (products) => {
        recorded.push(...seen.attempts.values());
        return accept('b-1')(products);
      },
    ]);
    await sync(simple(1));
    const { sku, externalId } = simpleProduct(1);
    expect(recorded).toEqual([
      {
        attemptId: 'attempt-1',
        storeClientId: 's-1',
        commandId: 'c-1',
        kind: 'catalog-sync',
        signedAt: NOW,
        state: 'sent',
        rows: [{ rowIndex: 0, sku, externalId }],
      },
    ]);
    expect(seen.attempts.get('attempt-1')).toMatchObject({ state: 'answered', batchId: 'b-1' });
  });

  test('products of each shape take their own endpoint', async () => {
    const { sync, seen } = setUp();
    await sync([simpleProduct(1), variantProduct(2), simpleProduct(3)]);
    expect(seen.sent.map(({ call, products }) => [call, products.length])).toEqual([
      ['syncCatalog', 2],
      ['syncVariantCatalog', 1],
    ]);
  });

  test('more products than a request takes go in several', async () => {
    const { sync, seen } = setUp([], { itemsPerRequest: 4 });
    expect(await sync(simple(10))).toMatchObject({ requests: 3 });
    expect(seen.sent.map(({ products }) => products.length)).toEqual([4, 4, 2]);
  });

  test('what is left of a long command when the time is up waits, and no row of it goes twice', async () => {
    const slow =
      (batchId: string): Reply =>
      (products) => {
        time.now += 30_000;
        return accept(batchId)(products);
      };
    const { give, seen, time } = setUp([slow('b-1'), slow('b-2'), slow('b-3')], { itemsPerRequest: 4 });
    const command = { products: simple(10), commandId: 'c-1' };
    const first = await give('catalog.sync.requested', command, time.now + 60_000);
    expect(first).toMatchObject({ putOff: 'OUT_OF_TIME' });
    expect(seen.sent.map(({ products }) => products.length)).toEqual([4, 4]);
    expect(seen.later).toMatchObject([{ delayMs: expect.any(Number) }]);
    // Its time is up from the start, and it gets on all the same.
    expect(await give('catalog.sync.requested', command, time.now)).toMatchObject({ requests: 1 });
    expect(seen.sent.flatMap(({ products }) => skus(products))).toEqual(skus(simple(10)));
  });

  test('that is refused down to its rows leaves the rest of them to another invocation in time', async () => {
    const slowly: Reply = (products) => {
      time.now += 1_000;
      return fail({ code: 'VAL_001' })(products);
    };
    const replies = Array.from({ length: 100 }, () => slowly);
    const { give, seen, time } = setUp(replies, { itemsPerRequest: 8 });
    const command = { products: simple(24), commandId: 'c-1' };
    const sentAtEach: number[] = [];
    let isLeft = true;
    while (isLeft) {
      const before = seen.sent.length;
      const { putOff } = await give('catalog.sync.requested', command, time.now + 10_000);
      sentAtEach.push(seen.sent.length - before);
      isLeft = putOff === 'OUT_OF_TIME';
    }
    // 15 for each 8 rows, down to the single ones; ten at each delivery.
    expect(sentAtEach).toEqual([10, 10, 10, 10, 5]);
    expect(new Set(seen.rejections.map(({ rowIndex }) => rowIndex)).size).toBe(24);
    expect(seen.rejections).toHaveLength(24);
  });

  test('rows that break a rule are rejected by themselves, and the others go out', async () => {
    const { sync, seen } = setUp();
    const products = [simpleProduct(1), { ...simpleProduct(2), stock: 1.5 }, 'text', simpleProduct(3)];
    expect(await sync(products)).toMatchObject({ requests: 1, rejected: 2 });
    expect(seen.sent[0]?.products).toEqual([simpleProduct(1), simpleProduct(3)]);
    expect(seen.rejections).toEqual([
      expect.objectContaining({
        code: 'ROW_INVALID',
        rowIndex: 1,
        field: 'detail.products.1.stock',
        commandId: 'c-1',
      }),
      expect.objectContaining({ code: 'ROW_NOT_OBJECT', rowIndex: 2, field: 'detail.products.2' }),
    ]);
  });

  test('rows that the answer rejects are in the batch, with their identifiers', async () => {
    const { sync, seen } = setUp([accept('b-1', [{ code: 'PRD_002', message: 'exists', rowIndex: 1 }])]);
    await sync(simple(2));
    const { sku, externalId } = simpleProduct(2);
    expect(seen.batches.get('b-1')?.rejectedRows).toEqual([
      { code: 'PRD_002', message: 'exists', rowIndex: 1, sku, externalId },
    ]);
  });

  test('rows that the answer rejects by their externalId alone get their index', async () => {
    const { sku, externalId } = simpleProduct(2);
    const error = { code: 'PRD_002', message: 'exists', externalId };
    const { sync, seen } = setUp([accept('b-1', [error])]);
    await sync(simple(2));
    expect(seen.batches.get('b-1')?.rejectedRows).toEqual([{ ...error, rowIndex: 1, sku }]);
  });

  test('an answer without a batchId is found under its requestId', async () => {
    const { sync, seen } = setUp([() => ({ success: true, requestId: 'r-1' })]);
    await sync(simple(1));
    expect([...seen.batches.keys()]).toEqual(['r-1']);
  });
});

describe('a creation', () => {
  test('begins a batch that its answer ends', async () => {
    const { give, seen } = setUp([accept('b-1'), accept('b-2')]);
    await give('product.create.requested', { products: [simpleProduct(1), variantProduct(2)] });
    expect(seen.sent.map(({ call }) => call)).toEqual(['createProducts', 'createVariantProducts']);
    expect(seen.batches.get('b-1')).toMatchObject({
      state: 'completed',
      kind: 'product-create',
      commandId: 'event-1',
    });
    expect(seen.batches.get('b-2')).toMatchObject({ state: 'completed', kind: 'product-create-variants' });
  });
});

describe('a command that comes again', () => {
  test('has no second effect once its outcome is known', async () => {
    const { sync, seen } = setUp();
    const products = [simpleProduct(1), {}];
    await sync(products);
    expect(await sync(products)).toMatchObject({ requests: 0 });
    expect(seen.sent).toHaveLength(1);
    expect(seen.rejections).toHaveLength(1);
  });

  test('goes on where it was left', async () => {
    const { sync, seen } = setUp([accept('b-1'), fail({ code: 'AUTH_010' }), accept('b-2')], {
      itemsPerRequest: 2,
    });
    await expect(sync(simple(4))).rejects.toMatchObject({ code: 'AUTH_010' });
    expect(await sync(simple(4))).toMatchObject({ requests: 1 });
    expect(seen.sent.map(({ products }) => skus(products))).toEqual([
      skus(simple(4).slice(0, 2)),
      skus(simple(4).slice(2)),
      skus(simple(4).slice(2)),
    ]);
  });

  test('is another command for another store', async () => {
    const { give, seen } = setUp();
    seen.stores.set('s-2', { ...(seen.stores.get('s-1') ?? expect.unreachable()), storeClientId: 's-2' });
    await give('catalog.sync.requested', { products: simple(1), commandId: 'c-1' });
    await give('catalog.sync.requested', { products: simple(1), commandId: 'c-1', storeClientId: 's-2' });
    expect(seen.sent).toHaveLength(2);
  });
});

describe('commands of different kinds under one ID', () => {
  const bad = (number: number) => ({ ...simpleProduct(number), stock: 1.5 });

  test.each([
    ['catalog.sync.requested', { products: [bad(1)] }],
    ['product.delete.requested', { ids: ['no-uuid'] }],
    ['product.update.requested', { productId: externalIdOf(1), changes: { price: -1 } }],
  ])('a row of each is told of: %s and a creation', async (detailType, detail) => {
    const { give, seen } = setUp();
    const creation = { products: [bad(2)], commandId: 'c-1' };
    await give(detailType, { ...detail, commandId: 'c-1' });
    expect(await give('product.create.requested', creation)).toMatchObject({ rejected: 1 });
    expect(seen.rejections.map((rejection) => rejection.detailType)).toEqual([
      detailType,
      'product.create.requested',
    ]);
    expect(new Set(seen.rejections.map(({ rejectionId }) => rejectionId)).size).toBe(2);
  });
});

describe('an unknown outcome', () => {
  const cut = fail({ code: 'CONNECTION_CUT', outcome: 'unknown', retryable: true });
  const exists = { code: 'PRD_002', message: 'exists', rowIndex: 0 };

  test('is sent again, and what exists already then counts as accepted', async () => {
    const { give, seen } = setUp([cut, accept('b-1', [exists])]);
    await give('product.create.requested', { products: simple(2) });
    expect(seen.batches.get('b-1')).toMatchObject({ state: 'completed', rows: { accepted: 2, rejected: 0 } });
    expect([...seen.attempts.values()].map(({ state }) => state)).toEqual(['unknown', 'answered']);
  });

  test('is that of each half, when the whole is refused then', async () => {
    const { give, seen } = setUp([
      cut,
      fail({ code: 'VAL_001' }),
      accept('b-1', [exists]),
      accept('b-2', [exists]),
    ]);
    await give('product.create.requested', { products: simple(2) });
    expect(seen.batches.get('b-1')).toMatchObject({ state: 'completed', rows: { accepted: 1, rejected: 0 } });
    expect(seen.batches.get('b-2')).toMatchObject({ state: 'completed', rows: { accepted: 1, rejected: 0 } });
  });

  test('puts the command off when it stays so', async () => {
    const { give, seen } = setUp([cut, cut, cut, cut, cut, cut, accept('b-1', [exists])]);
    expect(await give('product.create.requested', { products: simple(1) })).toMatchObject({
      putOff: 'CONNECTION_CUT',
    });
    expect(seen.sent).toHaveLength(6);
    expect(seen.pauses).toEqual([500, 1000, 2000, 4000, 4000]);
    await give('product.create.requested', { products: simple(1) });
    expect(seen.batches.get('b-1')?.rows.accepted).toBe(1);
  });

  test('what exists already stays rejected when the first try surely had no effect', async () => {
    const limited = fail({ code: 'RATE_LIMITED', retryable: true, retryAfterMs: 3000 });
    const { give, seen } = setUp([limited, accept('b-1', [exists])]);
    await give('product.create.requested', { products: simple(1) });
    expect(seen.pauses).toEqual([3000]);
    expect(seen.batches.get('b-1')).toMatchObject({ state: 'failed', rows: { rejected: 1 } });
  });

  test('of a sync is settled by the final summary in the same way', async () => {
    const { sync, seen, ports } = setUp([cut, accept('b-1')]);
    await sync(simple(3));
    const other = { code: 'VAL_001', message: 'no', rowIndex: 2 };
    await recordSummary(
      ports,
      { batchId: 'b-1' },
      {
        receivedAt: '2026-11-21T08:01:00.000Z',
        summary: { total: 3, failed: 2, pending: 0 },
        rejectedRows: [exists, other],
      },
    );
    expect(seen.batches.get('b-1')).toMatchObject({
      state: 'completed_with_errors',
      rows: { sent: 3, accepted: 2, rejected: 1, unknown: 0 },
      rejectedRows: [other],
    });
  });

  test('a crash after the request left counts as one', async () => {
    const crash = new Error('killed');
    const die: Reply = () => {
      throw crash;
    };
    const { give, seen } = setUp([die, accept('b-1', [exists])]);
    await expect(give('product.create.requested', { products: simple(1) })).rejects.toBe(crash);
    await give('product.create.requested', { products: simple(1) });
    expect(seen.batches.get('b-1')?.rows.accepted).toBe(1);
  });
});

describe('a request refused whole', () => {
  /** Refuses every request that holds one of these SKUs. */
  const refusing = (...bad: unknown[]): Reply => {
    return (products) =>
      skus(products).some((sku) => bad.includes(sku))
        ? fail({ code: 'VAL_001' })(products)
        : accept(`b-${String(skus(products)[0])}`)(products);
  };

  test('is halved down to the rows at fault, which are rejected by themselves', async () => {
    const products = simple(8);
    const bad = [products[2]?.sku, products[7]?.sku];
    const { sync, seen } = setUp(Array.from({ length: 20 }, () => refusing(...bad)));
    await sync(products);
    expect(seen.rejections.map(({ code, rowIndex, sku }) => [code, rowIndex, sku])).toEqual([
      ['VAL_001', 2, bad[0]],
      ['VAL_001', 7, bad[1]],
    ]);
    const accepted = [...seen.batches.values()].reduce((sum, { rows }) => sum + rows.sent, 0);
    expect(accepted).toBe(6);
  });

  test('is not halved again when the command comes again', async () => {
    const { sync, seen } = setUp(Array.from({ length: 20 }, () => refusing(simpleProduct(2).sku)));
    await sync(simple(4));
    const requests = seen.sent.length;
    await sync(simple(4));
    expect(seen.sent).toHaveLength(requests);
    expect(seen.rejections).toHaveLength(1);
  });

  test('a body refused for its size is halved as well', async () => {
    const { sync, seen } = setUp([fail({ code: 'HTTP_413', status: 413 })]);
    await sync(simple(2));
    expect(seen.sent.map(({ products }) => products.length)).toEqual([2, 1, 1]);
  });

  test('goes on with its halves when its command comes again, and is not sent whole once more', async () => {
    const products = simple(4);
    const busy = Array.from({ length: 6 }, () => fail({ code: 'SYS_DEP_503', retryable: true }));
    const { sync, seen } = setUp([refusing(products[0]?.sku), ...busy]);
    expect(await sync(products)).toMatchObject({ putOff: 'SYS_DEP_503' });
    expect(await sync(products)).toMatchObject({ requests: 2 });
    expect(seen.sent.map((request) => request.products.length)).toEqual([4, 2, 2, 2, 2, 2, 2, 2, 2]);
    expect([...seen.batches.values()].map(({ rows }) => rows.sent)).toEqual([2, 2]);
  });
});

describe('a store that the marketplace refuses', () => {
  test('is suspended, and its command waits', async () => {
    const { sync, seen } = setUp([fail({ code: 'AUTH_014', requestId: 'r-1' })]);
    expect(await sync(simple(1))).toMatchObject({ requests: 0, putOff: 'STORE_NOT_CONNECTED' });
    expect(seen.stores.get('s-1')?.state).toBe('suspended');
    expect(seen.events).toEqual([expect.objectContaining({ detailType: 'store.suspended' })]);
    expect(await sync(simple(1))).toMatchObject({ putOff: 'STORE_NOT_CONNECTED' });
    expect(seen.sent).toHaveLength(1);
    expect(seen.later).toHaveLength(2);
  });

  test('gets its command done, once, when it is connected again', async () => {
    const { ports, sync, seen } = setUp([fail({ code: 'AUTH_014' }), accept('b-1')]);
    await sync(simple(1));
    seen.stores.set('s-1', connectedStore('s-1'));
    const [{ body } = expect.unreachable()] = seen.later;
    for (const messageId of ['message-2', 'message-3']) {
      await performProductCommand(ports, { messageId, sentAt: NOW + 600_000, body });
    }
    expect(seen.batches.get('b-1')).toMatchObject({ commandId: 'c-1', rows: { sent: 1 } });
    expect(seen.sent).toHaveLength(2);
  });

  test.each([
    ['until then', NOW, { requests: 0, rejected: 1 }, ['COMMAND_DISCARDED']],
    ['after', NOW - 1, { requests: 1, rejected: 0 }, []],
  ])('drops the commands given %s when what waits for it is discarded', async (_, at, result, codes) => {
    const { sync, seen } = setUp();
    seen.stores.set('s-1', { ...connectedStore('s-1'), discardedAt: new Date(at).toISOString() });
    expect(await sync(simple(1))).toMatchObject(result);
    expect(seen.rejections.map(({ code }) => code)).toEqual(codes);
    expect(seen.later).toEqual([]);
  });

  test('is tried once with the new token if it was rotated meanwhile', async () => {
    const rotate: Reply = (products) => {
      const store = seen.stores.get('s-1') ?? expect.unreachable();
      seen.stores.set('s-1', { ...store, storeToken: 'token-new' });
      return fail({ code: 'AUTH_014' })(products);
    };
    const { sync, seen } = setUp([rotate, accept('b-1')]);
    expect(await sync(simple(1))).toMatchObject({ requests: 1 });
    expect(seen.sent.map(({ storeToken }) => storeToken)).toEqual(['token-s-1', 'token-new']);
    expect(seen.stores.get('s-1')?.state).toBe('connected');
  });

  test('is suspended when the new token is refused as well', async () => {
    const rotate: Reply = (products) => {
      const store = seen.stores.get('s-1') ?? expect.unreachable();
      seen.stores.set('s-1', { ...store, storeToken: 'token-new' });
      return fail({ code: 'AUTH_014' })(products);
    };
    const { sync, seen } = setUp([rotate, fail({ code: 'AUTH_014' })]);
    expect(await sync(simple(1))).toMatchObject({ putOff: 'STORE_NOT_CONNECTED' });
    expect(seen.stores.get('s-1')?.state).toBe('suspended');
  });
});

describe('what is no command', () => {
  test.each([
    ['order.magic.requested', {}, 'DETAIL_TYPE_UNKNOWN'],
    ['catalog.sync.requested', { products: [] }, 'EVENT_INVALID'],
    ['catalog.sync.requested', { products: simple(1), storeClientId: 's-9' }, 'STORE_UNKNOWN'],
  ])('%s %j is rejected as %s', async (detailType, detail, code) => {
    const { give, seen } = setUp();
    expect(await give(detailType, detail)).toMatchObject({ requests: 0, rejected: 1 });
    expect(seen.rejections).toEqual([expect.objectContaining({ code, eventId: 'event-1' })]);
    expect(seen.sent).toEqual([]);
  });
});

describe('an update', () => {
  const productId = externalIdOf(7);
  const update = (changes: object, replies: Reply[] = []) => {
    const { give, seen } = setUp(replies);
    return { seen, run: () => give('product.update.requested', { productId, changes, commandId: 'u-1' }) };
  };

  test('goes out without stock and price, which become changes of the listing', async () => {
    const { run, seen } = update({ name: 'New', price: 5, specialPrice: null, stock: 3 });
    expect(await run()).toMatchObject({ requests: 1, rejected: 0 });
    expect(seen.sent[0]).toMatchObject({
      call: 'updateProduct',
      products: [{ productId, changes: { name: 'New' } }],
    });
    expect(seen.changes).toEqual([
      {
        storeClientId: 's-1',
        commandId: 'u-1',
        occurredAt: NOW,
        prices: [{ id: productId, price: 5, specialPrice: null }],
        stocks: [{ id: productId, stock: 3 }],
      },
    ]);
  });

  test.each([90, null])(
    'gives a special price of %j alone to the listing, with the price it may go with',
    async (specialPrice) => {
      const { run, seen } = update({ specialPrice }, [() => ({ data: { id: productId, price: 100 } })]);
      expect(await run()).toMatchObject({ requests: 0, rejected: 0 });
      expect(seen.sent.map(({ call }) => call)).toEqual(['getProduct']);
      expect(seen.changes).toMatchObject([
        { prices: [{ id: productId, specialPrice, shownPrice: 100 }], stocks: [] },
      ]);
    },
  );

  test.each([
    ['has variants', { hasVariant: true, price: 100 }],
    ['shows no price', { price: null }],
  ])('of the special price alone is rejected when the product %s', async (_, product) => {
    const { run, seen } = update({ specialPrice: 90, name: 'New' }, [
      () => ({ data: { id: productId, ...product } }),
    ]);
    expect(await run()).toMatchObject({ requests: 0, rejected: 1 });
    expect(seen.rejections).toMatchObject([{ code: 'ROW_INVALID', field: 'detail.changes.specialPrice' }]);
    expect(seen.changes).toEqual([]);
  });

  test('of stock alone makes no request', async () => {
    const { run, seen } = update({ warehouses: [{ clientId: 'wh-1', stock: 3 }] });
    expect(await run()).toMatchObject({ requests: 0 });
    expect(seen.sent).toEqual([]);
    expect(seen.changes[0]?.stocks).toEqual([
      { id: productId, warehouses: [{ clientId: 'wh-1', stock: 3 }] },
    ]);
  });

  test.each([
    [{ price: -1 }, 'detail.changes.price'],
    [{ colour: 'red' }, 'detail.changes'],
    [{}, 'detail.changes'],
  ])('that breaks a rule is rejected: %j', async (changes, field) => {
    const { run, seen } = update(changes);
    expect(await run()).toMatchObject({ requests: 0, rejected: 1 });
    expect(seen.rejections).toEqual([expect.objectContaining({ code: 'ROW_INVALID', field, id: productId })]);
    expect(seen.changes).toEqual([]);
  });

  test('that the marketplace refuses is rejected, and not sent again', async () => {
    const { run, seen } = update({ name: 'New' }, [fail({ code: 'PRD_014' })]);
    await run();
    await run();
    expect(seen.rejections).toEqual([expect.objectContaining({ code: 'PRD_014', commandId: 'u-1' })]);
    expect(seen.sent).toHaveLength(1);
  });
});

describe('a special price on its own', () => {
  test('of a product that is not there is rejected', async () => {
    const { give, seen } = setUp([fail({ code: 'PRD_014' })]);
    const update = { productId: externalIdOf(1), changes: { specialPrice: 5 } };
    expect(await give('product.update.requested', update)).toMatchObject({ rejected: 1 });
    expect(seen.rejections).toMatchObject([{ code: 'PRD_014', id: externalIdOf(1) }]);
  });
});

describe('a deletion', () => {
  const ids = [externalIdOf(1), externalIdOf(2)];
  const missing = { code: 'PRD_014', message: 'not found', rowIndex: 1, id: ids[1] };

  test('rejects what is no id, and what the marketplace does not find', async () => {
    const { give, seen } = setUp([accept('none', [missing])]);
    expect(await give('product.delete.requested', { ids: [ids[0], 'x', ids[1]] })).toMatchObject({
      rejected: 2,
    });
    expect(seen.sent[0]).toMatchObject({ call: 'deleteProducts', products: [{ ids }] });
    expect(seen.rejections.map(({ code, rowIndex, id }) => [code, rowIndex, id])).toEqual([
      ['ROW_INVALID', 1, 'x'],
      ['PRD_014', 2, ids[1]],
    ]);
  });

  test('of many leaves the rest to another invocation in time, and sends none twice', async () => {
    const slowly: Reply = () => {
      time.now += 10_000;
      return { data: { errors: [] } };
    };
    const { give, seen, time } = setUp([slowly, slowly, slowly], { itemsPerRequest: 2 });
    const command = { ids: Array.from({ length: 6 }, (_, index) => externalIdOf(index)), commandId: 'd-1' };
    const deliver = (forMs: number) => give('product.delete.requested', command, time.now + forMs);
    expect(await deliver(20_000)).toMatchObject({ putOff: 'OUT_OF_TIME' });
    expect(seen.sent).toHaveLength(2);
    // Its time is up from the start, and it gets on all the same.
    expect(await deliver(0)).toMatchObject({ requests: 1 });
    expect(seen.sent.flatMap(({ products }) => products.flatMap(({ ids: sent }) => sent))).toEqual(
      command.ids,
    );
  });

  test('whose outcome was unknown finds nothing the second time, which is well', async () => {
    const cut = fail({ code: 'TIMEOUT', outcome: 'unknown', retryable: true });
    const { give, seen } = setUp([cut, accept('none', [missing])]);
    await give('product.delete.requested', { ids });
    expect(seen.rejections).toEqual([]);
  });

  test('whose rejections were not all reported when it died reports the same ones when it comes again', async () => {
    const { give, ports, seen } = setUp([accept('none', [missing])]);
    vi.spyOn(ports.events, 'publish').mockRejectedValueOnce(new Error('the bus is away'));
    await expect(give('product.delete.requested', { ids })).rejects.toThrow('the bus is away');
    await give('product.delete.requested', { ids });
    expect(seen.sent).toHaveLength(1);
    expect(seen.events).toMatchObject([{ detailType: 'rows.rejected', detail: { rows: [{ id: ids[1] }] } }]);
  });
});
