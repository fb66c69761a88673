import { describe, expect, test } from 'vitest';
import { warehouseRoutes } from '../../../functions/operations-api/warehouses.ts';
import { MarketplaceError } from '../../../shared/marketplace/errors.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { requestTo } from './request.ts';

const NOW = Date.UTC(2026, 10, 22, 8);
const at = new Date(NOW).toISOString();
const DOUBTED = new Date(0).toISOString();
const storeClientId = 's-1';
const storePath = { pathParameters: { storeClientId } };

const lostAnswer = new MarketplaceError({
  code: 'TIMEOUT',
  message: 'm',
  outcome: 'unknown',
  retryable: true,
});

/** The routes over a connected store of which these warehouses are remembered; it has one of the name `new`. */
async function setUp(warehouses?: Store['warehouses'], failure?: Error) {
  const stores = inMemoryStoreTable();
  const times = { connectedAt: at, updatedAt: at };
  await stores.put({
    storeClientId,
    storeToken: 't',
    state: 'connected',
    names: { products: 'sku', orders: 'orderId' },
    ...times,
    ...(warehouses && { warehouses }),
  });
  const routes = warehouseRoutes({
    stores,
    marketplace: {
      listWarehouses: async () => ({ success: true, data: [{ clientId: 'new' }] }),
      createWarehouse: async () => {
        if (failure) throw failure;
        return { success: true, data: { clientId: 'new' } };
      },
    },
    events: { publish: async () => undefined },
    clock: { now: () => NOW },
  });
  const call = (method: string, body?: unknown) => {
    const route = routes.find(({ key }) => key.startsWith(method)) ?? expect.unreachable();
    return route.handle(requestTo(route.key, { ...storePath, body }));
  };
  return { call, remembered: async () => (await stores.get(storeClientId))?.warehouses };
}

const ID = '0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
const warehouse = {
  externalId: ID,
  warehouseName: 'New',
  isMain: false,
  phone: '+62',
  area: {
    provinceId: ID,
    cityId: ID,
    districtId: ID,
    subDistrictId: ID,
    latitude: '0',
    longitude: '0',
    postalCode: '10110',
    address: 'Street 1',
  },
};

describe('warehouses by route', () => {
  test('are remembered as they are listed', async () => {
    const { call, remembered } = await setUp({ clientIds: ['gone'], readAt: DOUBTED });
    expect(await call('GET')).toMatchObject({ status: 200, body: { data: [{ clientId: 'new' }] } });
    expect(await remembered()).toEqual({ clientIds: ['new'], readAt: at });
  });

  test.each([
    ['good', at],
    ['doubted', DOUBTED],
  ])('leave a list that was %s in doubt after a creation', async (_, readAt) => {
    const { call, remembered } = await setUp({ clientIds: ['old'], readAt });
    expect(await call('POST', warehouse)).toMatchObject({ status: 200, body: { data: { clientId: 'new' } } });
    expect(await remembered()).toEqual({ clientIds: ['old'], readAt: DOUBTED });
  });

  test('make no list of one creation', async () => {
    const { call, remembered } = await setUp();
    await call('POST', warehouse);
    expect(await remembered()).toBeUndefined();
  });

  test('leave the list in doubt after a creation whose answer was lost', async () => {
    const { call, remembered } = await setUp({ clientIds: ['old'], readAt: at }, lostAnswer);
    await expect(call('POST', warehouse)).rejects.toMatchObject({ status: 504, code: 'TIMEOUT' });
    expect(await remembered()).toEqual({ clientIds: ['old'], readAt: DOUBTED });
  });
});
