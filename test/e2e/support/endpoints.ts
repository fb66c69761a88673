import { externalIdOf, simpleProduct, skuOf, variantProduct } from '../../../local/run/catalog.ts';
import type { EndpointWorld } from './endpoint-world.ts';

/** One way in which a partner reaches an endpoint through the stack. */
export interface Way {
  readonly kind: 'event' | 'file' | 'route';
  /** The event's `detail-type`, the folder of the file, or the route. */
  readonly name: string;
  /** Uses this way, and returns a check for its effect at the marketplace. */
  readonly take: (world: EndpointWorld) => Promise<() => Promise<boolean>>;
}

/** An endpoint of §4 of the spec, the ways to reach it, and where its result is found. */
export interface EndpointRow {
  readonly section: string;
  readonly title: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** The path at the marketplace, below `/api/v1`. */
  readonly path: string;
  readonly ways: readonly Way[];
  readonly comesBack: string;
}

const answer = "the marketplace's answer";
const batch = '`batch.completed`, `rows.rejected`, `GET /batches`';
const document = '`document.stored` or `document.failed`, the document bucket, `GET` of the same route';

const event = (name: string, detailOf: (world: EndpointWorld) => Promise<Effect>): Way => ({
  kind: 'event',
  name,
  take: async (world) => {
    const { input, effect } = await detailOf(world);
    await world.putEvent(name, input);
    return effect;
  },
});

const route = (name: string, callOf: (world: EndpointWorld) => Promise<RouteCall>): Way => ({
  kind: 'route',
  name,
  take: async (world) => {
    const { input, effect = always, ...parameters } = await callOf(world);
    await world.callRoute(name, parameters, input);
    return effect;
  },
});

/** A file of JSON with the content of an event. */
const file = (
  kind: 'catalog' | 'stock' | 'prices',
  contentOf: (world: EndpointWorld) => Promise<Effect>,
): Way => ({
  kind: 'file',
  name: `${kind}/…`,
  take: async (world) => {
    const { input, effect } = await contentOf(world);
    await world.putFile(kind, JSON.stringify(input));
    return effect;
  },
});

interface Effect {
  readonly input: object;
  readonly effect: () => Promise<boolean>;
}

interface RouteCall {
  readonly input?: object;
  readonly effect?: () => Promise<boolean>;
  /** Path parameters except the store, and query parameters after a `?`. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly storeClientId?: string;
}

const always = async () => true;

/** Creates products with new numbers, and checks that they are at the marketplace. */
const products = (make: (number: number) => object) => async (world: EndpointWorld) => {
  const number = world.nextNumber();
  const effect = async () => (await world.product(number)) !== undefined;
  return { input: { products: [make(number)] }, effect };
};

/** Updates an existing product. */
const rename = async (world: EndpointWorld) => {
  const { id, number } = await world.knownProduct();
  const name = `Renamed ${number}`;
  const effect = async () => (await world.product(number))?.name === name;
  return { id, changes: { name }, effect };
};

const price = async (world: EndpointWorld) => {
  const { number } = await world.knownProduct();
  const value = 77_000 + number;
  const effect = async () => (await world.product(number))?.price === value;
  return { input: { items: [{ sku: skuOf(number), price: value }] }, effect };
};

const stock = async (world: EndpointWorld) => {
  const { number } = await world.knownProduct();
  const effect = async () => (await world.product(number))?.stock === 1_000 + number;
  return { input: { items: [{ sku: skuOf(number), stock: 1_000 + number }] }, effect };
};

const deletion = async (world: EndpointWorld) => {
  const { id, number } = await world.knownProduct();
  return { input: { ids: [id] }, effect: async () => (await world.product(number)) === undefined };
};

const decision = async (world: EndpointWorld) => {
  const { orderId } = await world.order('pending');
  const effect = async () => (await world.orderAtMarketplace(orderId)).decisions.length === 1;
  return { input: { items: [{ orderId, decision: 'accept' }] }, effect };
};

const dropoff = async (world: EndpointWorld) => {
  const { orderId } = await world.order('confirmed');
  const effect = async () => (await world.orderAtMarketplace(orderId)).dropoffs.length === 1;
  return { input: { items: [{ orderId }] }, effect };
};

const documentEvent = (kind: string) => async (world: EndpointWorld) => {
  const { orderId } = await world.order('confirmed');
  return { input: { orderId, document: kind }, effect: () => world.hasDocument(orderId, kind) };
};

const documentRoute = (kind: string) => async (world: EndpointWorld) => {
  const { orderId } = await world.order('confirmed');
  return { path: { orderId }, effect: () => world.hasDocument(orderId, kind) };
};

/** The 20 endpoints; the table in docs/events.md is generated from them. */
export const endpoints: readonly EndpointRow[] = [
  {
    section: '4.1',
    title: 'Create onboard session',
    method: 'POST',
    path: '/partner/onboard/sessions',
    ways: [route('POST /stores/onboarding', async () => ({ input: {} }))],
    comesBack: 'the URL for the seller; then `store.connected`',
  },
  {
    section: '4.2',
    title: 'Unbind store',
    method: 'POST',
    path: '/partner/stores/{storeId}/unbind',
    ways: [route('POST /stores/{storeClientId}/unbind', async () => ({ storeClientId: 'store-0wh' }))],
    comesBack: '`store.unbound`',
  },
  {
    section: '4.3',
    title: 'Catalog sync (simple)',
    method: 'POST',
    path: '/partner/stores/catalog/sync',
    ways: [
      event('catalog.sync.requested', products(simpleProduct)),
      file('catalog', products(simpleProduct)),
      route('POST /stores/{storeClientId}/catalog/sync', products(simpleProduct)),
    ],
    comesBack: batch,
  },
  {
    section: '4.4',
    title: 'Catalog sync (with variants)',
    method: 'POST',
    path: '/partner/stores/catalog/variants/sync',
    ways: [
      event('catalog.sync.requested', products(variantProduct)),
      file('catalog', products(variantProduct)),
      route('POST /stores/{storeClientId}/catalog/variants/sync', products(variantProduct)),
    ],
    comesBack: batch,
  },
  {
    section: '4.5',
    title: 'Bulk create products (simple)',
    method: 'POST',
    path: '/partner/stores/products/bulk',
    ways: [
      event('product.create.requested', products(simpleProduct)),
      route('POST /stores/{storeClientId}/products/bulk', products(simpleProduct)),
    ],
    comesBack: batch,
  },
  {
    section: '4.6',
    title: 'Bulk create products with variants',
    method: 'POST',
    path: '/partner/stores/products/with-variants/bulk',
    ways: [
      event('product.create.requested', products(variantProduct)),
      route('POST /stores/{storeClientId}/products/with-variants/bulk', products(variantProduct)),
    ],
    comesBack: batch,
  },
  {
    section: '4.7',
    title: 'Update product (partial)',
    method: 'PATCH',
    path: '/partner/stores/products/{productId}',
    ways: [
      event('product.update.requested', async (world) => {
        const { id, changes, effect } = await rename(world);
        return { input: { productId: id, changes }, effect };
      }),
      route('PATCH /stores/{storeClientId}/products/{productId}', async (world) => {
        const { id, changes, effect } = await rename(world);
        return { path: { productId: id }, input: changes, effect };
      }),
    ],
    comesBack: `\`rows.rejected\`; of the route ${answer}`,
  },
  {
    section: '4.8',
    title: 'Update prices',
    method: 'PATCH',
    path: '/partner/stores/products/prices',
    ways: [
      event('price.changed', price),
      file('prices', price),
      route('POST /stores/{storeClientId}/prices', price),
    ],
    comesBack: `${batch}, \`GET /stores/{storeClientId}/listings\``,
  },
  {
    section: '4.9',
    title: 'Update stocks',
    method: 'PATCH',
    path: '/partner/stores/inventory',
    ways: [
      event('stock.changed', stock),
      file('stock', stock),
      route('POST /stores/{storeClientId}/stock', stock),
    ],
    comesBack: `${batch}, \`GET /stores/{storeClientId}/listings\``,
  },
  {
    section: '4.10',
    title: 'Delete products',
    method: 'POST',
    path: '/partner/stores/products/deletions',
    ways: [
      event('product.delete.requested', deletion),
      route('POST /stores/{storeClientId}/products/deletions', deletion),
    ],
    comesBack: `\`rows.rejected\`; of the route ${answer}`,
  },
  {
    section: '4.11',
    title: 'List products',
    method: 'GET',
    path: '/partner/stores/products',
    ways: [route('GET /stores/{storeClientId}/products', async () => ({ query: { limit: '2' } }))],
    comesBack: answer,
  },
  {
    section: '4.12',
    title: 'Get product',
    method: 'GET',
    path: '/partner/stores/products/{productId}',
    ways: [
      route('GET /stores/{storeClientId}/products/{productId}', async (world) => ({
        path: { productId: (await world.knownProduct()).id },
      })),
    ],
    comesBack: answer,
  },
  {
    section: '4.13',
    title: 'Get product by SKU',
    method: 'GET',
    path: '/partner/stores/products/sku/{sku}',
    ways: [
      route('GET /stores/{storeClientId}/products/by-sku', async (world) => ({
        query: { sku: skuOf((await world.knownProduct()).number) },
      })),
    ],
    comesBack: answer,
  },
  {
    section: '4.14',
    title: 'Create warehouse',
    method: 'POST',
    path: '/partner/stores/warehouses',
    ways: [
      route('POST /stores/{storeClientId}/warehouses', async (world) => ({
        input: newWarehouse(world.nextNumber()),
        storeClientId: 'store-2wh',
      })),
    ],
    comesBack: answer,
  },
  {
    section: '4.15',
    title: 'List warehouses',
    method: 'GET',
    path: '/partner/stores/warehouses',
    ways: [route('GET /stores/{storeClientId}/warehouses', async () => ({}))],
    comesBack: answer,
  },
  {
    section: '4.16',
    title: 'Order decisions (bulk)',
    method: 'POST',
    path: '/partner/stores/orders/decisions',
    ways: [
      event('order.decision.requested', decision),
      route('POST /stores/{storeClientId}/orders/decisions', decision),
    ],
    comesBack: '`orders.decided`, `orders.unknown`, `rows.rejected`, `GET /stores/{storeClientId}/orders`',
  },
  {
    section: '4.17',
    title: 'Request dropoffs (bulk)',
    method: 'POST',
    path: '/partner/stores/orders/dropoffs',
    ways: [
      event('order.dropoff.requested', dropoff),
      route('POST /stores/{storeClientId}/orders/dropoffs', dropoff),
    ],
    comesBack: `${batch}, \`orders.unknown\`, \`GET /stores/{storeClientId}/orders\``,
  },
  {
    section: '4.18',
    title: 'Generate shipping label',
    method: 'POST',
    path: '/partner/stores/orders/{orderId}/documents/shipping-label',
    ways: [
      event('order.document.requested', documentEvent('shipping-label')),
      route(
        'POST /stores/{storeClientId}/orders/{orderId}/documents/shipping-label',
        documentRoute('shipping-label'),
      ),
    ],
    comesBack: document,
  },
  {
    section: '4.19',
    title: 'Generate invoice',
    method: 'POST',
    path: '/partner/stores/orders/{orderId}/documents/invoice',
    ways: [
      event('order.document.requested', documentEvent('invoice')),
      route('POST /stores/{storeClientId}/orders/{orderId}/documents/invoice', documentRoute('invoice')),
    ],
    comesBack: document,
  },
  {
    section: '4.20',
    title: 'Search brands',
    method: 'GET',
    path: '/partner/reference/brands',
    ways: [route('GET /brands', async () => ({ query: { q: 'ba' } }))],
    comesBack: answer,
  },
];

function newWarehouse(number: number) {
  return {
    externalId: externalIdOf(number),
    warehouseName: `Warehouse ${number}`,
    isMain: false,
    phone: '+628155500100',
    area: {
      provinceId: externalIdOf(1),
      cityId: externalIdOf(2),
      districtId: externalIdOf(3),
      subDistrictId: externalIdOf(4),
      latitude: '-6.9',
      longitude: '107.6',
      postalCode: '40111',
      address: 'Jalan Merdeka 10, Bandung',
    },
  };
}
