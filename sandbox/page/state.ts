import type { Batch } from '../batches/batch.ts';
import { ENDPOINTS } from '../resources/index.ts';
import type { Marketplace } from '../state/marketplace.ts';
import { type Order, SUB_STATUSES } from '../state/order.ts';
import { aggregateStock, leadingVariant, type Product } from '../state/product.ts';
import { KEPT_CONTENTS } from '../state/request-log.ts';
import type { Store } from '../state/store.ts';
import type { World } from '../world.ts';
import { curlExample } from './curl-example.ts';

/** Each list on the page has at most this many entries, the newest first. Older requests have no contents. */
const SHOWN = KEPT_CONTENTS;

/** The data of the page's lists. Details are read by further requests. */
export function pageState(world: World, sandboxUrl: string) {
  const { marketplace, webhooks } = world;
  const { requests, orders, limits, faults, clockOffsetMs } = marketplace;
  const stores = [...marketplace.stores.values()];
  const batches = [...marketplace.batches.values()];
  const products = stores.flatMap((store) => store.catalog.all().map((product) => ({ store, product })));
  const deliveries = batches
    .flatMap(deliveriesOf)
    .toSorted((left, right) => (left.time < right.time ? -1 : 1));
  const { requestsPerSecond = null, maxItems = null } = limits;
  const { url = null, secret, for: summarized } = webhooks.settings;
  return {
    sandboxUrl,
    curlExample: curlExample(sandboxUrl),
    subStatuses: SUB_STATUSES,
    paths: [...new Set(ENDPOINTS.map(({ path }) => path.replaceAll(/\{\w+\}/g, '*')))],
    partners: [...marketplace.partners.values()],
    settings: {
      limits: { requestsPerSecond, maxItems },
      clockOffsetMs,
      webhook: { url, for: summarized, ownSecret: secret !== undefined },
    },
    counts: {
      requests: requests.size,
      stores: stores.length,
      batches: batches.length,
      orders: orders.length,
      products: products.length,
      webhooks: deliveries.length,
      faults: faults.rules().length,
    },
    requests: newest(requests.since(requests.size - SHOWN)),
    stores: stores.map((store) => storeRow(store, marketplace)),
    batches: newest(batches).map(batchRow),
    orders: newest(orders).map(orderRow),
    products: newest(products).map(({ store, product }) => productRow(store, product)),
    deliveries: newest(deliveries),
    faults: faults.rules(),
  };
}

function newest<T>(list: readonly T[]): T[] {
  return list.slice(-SHOWN).reverse();
}

function storeRow(store: Store, { orders }: Marketplace) {
  const { clientId, partnerClientId, token, state, blocked, warehouses, catalog } = store;
  return {
    clientId,
    partnerClientId,
    token,
    state: blocked ? 'blocked' : state,
    warehouses: warehouses.map((warehouse) => warehouse.clientId),
    products: catalog.size,
    orders: orders.filter((order) => order.storeClientId === clientId).length,
  };
}

function batchRow(batch: Batch) {
  const { batchId, kind, storeClientId, acceptedAt, total, deliveries } = batch;
  return {
    batchId,
    kind,
    storeClientId,
    acceptedAt,
    total,
    failed: (batch.result ?? batch).errors.length,
    state: batch.result === undefined ? 'waiting' : 'applied',
    deliveries: deliveries.length,
  };
}

function deliveriesOf({ batchId, kind, storeClientId, deliveries }: Batch) {
  return deliveries.map(({ time, outcome }, index) => ({
    key: `${batchId}/${index}`,
    attempt: index + 1,
    batchId,
    kind,
    storeClientId,
    time,
    outcome,
  }));
}

function orderRow(order: Order) {
  const { orderId, invoiceNumber, storeClientId, subStatus, complained, createdAt, decisions, dropoffs } =
    order;
  return {
    orderId,
    invoiceNumber,
    storeClientId,
    subStatus,
    complained,
    createdAt,
    decisions: decisions.length,
    dropoffs: dropoffs.length,
  };
}

function productRow(store: Store, product: Product) {
  const { price, specialPrice } = leadingVariant(product)?.offer ?? product.offer;
  return {
    id: product.id,
    storeClientId: store.clientId,
    sku: product.sku ?? product.variants.map((variant) => variant.sku).join(', '),
    name: product.attributes.name ?? '',
    externalId: product.externalId ?? null,
    price,
    specialPrice,
    stock: aggregateStock(product),
    variants: product.variants.length,
  };
}
