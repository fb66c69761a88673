import { externalIdOf, simpleProduct, variantProduct } from '../../../local/run/catalog.ts';

/** A request that a route accepts, without its store. */
export interface RouteSample {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
}

const orderId = externalIdOf(9);

/** A valid request of each route that needs more than a store. */
export const routeSamples: Readonly<Record<string, RouteSample>> = {
  'PUT /stores/{storeClientId}': { body: { storeToken: 'wrong' } },
  'POST /stores/onboarding': { body: {} },
  'POST /stores/{storeClientId}/stock': { body: { items: [{ sku: 'A', stock: 1 }] } },
  'POST /stores/{storeClientId}/prices': { body: { items: [{ sku: 'A', price: 1 }] } },
  'PUT /stores/{storeClientId}/price-guard': {
    body: { maxListingsPercent: 10, maxChangePercent: 50, windowMinutes: 60 },
  },
  'POST /dead-letters/{queue}/delete': {
    path: { queue: 'no-such' },
    body: { messageIds: [externalIdOf(9)], reason: 'sent by a test' },
  },
  'POST /stores/{storeClientId}/discard': { body: {} },
  'GET /stores/{storeClientId}/listings': { query: 'target=sku:A' },
  'POST /imports/{importId}/release': { path: { importId: 'no-such' }, body: {} },
  'POST /stores/{storeClientId}/drift/repair': { body: { targets: ['sku:A'] } },
  'POST /stores/{storeClientId}/reconcile': { body: { items: [{ sku: 'A', stock: 1 }] } },
  'POST /stores/{storeClientId}/catalog/sync': { body: { products: [simpleProduct(9)] } },
  'POST /stores/{storeClientId}/catalog/variants/sync': { body: { products: [variantProduct(9)] } },
  'POST /stores/{storeClientId}/products/bulk': { body: { products: [simpleProduct(9)] } },
  'POST /stores/{storeClientId}/products/with-variants/bulk': { body: { products: [variantProduct(9)] } },
  'POST /stores/{storeClientId}/products/deletions': { body: { ids: [externalIdOf(9)] } },
  'GET /stores/{storeClientId}/products/by-sku': { query: 'sku=A' },
  'PATCH /stores/{storeClientId}/products/{productId}': {
    path: { productId: externalIdOf(9) },
    body: { name: 'A' },
  },
  'GET /stores/{storeClientId}/products/{productId}': { path: { productId: externalIdOf(9) } },
  'POST /stores/{storeClientId}/warehouses': {
    body: {
      externalId: externalIdOf(9),
      warehouseName: 'A',
      isMain: false,
      phone: '+62',
      area: {
        provinceId: externalIdOf(1),
        cityId: externalIdOf(1),
        districtId: externalIdOf(1),
        subDistrictId: externalIdOf(1),
        latitude: '1',
        longitude: '1',
        postalCode: '40111',
        address: 'A',
      },
    },
  },
  'GET /stores/{storeClientId}/orders': { query: `orderId=${orderId}` },
  'GET /stores/{storeClientId}/orders/unknown': { query: 'limit=10' },
  'POST /stores/{storeClientId}/orders/decisions': { body: { items: [{ orderId, decision: 'accept' }] } },
  'POST /stores/{storeClientId}/orders/dropoffs': { body: { items: [{ orderId }] } },
  'POST /stores/{storeClientId}/orders/retry': { body: { orderId, action: 'decision' } },
  'POST /stores/{storeClientId}/orders/erase': { body: { orderId } },
  'POST /stores/{storeClientId}/orders/resolve': {
    body: { orderId, action: 'decision', outcome: 'accepted' },
  },
  'POST /stores/{storeClientId}/orders/{orderId}/documents/{document}': {
    path: { orderId, document: 'invoice' },
  },
  'GET /stores/{storeClientId}/orders/{orderId}/documents/{document}': {
    path: { orderId, document: 'invoice' },
  },
  'POST /batches/{batchId}/retry': { body: {} },
  'POST /batches/{batchId}/resolve': { body: { rows: [{ rowIndex: 0, outcome: 'accepted' }] } },
};

/** The path of a route with its parameters filled in. */
export function fillPath(key: string, parameters: Readonly<Record<string, string>>): string {
  const [, template = ''] = key.split(' ');
  return template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? `no-${name}`));
}
