import { type Endpoint, type StoreContext, storeEndpoint } from '../api/endpoint.ts';
import type { BatchKind } from '../batches/batch.ts';
import { planSimpleProduct, planVariantProduct } from '../rules/product-creation.ts';
import { planRows } from '../rules/rows.ts';
import { batchAnswer, bulkBody } from '../schemas/common.ts';
import { productRow } from '../schemas/product.ts';
import { batchAnswered } from './batch-answer.ts';

const body = bulkBody('products');

type Planner = typeof planSimpleProduct;

function importer(kind: BatchKind, planner: Planner) {
  return (call: StoreContext & { body: { products: unknown[] } }) => {
    const plan = planRows(productRow, call.body.products, planner(call.store, call.newId));
    return batchAnswered('Products queued for processing', call.submit({ kind, ...plan }));
  };
}

/** §4.3 – 4.6: creation of products in bulk. */
export const productImports: Endpoint[] = [
  storeEndpoint({
    operationId: 'syncCatalog',
    section: '4.3',
    summary: 'Catalog sync (simple products), ASYNC',
    method: 'POST',
    path: '/partner/stores/catalog/sync',
    body,
    row: productRow,
    answer: batchAnswer,
    envelope: 'enveloped',
    handle: importer('catalog.sync', planSimpleProduct),
  }),
  storeEndpoint({
    operationId: 'syncVariantCatalog',
    section: '4.4',
    summary: 'Catalog sync (with variants), ASYNC',
    method: 'POST',
    path: '/partner/stores/catalog/variants/sync',
    body,
    row: productRow,
    answer: batchAnswer,
    envelope: 'enveloped',
    handle: importer('catalog.sync', planVariantProduct),
  }),
  storeEndpoint({
    operationId: 'createProducts',
    section: '4.5',
    summary: 'Bulk create products (simple), ASYNC',
    method: 'POST',
    path: '/partner/stores/products/bulk',
    body,
    row: productRow,
    answer: batchAnswer,
    envelope: 'enveloped',
    handle: importer('product.create', planSimpleProduct),
  }),
  storeEndpoint({
    operationId: 'createVariantProducts',
    section: '4.6',
    summary: 'Bulk create products with variants, ASYNC',
    method: 'POST',
    path: '/partner/stores/products/with-variants/bulk',
    body,
    row: productRow,
    answer: batchAnswer,
    envelope: 'enveloped',
    handle: importer('product.create', planVariantProduct),
  }),
];
