import * as z from 'zod';
import { enveloped, type Pagination } from '../api/answers.ts';
import { type Endpoint, type StoreContext, storeEndpoint } from '../api/endpoint.ts';
import { ApiError } from '../errors.ts';
import { formatProduct } from '../formatters/product.ts';
import { selectProducts } from '../rules/product-list.ts';
import { booleanQuery, paging } from '../schemas/common.ts';
import { productAnswer } from '../schemas/product-answer.ts';
import type { Product } from '../state/product.ts';

const listQuery = z.looseObject({
  q: z.string().optional(),
  /** Specified as a string. Only the value 'true' filters. */
  isArchived: z
    .string()
    .transform((value) => value === 'true')
    .optional(),
  isAvailableStock: booleanQuery.optional(),
  isVerified: booleanQuery.optional(),
  isVariantActive: booleanQuery.optional(),
  sortBy: z.string().optional(),
  order: z.string().optional(),
  ...paging,
});

const listProducts = storeEndpoint({
  operationId: 'listProducts',
  section: '4.11',
  summary: 'List products',
  method: 'GET',
  path: '/partner/stores/products',
  query: listQuery,
  answer: z.array(productAnswer),
  envelope: 'enveloped',
  errors: ['SYS_UPS_001'],
  handle: ({ store, query }) => {
    const { page, limit, isVariantActive } = query;
    const selected = selectProducts(store.catalog.all(), query);
    const view = { onlyActiveVariants: isVariantActive === true };
    const shown = selected.slice((page - 1) * limit, page * limit);
    const data = shown.map((product) => formatProduct(store, product, view));
    return enveloped('Products retrieved', data, { pagination: paginate(page, limit, selected.length) });
  },
});

function paginate(page: number, limit: number, total: number): Pagination {
  const totalPages = Math.ceil(total / limit);
  return { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 && totalPages > 0 };
}

/** The path's product. @throws ApiError PRD_014 if the store does not have it */
export function productOf({ store, params }: Pick<StoreContext, 'store' | 'params'>): Product {
  const product = store.catalog.byId(params.productId ?? '');
  if (product !== undefined) return product;
  const context = { storeClientId: store.clientId, filter: { id: params.productId } };
  throw new ApiError('PRD_014', { context });
}

const getProduct = storeEndpoint({
  operationId: 'getProduct',
  section: '4.12',
  summary: 'Get product',
  method: 'GET',
  path: '/partner/stores/products/{productId}',
  query: z.looseObject({ isVariantActive: booleanQuery.optional() }),
  answer: productAnswer,
  envelope: 'enveloped',
  errors: ['PRD_014'],
  handle: ({ store, params, query }) => {
    const product = productOf({ store, params });
    const view = { onlyActiveVariants: query.isVariantActive === true };
    return enveloped('Product retrieved', formatProduct(store, product, view));
  },
});

const getProductBySku = storeEndpoint({
  operationId: 'getProductBySku',
  section: '4.13',
  summary: 'Get product by SKU',
  method: 'GET',
  path: '/partner/stores/products/sku/{sku}',
  answer: productAnswer.extend({ matchedVariantSku: z.boolean() }),
  envelope: 'enveloped',
  errors: ['PRD_014'],
  handle: ({ store, params }) => {
    const match = store.catalog.bySku(params.sku ?? '');
    if (match === undefined) {
      const context = { storeClientId: store.clientId, filter: { sku: params.sku } };
      throw new ApiError('PRD_014', { context });
    }
    const data = { ...formatProduct(store, match.product), matchedVariantSku: match.variant !== undefined };
    return enveloped('Product retrieved', data);
  },
});

/** §4.11 – 4.13 */
export const productReads: Endpoint[] = [listProducts, getProductBySku, getProduct];
