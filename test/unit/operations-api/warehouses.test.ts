import { describe, expect, test } from 'vitest';
import { marketplaceRoutes } from '../../../functions/operations-api/marketplace.ts';
import { MarketplaceError } from '../../../shared/marketplace/errors.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { requestTo } from './request.ts';

const NOW = Date.UTC(2026, 10, 22, 8);
const at = new Date(NOW).toISOString();
const storeClientId = 's-1';

const lostAnswer = new MarketplaceError({
  code: 'TIMEOUT',
  message: 'm',
  outcome: 'unknown',
  retryable: true,
});

/** The routes over a connected store with one warehouse. */
async function setUp(failure?: Error) {
  const stores = inMemoryStoreTable();
  await stores.put({
    storeClientId,
    storeToken: 't',
    state: 'connected',
    names: { products: 'sku', orders: 'orderId' },
    connectedAt: at,
    updatedAt: at,
  });
  const unused = () => expect.unreachable();
  const routes = marketplaceRoutes({
    stores,
    pageSize: 50,
    marketplace: {
      listProducts: unused,
      getProduct: unused,
      getProductBySku: unused,
      searchBrands: unused,
      listWarehouses: async () => ({ success: true, data: [{ clientId: 'new' }] }),
      createWarehouse: async () => {
        if (failure) throw failure;
        return { success: true, data: { clientId: 'new' } };
      },
    },
    events: { publish: async () => undefined },
    clock: { now: () => NOW },
  });
  return (method: string, body?: unknown) => {
    const route =
      routes.find(({ key }) => key.startsWith(`${method} /stores/{storeClientId}/warehouses`)) ??
      expect.unreachable();
    return route.handle(requestTo(route.key, { pathParameters: { storeClientId }, body }));
  };
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
  test('are listed and created with the envelope of the marketplace', async () => {
    const call = await setUp();
    expect(await call('GET')).toMatchObject({ status: 200, body: { data: [{ clientId: 'new' }] } });
    expect(await call('POST', warehouse)).toMatchObject({ status: 200, body: { data: { clientId: 'new' } } });
  });

  test('are answered without the parts of a refusal that are too large to read', async () => {
    const context = { orderId: 'o-1', all: 'x'.repeat(1_000_000) };
    const refusal = {
      code: 'VAL_001',
      message: 'no',
      outcome: 'refused',
      retryable: false,
      context,
    } as const;
    const call = await setUp(new MarketplaceError(refusal));
    await expect(call('POST', warehouse)).rejects.toMatchObject({
      status: 400,
      details: { marketplace: { context: { orderId: 'o-1', isCut: true } } },
    });
  });

  test('are answered with 504 when the answer to a creation was lost', async () => {
    const call = await setUp(lostAnswer);
    await expect(call('POST', warehouse)).rejects.toMatchObject({ status: 504, code: 'TIMEOUT' });
  });
});
