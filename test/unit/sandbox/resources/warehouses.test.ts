import { describe, expect, it } from 'vitest';
import { externalId, useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();
const CREATE = 'POST /partner/stores/warehouses';

function warehouse(changes: Record<string, unknown> = {}, area: Record<string, unknown> = {}) {
  return {
    externalId: externalId(1),
    warehouseName: 'North',
    isMain: true,
    phone: '+62215550123',
    area: {
      provinceId: externalId(11),
      cityId: externalId(12),
      districtId: externalId(13),
      subDistrictId: externalId(14),
      latitude: '-6.2',
      longitude: '106.8',
      postalCode: '12190',
      address: 'Jalan Sandbox 1',
      ...area,
    },
    ...changes,
  };
}

describe('creating a warehouse', () => {
  it('gives it a client ID for stock payloads, and lists it', async () => {
    const { status, json } = await sandbox.call(CREATE, { body: warehouse() });
    expect(status).toBe(200);
    expect(json.data).toEqual({
      id: expect.any(String),
      externalId: externalId(1),
      clientId: 'wh-1',
      name: 'North',
      isMain: true,
    });
    const listed = await sandbox.call('GET /partner/stores/warehouses');
    expect(listed.json.data).toEqual([
      {
        ...warehouse(),
        id: json.data.id,
        clientId: 'wh-1',
        syncStatus: 'synced',
        createdAt: expect.any(String),
      },
    ]);
  });

  it('takes over what the listing had when it is the first', async () => {
    await sandbox.seed('store-0wh', { sku: 'A', stock: 4 });
    await sandbox.call(CREATE, { body: warehouse() });
    const [live] = await sandbox.live('store-0wh');
    expect(live).toMatchObject({ stock: 4, warehouses: [{ clientId: 'wh-1', stock: 4 }] });
  });

  it('leaves one main warehouse', async () => {
    await sandbox.call(CREATE, { store: 'store-2wh', body: warehouse() });
    const { json } = await sandbox.call('GET /partner/stores/warehouses', { store: 'store-2wh' });
    expect(json.data.map(({ isMain }: { isMain: boolean }) => isMain)).toEqual([false, false, true]);
  });

  it('is WAREHOUSE_013 for a name that the store has', async () => {
    await sandbox.call(CREATE, { body: warehouse() });
    const { status, json } = await sandbox.call(CREATE, { body: warehouse() });
    expect([status, json.error.code]).toEqual([409, 'WAREHOUSE_013']);
    expect((await sandbox.call(CREATE, { store: 'store-1wh', body: warehouse() })).status).toBe(200);
  });

  it.each([
    ['area.postalCode', warehouse({}, { postalCode: '1219' })],
    ['area.postalCode', warehouse({}, { postalCode: 12190 })],
    ['area.latitude', warehouse({}, { latitude: -6.2 })],
    ['area.cityId', warehouse({}, { cityId: 'Jakarta' })],
    ['warehouseName', warehouse({ warehouseName: undefined })],
    ['externalId', warehouse({ externalId: 'x' })],
    ['isMain', warehouse({ isMain: 'yes' })],
  ])('is VAL_001 with an error for %s', async (field, body) => {
    const { status, json } = await sandbox.call(CREATE, { body });
    expect([status, json.error.code]).toEqual([400, 'VAL_001']);
    expect(Object.keys(json.error.details.context.validationErrors)).toEqual([field]);
  });
});
