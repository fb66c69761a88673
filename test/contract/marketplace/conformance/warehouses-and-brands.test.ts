import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { NewWarehouse } from '../../../../shared/marketplace/warehouses.ts';
import { errorOf, send, signed } from './raw-request.ts';
import { openTarget } from './target.ts';

const target = await openTarget();
afterAll(() => target.close());

const { client } = target;
const store = target.store('several');

function newWarehouse(overrides: Partial<NewWarehouse> = {}): NewWarehouse {
  return {
    externalId: randomUUID(),
    warehouseName: `Warehouse ${randomUUID()}`,
    isMain: false,
    phone: '+622155501234',
    area: {
      provinceId: randomUUID(),
      cityId: randomUUID(),
      districtId: randomUUID(),
      subDistrictId: randomUUID(),
      latitude: '-6.2273',
      longitude: '106.8008',
      postalCode: '12190',
      address: 'Jalan Senopati 1',
    },
    ...overrides,
  };
}

describe('§4.14 create warehouse', () => {
  it('answers with id, externalId, clientId, name and isMain, and adds the warehouse to the store', async () => {
    const warehouse = newWarehouse();
    const { data } = await client.createWarehouse(store, warehouse);
    const { externalId, warehouseName } = warehouse;
    expect(data).toMatchObject({ id: expect.any(String), externalId, name: warehouseName, isMain: false });
    const { data: listed } = await client.listWarehouses(store);
    expect(listed).toContainEqual(
      expect.objectContaining({ clientId: data.clientId, warehouseName, externalId }),
    );
  });

  it('answers WAREHOUSE_013 to a name that exists in the store', async () => {
    const { warehouseName } = newWarehouse();
    await client.createWarehouse(store, newWarehouse({ warehouseName }));
    const call = client.createWarehouse(store, newWarehouse({ warehouseName }));
    await expect(call).rejects.toMatchObject({ code: 'WAREHOUSE_013', outcome: 'refused' });
  });

  it.each(['1219', '121900', 'abcde'])(
    'answers VAL_001, keyed by field, to the postal code %s',
    async (postalCode) => {
      const warehouse = newWarehouse();
      const body = JSON.stringify({ ...warehouse, area: { ...warehouse.area, postalCode } });
      const answer = await send(
        target,
        signed(target, { method: 'POST', path: '/partner/stores/warehouses', store, body }),
      );
      expect(errorOf(answer)).toMatchObject({
        code: 'VAL_001',
        details: { context: { validationErrors: { 'area.postalCode': expect.any(String) } } },
      });
    },
  );
});

describe('§4.15 list warehouses', () => {
  it('returns all warehouses of the store with their fields', async () => {
    const { data } = await client.listWarehouses(store);
    expect(data.length).toBeGreaterThanOrEqual(store.warehouses.length);
    for (const warehouse of data) {
      expect(warehouse).toMatchObject({
        id: expect.any(String),
        clientId: expect.any(String),
        warehouseName: expect.any(String),
        isMain: expect.any(Boolean),
        area: { postalCode: expect.stringMatching(/^\d{5}$/), latitude: expect.any(String) },
        syncStatus: expect.any(String),
        createdAt: expect.any(String),
      });
    }
  });

  it('returns an empty list for a store without warehouses', async () => {
    expect((await client.listWarehouses(target.store('none'))).data).toEqual([]);
  });
});

describe('§4.20 search brands', () => {
  it('needs no headers and returns pagination in meta, without a requestId', async () => {
    const answer = await client.searchBrands({ page: 1, limit: 3 });
    expect(answer.meta).toMatchObject({
      page: 1,
      limit: 3,
      total: expect.any(Number),
      totalPages: expect.any(Number),
    });
    expect(answer.data.length).toBeLessThanOrEqual(3);
    expect(answer).not.toHaveProperty('requestId');
  });

  it('finds brands by keyword, page by page', async () => {
    const { data } = await client.searchBrands({ limit: 1 });
    const q = data[0]?.name.slice(0, 3) ?? '';
    const names: string[] = [];
    for await (const { name } of client.iterateBrands({ q, limit: 2 })) names.push(name);
    expect(names).toContain(data[0]?.name);
    expect(names.filter((name) => !name.toLowerCase().includes(q.toLowerCase()))).toEqual([]);
  });

  it('answers VAL_001 for q to a keyword of one character', async () => {
    const answer = await send(target, { method: 'GET', path: '/partner/reference/brands?q=a', headers: {} });
    expect(errorOf(answer)).toMatchObject({
      code: 'VAL_001',
      details: { context: { validationErrors: { q: expect.any(String) } } },
    });
  });
});
