import { describe, expect, it } from 'vitest';
import type { MarketplaceClient } from '../../../shared/marketplace/client.ts';
import type { TransportResponse } from '../../../shared/marketplace/transport.ts';
import { keepDocument } from '../../doubles/kept-document.ts';
import { answer, clientAnswering, STORE } from './fake-transport.ts';

const ID = '7b0a1f0e-52a5-4b1e-9a55-0c9a4f6f2f11';
const SIMPLE = { externalId: ID, name: 'Shoe', sku: 'A-1', price: 10_000 };
const VARIANT = {
  externalId: ID,
  name: 'Shoe',
  variants: {
    items: [{ sku: 'A-1-RED', price: 10_000, optionIndexes: [0] }],
    optionGroups: [{ level: 1, name: 'Colour', values: [{ label: 'Red' }] }],
  },
};
const AREA = {
  provinceId: ID,
  cityId: ID,
  districtId: ID,
  subDistrictId: ID,
  latitude: '-6.2',
  longitude: '106.8',
  postalCode: '12345',
  address: 'Jalan 1',
};
const WAREHOUSE = { externalId: ID, warehouseName: 'Main', isMain: true, phone: '+62 21', area: AREA };

const pagination = { page: 1, limit: 50, total: 0, totalPages: 0, hasNext: false, hasPrev: false };
const batch = answer(200, { success: true, data: { batchId: 'b-1' } });
const data = (value: unknown) => answer(200, { success: true, data: value });
const pdf: TransportResponse = {
  status: 200,
  headers: { 'content-type': 'application/pdf' },
  body: Buffer.from('%PDF-1.7 %%EOF'),
};

type Scope = 'none' | 'partner' | 'store';

interface Case {
  readonly section: string;
  readonly call: (client: MarketplaceClient) => Promise<unknown>;
  readonly request: string;
  readonly scope: Scope;
  readonly body?: unknown;
  readonly answer: TransportResponse;
}

const HEADERS: Record<Scope, string[]> = {
  none: [],
  partner: ['x-partner-client-id', 'x-timestamp', 'x-signature'],
  store: ['x-partner-client-id', 'x-store-client-id', 'x-store-token', 'x-timestamp', 'x-signature'],
};

const cases: Case[] = [
  {
    section: '4.1 createOnboardSession',
    call: (client) => client.createOnboardSession({ redirectUri: 'https://partner.example/cb' }),
    request: 'POST /partner/onboard/sessions',
    scope: 'partner',
    body: { redirectUri: 'https://partner.example/cb' },
    answer: answer(200, { onboardUrl: 'https://m.example/?t=1', sid: ID, requestId: ID }),
  },
  {
    section: '4.2 unbindStore',
    call: (client) => client.unbindStore({ storeClientId: 'store-1wh' }),
    request: 'POST /partner/stores/store-1wh/unbind',
    scope: 'partner',
    answer: data({ storeClientId: 'store-1wh', status: 'unbound' }),
  },
  {
    section: '4.3 syncCatalog',
    call: (client) => client.syncCatalog(STORE, { products: [SIMPLE] }),
    request: 'POST /partner/stores/catalog/sync',
    scope: 'store',
    body: { products: [SIMPLE] },
    answer: batch,
  },
  {
    section: '4.4 syncVariantCatalog',
    call: (client) => client.syncVariantCatalog(STORE, { products: [VARIANT] }),
    request: 'POST /partner/stores/catalog/variants/sync',
    scope: 'store',
    body: { products: [VARIANT] },
    answer: batch,
  },
  {
    section: '4.5 createProducts',
    call: (client) => client.createProducts(STORE, { products: [SIMPLE] }),
    request: 'POST /partner/stores/products/bulk',
    scope: 'store',
    body: { products: [SIMPLE] },
    answer: batch,
  },
  {
    section: '4.6 createVariantProducts',
    call: (client) => client.createVariantProducts(STORE, { products: [VARIANT] }),
    request: 'POST /partner/stores/products/with-variants/bulk',
    scope: 'store',
    body: { products: [VARIANT] },
    answer: batch,
  },
  {
    section: '4.7 updateProduct',
    call: (client) => client.updateProduct(STORE, { productId: ID, changes: { specialPrice: null } }),
    request: `PATCH /partner/stores/products/${ID}`,
    scope: 'store',
    body: { specialPrice: null },
    answer: data({ id: ID, externalId: ID, hasVariants: false, updatedFields: ['specialPrice'] }),
  },
  {
    section: '4.8 updatePrices',
    call: (client) => client.updatePrices(STORE, { items: [{ sku: 'A-1', price: 1, specialPrice: null }] }),
    request: 'PATCH /partner/stores/products/prices',
    scope: 'store',
    body: { items: [{ sku: 'A-1', price: 1, specialPrice: null }] },
    answer: batch,
  },
  {
    section: '4.9 updateStocks',
    call: (client) => client.updateStocks(STORE, { items: [{ sku: 'A-1', stock: 5, warehouses: ['wh-1'] }] }),
    request: 'PATCH /partner/stores/inventory',
    scope: 'store',
    body: { items: [{ sku: 'A-1', stock: 5, warehouses: ['wh-1'] }] },
    answer: batch,
  },
  {
    section: '4.10 deleteProducts',
    call: (client) => client.deleteProducts(STORE, { ids: [ID] }),
    request: 'POST /partner/stores/products/deletions',
    scope: 'store',
    body: { ids: [ID] },
    answer: data({ summary: { total: 1, succeeded: 1, failed: 0 }, successItems: [{ id: ID }], errors: [] }),
  },
  {
    section: '4.11 listProducts',
    call: (client) => client.listProducts(STORE, { q: 'red shoe', isArchived: true, page: 2, limit: 50 }),
    request: 'GET /partner/stores/products?q=red+shoe&isArchived=true&page=2&limit=50',
    scope: 'store',
    answer: answer(200, { success: true, data: [], pagination }),
  },
  {
    section: '4.12 getProduct',
    call: (client) => client.getProduct(STORE, { productId: ID, isVariantActive: true }),
    request: `GET /partner/stores/products/${ID}?isVariantActive=true`,
    scope: 'store',
    answer: data({ id: ID }),
  },
  {
    section: '4.13 getProductBySku',
    call: (client) => client.getProductBySku(STORE, { sku: 'A/1' }),
    request: 'GET /partner/stores/products/sku/A%2F1',
    scope: 'store',
    answer: data({ id: ID, matchedVariantSku: false }),
  },
  {
    section: '4.14 createWarehouse',
    call: (client) => client.createWarehouse(STORE, WAREHOUSE),
    request: 'POST /partner/stores/warehouses',
    scope: 'store',
    body: WAREHOUSE,
    answer: data({ id: ID, externalId: ID, clientId: 'wh-9', name: 'Main', isMain: true }),
  },
  {
    section: '4.15 listWarehouses',
    call: (client) => client.listWarehouses(STORE),
    request: 'GET /partner/stores/warehouses',
    scope: 'store',
    answer: data([{ clientId: 'wh-1' }]),
  },
  {
    section: '4.16 decideOrders',
    call: (client) => client.decideOrders(STORE, { items: [{ orderId: ID, decision: 'accept' }] }),
    request: 'POST /partner/stores/orders/decisions',
    scope: 'store',
    body: { items: [{ orderId: ID, decision: 'accept' }] },
    answer: answer(200, { success: true, message: 'done' }),
  },
  {
    section: '4.17 requestDropoffs',
    call: (client) => client.requestDropoffs(STORE, { items: [{ invoiceNumber: 'INV/1' }] }),
    request: 'POST /partner/stores/orders/dropoffs',
    scope: 'store',
    body: { items: [{ invoiceNumber: 'INV/1' }] },
    answer: data({
      requestId: ID,
      batchId: 'b-1',
      summary: { total: 1, accepted: 1, skipped: 0 },
      errors: [],
    }),
  },
  {
    section: '4.18 generateShippingLabel',
    call: (client) => client.generateShippingLabel(STORE, { orderId: ID, includeItems: true }, keepDocument),
    request: `POST /partner/stores/orders/${ID}/documents/shipping-label?includeItems=true`,
    scope: 'store',
    answer: pdf,
  },
  {
    section: '4.19 generateInvoice',
    call: (client) => client.generateInvoice(STORE, { orderId: ID }, keepDocument),
    request: `POST /partner/stores/orders/${ID}/documents/invoice`,
    scope: 'store',
    answer: pdf,
  },
  {
    section: '4.20 searchBrands',
    call: (client) => client.searchBrands({ q: 'ab' }),
    request: 'GET /partner/reference/brands?q=ab',
    scope: 'none',
    answer: answer(200, { success: true, data: [], meta: { page: 1, limit: 20, total: 0, totalPages: 0 } }),
  },
];

describe('an endpoint sends the request that the spec gives', () => {
  it.each(cases)('in $section', async ({ call, request, scope, body, answer: given }) => {
    const { client, sent } = clientAnswering([given]);
    await call(client);
    const [only] = sent;
    expect(`${only?.method} ${only?.url.replace('https://marketplace.example/api/v1', '')}`).toBe(request);
    expect(Object.keys(only?.headers ?? {}).filter((name) => name.startsWith('x-'))).toEqual(HEADERS[scope]);
    expect(only?.body && JSON.parse(Buffer.from(only.body).toString())).toEqual(body);
  });
});

describe('an iterator over pages', () => {
  it('returns the products of all pages', async () => {
    const page = (number: number, hasNext: boolean) =>
      answer(200, { data: [{ id: `p-${number}` }], pagination: { ...pagination, page: number, hasNext } });
    const { client, sent } = clientAnswering([page(1, true), page(2, true), page(3, false)]);
    const ids: string[] = [];
    for await (const { id } of client.iterateProducts(STORE, { limit: 1 })) ids.push(id);
    expect(ids).toEqual(['p-1', 'p-2', 'p-3']);
    expect(sent.map(({ url }) => new URL(url).searchParams.get('page'))).toEqual(['1', '2', '3']);
  });

  it('ends at an empty page that promises another', async () => {
    const { client, sent } = clientAnswering([
      answer(200, { data: [], pagination: { ...pagination, hasNext: true } }),
    ]);
    for await (const product of client.iterateProducts(STORE)) expect.unreachable(product.id);
    expect(sent).toHaveLength(1);
  });

  it('fetches only the pages that are consumed', async () => {
    const first = answer(200, { data: [{ id: 'p-1' }], pagination: { ...pagination, hasNext: true } });
    const { client, sent } = clientAnswering([first]);
    for await (const { id } of client.iterateProducts(STORE)) {
      expect(id).toBe('p-1');
      break;
    }
    expect(sent).toHaveLength(1);
  });

  it('returns the brands of all pages by the total in meta', async () => {
    const page = (number: number) =>
      answer(200, {
        data: [{ id: ID, name: `b-${number}` }],
        meta: { page: number, limit: 1, total: 2, totalPages: 2 },
      });
    const { client } = clientAnswering([page(1), page(2)]);
    const names: string[] = [];
    for await (const { name } of client.iterateBrands({ q: 'br' })) names.push(name);
    expect(names).toEqual(['b-1', 'b-2']);
  });
});
