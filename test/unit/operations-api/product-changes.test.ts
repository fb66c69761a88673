import { describe, expect, test } from 'vitest';
import { productChangeRoutes } from '../../../functions/operations-api/product-changes.ts';
import { externalIdOf } from '../../../local/run/catalog.ts';
import { createProductDomain } from '../../../shared/products/product-domain.ts';
import { accept, type Reply, setUpBulk } from '../products/bulk-setup.ts';
import { answer, cutAlways, NOW, productId, setUp, store } from '../products/update-setup.ts';
import { fail } from '../support/failure.ts';
import { performedQueue } from './performed-queue.ts';
import { requestTo } from './request.ts';

const settings = { itemsPerRequest: 100, batchDeadlineMs: 900_000 };

type Ports = ReturnType<typeof setUp>['ports'];
type Given = { requestId?: string; query?: Record<string, string> };

/** Calls a route whose commands are performed over these ports. */
function callerOf(
  method: string,
  ports: Ports,
  time: { now: number },
  pathParameters: Record<string, string>,
) {
  const domain = createProductDomain({ ...ports, ...settings } as never);
  const { queue, queued, ports: own } = performedQueue(ports as never, domain, time);
  const routes = productChangeRoutes({ ...own, productCommands: queue });
  const route = routes.find(({ key }) => key.startsWith(method)) ?? expect.unreachable();
  const call = (body: object, over: Given = {}) =>
    route.handle(requestTo(route.key, { pathParameters, body, ...over }));
  return { call, queued };
}

function setUpRoute(...given: Parameters<typeof setUp>) {
  const setup = setUp(...given);
  const { ports, time } = setup;
  const { call: patch, queued } = callerOf('PATCH', ports, time, { storeClientId: 's-1', productId });
  return { ...setup, patch, queued };
}

describe('an update by route', () => {
  test('is answered by the marketplace, and its price and stock change the listing', async () => {
    const { patch, sent, changes } = setUpRoute();
    expect(await patch({ name: 'New', price: 5 }, { query: { version: '7' } })).toEqual({
      status: 200,
      body: answer,
    });
    expect(sent()).toEqual([{ name: 'New' }]);
    expect(changes).toMatchObject([{ commandId: 'request-1', version: 7, prices: [{ sku: 'A', price: 5 }] }]);
  });

  test('with price and stock only is queued', async () => {
    const { patch, changes } = setUpRoute();
    expect(await patch({ stock: 0 })).toMatchObject({ status: 202, body: { data: { id: productId } } });
    expect(changes).toMatchObject([{ time: NOW, stocks: [{ sku: 'A', stock: 0 }] }]);
  });

  test.each(['', ' ', '-1', '1.5', 'x'])('with the version "%s" is refused', async (version) => {
    const { patch, changes } = setUpRoute();
    await expect(patch({ price: 5 }, { query: { version } })).rejects.toMatchObject({ status: 400 });
    expect(changes).toEqual([]);
  });

  test.each([
    ['VAL_001', 400],
    ['PRD_014', 404],
  ])('that is refused with %s is answered with %d and changes no price or stock', async (code, status) => {
    const { patch, changes } = setUpRoute([fail({ code, requestId: 'r-1' })]);
    const details = { marketplace: { outcome: 'refused', requestId: 'r-1' } };
    await expect(patch({ name: 'New', stock: 0 })).rejects.toMatchObject({ status, code, details });
    expect(changes).toEqual([]);
  });

  test('that does not fit the product is refused with the reason', async () => {
    const { patch } = setUpRoute([], { hasVariant: true });
    await expect(patch({ price: 5 })).rejects.toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
  });

  test('that has no answer is answered with 202 and its reason: it goes on while its caller does not wait', async () => {
    const { patch, changes } = setUpRoute(cutAlways);
    expect(await patch({ name: 'A' })).toMatchObject({
      status: 202,
      body: {
        commandId: 'request-1',
        state: 'waiting',
        code: 'CONNECTION_CUT',
        trace: '/trace?commandId=request-1',
      },
    });
    expect(await patch({ name: 'B', stock: 1 }, { requestId: 'r-2' })).toMatchObject({
      status: 202,
      body: { state: 'waiting', code: 'PRODUCT_BUSY' },
    });
    expect(changes).toEqual([]);
  });

  test('is only queued when its caller does not wait', async () => {
    const { patch, sent, queued } = setUpRoute();
    expect(await patch({ name: 'A' }, { query: { wait: '0' } })).toMatchObject({
      status: 202,
      body: { commandId: 'request-1', state: 'queued' },
    });
    expect(sent()).toEqual([]);
    expect(queued.map((body) => JSON.parse(body))).toMatchObject([
      {
        id: 'request-1',
        'detail-type': 'product.update.requested',
        detail: { productId, changes: { name: 'A' } },
      },
    ]);
  });

  test.each(['', '-1', '21', '1.5', 'x'])('with the wait "%s" is refused', async (wait) => {
    const { patch, queued } = setUpRoute();
    await expect(patch({ name: 'A' }, { query: { wait } })).rejects.toMatchObject({ status: 400 });
    expect(queued).toEqual([]);
  });

  test('is refused when a command with a later time has set all its fields', async () => {
    const { patch, update, at, sent } = setUpRoute();
    await update('later', { name: 'B' }, at(4));
    await expect(patch({ name: 'A' })).rejects.toMatchObject({ status: 409, code: 'OVERTAKEN' });
    expect(await patch({ name: 'A', weight: 1 }, { requestId: 'r-2' })).toMatchObject({ status: 200 });
    expect(sent()).toEqual([{ name: 'B' }, { weight: 1 }]);
  });

  test('replaces values of a command dated far ahead', async () => {
    const { patch, update, at, sent } = setUpRoute();
    await update('far', { name: 'Far' }, at(60 * 24 * 365));
    expect(await patch({ name: 'Now' })).toMatchObject({ status: 200 });
    expect(sent()).toEqual([{ name: 'Now' }]);
  });

  test('needs a known and connected store, and is not queued without one', async () => {
    const { patch, stores, queued } = setUpRoute();
    stores.set('s-1', { ...store, state: 'suspended' });
    await expect(patch({ name: 'A' })).rejects.toMatchObject({
      status: 409,
      code: 'STORE_NOT_CONNECTED',
      message:
        'store s-1 is suspended: the command was not queued, give it again once the store is connected',
    });
    stores.clear();
    await expect(patch({ name: 'A' })).rejects.toMatchObject({ status: 404, code: 'STORE_UNKNOWN' });
    expect(queued).toEqual([]);
  });

  test('that is discarded while it waits is refused', async () => {
    const { patch, stores, sent } = setUpRoute();
    const suspended = { ...store, discardedAt: new Date(NOW + 1_000).toISOString() };
    stores.set('s-1', suspended);
    await expect(patch({ name: 'A' })).rejects.toMatchObject({ status: 409, code: 'COMMAND_DISCARDED' });
    expect(sent()).toEqual([]);
  });
});

describe('a deletion by route', () => {
  const ids = [1, 2, 3].map(externalIdOf);
  const missing = { code: 'PRD_014', message: 'not found', rowIndex: 1, id: ids[1] };
  const deleted: Reply = (rows) => ({
    success: true,
    message: 'Products deleted',
    requestId: 'r-1',
    data: {
      summary: { total: rows.length, succeeded: rows.length - 1, failed: 1 },
      successItems: rows.filter((id) => id !== ids[1]).map((id) => ({ id, externalId: `x-${id}` })),
      errors: [missing],
    },
  });
  const setUpDeletions = (replies: readonly Reply[]) => {
    const setup = setUpBulk(replies);
    const ports = { ...setup.ports, calls: setup.calls } as unknown as Ports;
    return { ...setup, ...callerOf('POST', ports, setup.time, { storeClientId: 's-1' }) };
  };

  test('is answered with the envelope of the marketplace: what was deleted, and each error with its row', async () => {
    const { call } = setUpDeletions([deleted]);
    expect(await call({ ids })).toEqual({
      status: 200,
      body: {
        success: true,
        message: 'Products deleted',
        requestId: 'r-1',
        data: {
          summary: { total: 3, succeeded: 2, failed: 1 },
          successItems: [ids[0], ids[2]].map((id) => ({ id, externalId: `x-${id}` })),
          errors: [missing],
        },
      },
    });
  });

  test('has a record of its request, which its ID and that of the marketplace lead to', async () => {
    const { call, ports, rejected } = setUpDeletions([deleted]);
    await call({ ids });
    const plans = await ports.requests.getPlans(['product.delete.requested#3#s-1#request-1']);
    const [recordId = ''] = [...plans.values()].flatMap((plan) => plan.recordIds);
    expect(await ports.requests.get(recordId)).toMatchObject({ kind: 'product-deletion', state: 'answered' });
    expect(await ports.requests.aliasOf('r-1')).toMatchObject({ recordId });
    expect(rejected()).toMatchObject([{ code: 'PRD_014', commandId: 'request-1', rowIndex: 1 }]);
  });

  test('that the marketplace refuses whole for one of its IDs deletes the others', async () => {
    const refuse = fail({ code: 'PRD_014', status: 404 });
    const done = accept('b');
    const { call, sent } = setUpDeletions([refuse, done, refuse]);
    expect(await call({ ids: ids.slice(0, 2) })).toMatchObject({
      status: 200,
      body: {
        data: { summary: { total: 2, succeeded: 1, failed: 1 }, errors: [{ rowIndex: 1, id: ids[1] }] },
      },
    });
    expect(sent.map(({ rows }) => rows)).toEqual([ids.slice(0, 2), [ids[0]], [ids[1]]]);
  });

  test('that deletes nothing is answered with the refusal of the marketplace', async () => {
    const { call } = setUpDeletions([fail({ code: 'PRD_014', status: 404, requestId: 'r-2' })]);
    await expect(call({ ids: ids.slice(0, 1) })).rejects.toMatchObject({
      status: 404,
      code: 'PRD_014',
      details: { marketplace: { outcome: 'refused', requestId: 'r-2' } },
    });
  });

  test('counts an ID as unknown that the answer does not settle', async () => {
    const unsettled: Reply = (rows) => ({
      success: true,
      data: { summary: { total: rows.length, failed: 1 } },
    });
    const { call } = setUpDeletions([unsettled]);
    expect(await call({ ids: ids.slice(0, 1) })).toMatchObject({
      body: {
        data: {
          summary: { total: 1, succeeded: 0, failed: 0, unknown: 1 },
          errors: [{ code: 'ROW_UNCLEAR' }],
        },
      },
    });
  });

  test('of a product that an earlier try of unknown outcome has deleted counts as done', async () => {
    const cut = fail({ code: 'CONNECTION_CUT', outcome: 'unknown', retryable: true });
    const { call } = setUpDeletions([cut, fail({ code: 'PRD_014', status: 404 })]);
    expect(await call({ ids: ids.slice(0, 1) })).toMatchObject({
      status: 200,
      body: { data: { summary: { total: 1, succeeded: 1, failed: 0 }, errors: [] } },
    });
  });
});
