import { namedUuid } from '../identifiers.ts';
import { Marketplace } from './marketplace.ts';
import { newStore, type Warehouse } from './store.ts';

export const PARTNERS = [
  { clientId: 'sandbox-partner', secretKey: 'sandbox-partner-secret' },
  { clientId: 'other-partner', secretKey: 'other-partner-secret' },
] as const;

/** A store's token is `token-` + its ID. */
export const STORES = [
  { clientId: 'store-0wh', partner: 'sandbox-partner', warehouses: 0, blocked: false },
  { clientId: 'store-1wh', partner: 'sandbox-partner', warehouses: 1, blocked: false },
  { clientId: 'store-2wh', partner: 'sandbox-partner', warehouses: 2, blocked: false },
  { clientId: 'store-blocked', partner: 'sandbox-partner', warehouses: 0, blocked: true },
  { clientId: 'store-other', partner: 'other-partner', warehouses: 0, blocked: false },
] as const;

/** The initial marketplace: stores without products or orders. */
export function fixtureMarketplace(): Marketplace {
  const marketplace = new Marketplace();
  for (const partner of PARTNERS) marketplace.partners.set(partner.clientId, partner);
  for (const { clientId, partner, warehouses, blocked } of STORES) {
    const store = newStore(clientId, partner, `token-${clientId}`);
    store.blocked = blocked;
    for (let number = 1; number <= warehouses; number += 1)
      store.warehouses.push(fixtureWarehouse(clientId, number));
    marketplace.stores.set(clientId, store);
  }
  return marketplace;
}

function fixtureWarehouse(storeClientId: string, number: number): Warehouse {
  const name = `${storeClientId}/wh-${number}`;
  return {
    id: namedUuid(`${name}/id`),
    externalId: namedUuid(`${name}/externalId`),
    clientId: `wh-${number}`,
    warehouseName: `Warehouse ${number}`,
    phone: `+62215550${number}00`,
    isMain: number === 1,
    area: {
      provinceId: namedUuid('province/DKI Jakarta'),
      cityId: namedUuid('city/Jakarta Selatan'),
      districtId: namedUuid('district/Kebayoran Baru'),
      subDistrictId: namedUuid('subDistrict/Senayan'),
      latitude: '-6.2273',
      longitude: '106.8008',
      postalCode: '12190',
      address: `Jalan Sandbox No. ${number}`,
    },
    createdAt: '2026-01-01T00:00:00.000Z',
  };
}
