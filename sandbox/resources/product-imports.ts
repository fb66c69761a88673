import { type Endpoint, storeEndpoint } from '../api/endpoint.ts';
import type { BatchKind } from '../batches/batch.ts';
import { planSimpleProduct, planVariantProduct } from '../rules/product-creation.ts';
import { planRows } from '../rules/rows.ts';
import { batchAnswer, bulkBody } from '../schemas/common.ts';
import { productRow } from '../schemas/product.ts';
import { batchAnswered } from './batch-answer.ts';

interface Import extends Pick<Endpoint, 'operationId' | 'section' | 'summary' | 'path'> {
  kind: BatchKind;
  planner: typeof planSimpleProduct;
}

/** The four imports differ in their path, in the kind of their batches and in the products that they take. */
function importEndpoint({ kind, planner, ...described }: Import): Endpoint {
  return storeEndpoint({
    ...described,
    method: 'POST',
    body: bulkBody('products'),
    row: productRow,
    answer: batchAnswer,
    envelope: 'enveloped',
    handle: ({ store, newId, body, submit }) => {
      const plan = planRows(productRow, body.products, planner(store, newId));
      return batchAnswered('Products queued for processing', submit({ kind, ...plan }));
    },
  });
}

/** §4.3 – 4.6: creation of products in bulk. */
export const productImports: Endpoint[] = [
  importEndpoint({
    operationId: 'syncCatalog',
    section: '4.3',
    summary: 'Catalog sync (simple products), ASYNC',
    path: '/partner/stores/catalog/sync',
    kind: 'catalog.sync',
    planner: planSimpleProduct,
  }),
  importEndpoint({
    operationId: 'syncVariantCatalog',
    section: '4.4',
    summary: 'Catalog sync (with variants), ASYNC',
    path: '/partner/stores/catalog/variants/sync',
    kind: 'catalog.sync',
    planner: planVariantProduct,
  }),
  importEndpoint({
    operationId: 'createProducts',
    section: '4.5',
    summary: 'Bulk create products (simple), ASYNC',
    path: '/partner/stores/products/bulk',
    kind: 'product.create',
    planner: planSimpleProduct,
  }),
  importEndpoint({
    operationId: 'createVariantProducts',
    section: '4.6',
    summary: 'Bulk create products with variants, ASYNC',
    path: '/partner/stores/products/with-variants/bulk',
    kind: 'product.create',
    planner: planVariantProduct,
  }),
];
