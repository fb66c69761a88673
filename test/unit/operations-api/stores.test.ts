import { expect, test } from 'vitest';
import { storeRoutes } from '../../../functions/operations-api/stores.ts';
import type { RequestRecord } from '../../../shared/requests/model.ts';
import { inMemoryLaneTable } from '../../doubles/in-memory-lane-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { inMemoryRequestTable } from '../../doubles/in-memory-request-table.ts';
import { connectedStore, storePorts } from '../stores/store-ports.ts';
import { requestTo } from './request.ts';

const at = '2026-11-21T08:00:00.000Z';

function requestOf(storeClientId: string, recordId: string): RequestRecord {
  return {
    recordId,
    storeClientId,
    kind: 'order-decision',
    commands: [{ commandId: 'c-1', eventId: 'e-1', detailType: 'd', time: 0, recordIds: [recordId] }],
    rows: [{ command: 0, index: 0, orderId: 'o-1' }],
    requestKey: 'k',
    state: 'sent',
    tries: 1,
    uncertain: false,
    createdAt: at,
    touchedAt: at,
  };
}

/** Renames the products of store `s-1` by route. */
async function setUp() {
  const { ports } = storePorts();
  await ports.stores.put(connectedStore());
  const requests = inMemoryRequestTable();
  const orders = inMemoryOrderTable();
  const routes = storeRoutes({
    ...ports,
    lanes: inMemoryLaneTable(),
    listings: inMemoryListingTable(),
    tickets: { send: async () => undefined },
    requests,
    orders,
    newId: () => 'lease',
  });
  const routeOf = (method: string, end: string) =>
    routes.find(({ key }) => key.startsWith(method) && key.endsWith(end)) ?? expect.unreachable();
  const route = routeOf('PUT', '}');
  const request = requestTo(route.key, {
    pathParameters: { storeClientId: 's-1' },
    body: { names: { products: 'id' } },
  });
  return { requests, orders, rename: () => route.handle(request) };
}

test('a store keeps its names while one of its requests is open, and changes them once that is applied', async () => {
  const { requests, rename } = await setUp();
  await requests.update('r-1', () => requestOf('s-1', 'r-1'));
  await expect(rename()).rejects.toMatchObject({ status: 409, code: 'STORE_BUSY' });
  await requests.update('r-1', (current) => current && { ...current, state: 'answered', appliedAt: at });
  expect(await rename()).toMatchObject({ status: 200, body: { names: { products: 'id' } } });
});

test('a store keeps its names while the outcome of an order is unknown, as the order could be decided again', async () => {
  const { orders, rename } = await setUp();
  const decision = {
    state: 'unknown',
    commandId: 'c-1',
    recordId: 'r-1',
    startedAt: at,
    endedAt: at,
  } as const;
  const order = { storeClientId: 's-1', orderKey: 'orderId:1', orderId: '1' };
  await orders.update('s-1', order.orderKey, () => ({ ...order, decision }));
  await expect(rename()).rejects.toMatchObject({ status: 409, code: 'STORE_BUSY' });
  await orders.update('s-1', order.orderKey, () => ({
    ...order,
    decision: { ...decision, state: 'accepted' },
  }));
  expect(await rename()).toMatchObject({ status: 200, body: { names: { products: 'id' } } });
});

test('open requests of other stores do not prevent a change of names', async () => {
  const { requests, rename } = await setUp();
  await requests.update('r-2', () => requestOf('s-2', 'r-2'));
  expect(await rename()).toMatchObject({ status: 200, body: { names: { products: 'id' } } });
});

test('a store keeps its names when more requests are open than are checked', async () => {
  const { requests, rename } = await setUp();
  for (let id = 0; id < 1001; id += 1) await requests.update(`r-${id}`, () => requestOf('s-2', `r-${id}`));
  await expect(rename()).rejects.toMatchObject({ status: 409, code: 'STORE_BUSY' });
});
