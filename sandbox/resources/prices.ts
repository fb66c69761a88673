import { type Endpoint, storeEndpoint } from '../api/endpoint.ts';
import type { PendingRow, RowError } from '../batches/batch.ts';
import { planRows, rowError, violationError } from '../rules/rows.ts';
import { acceptedPriceRow, findTarget, namesVariantProduct, offerOf, type Target } from '../rules/targets.ts';
import { violation } from '../rules/violation.ts';
import { batchAnswer, bulkBody } from '../schemas/common.ts';
import { type PriceRow, priceRow } from '../schemas/product.ts';
import type { Store } from '../state/store.ts';
import { batchAnswered } from './batch-answer.ts';

function planPrice(store: Store) {
  return (row: PriceRow, rowIndex: number): PendingRow | RowError => {
    const target = resolve(store, row, rowIndex);
    if ('rowIndex' in target) return target;
    return {
      accepted: acceptedPriceRow(rowIndex, target),
      apply: (time) => {
        const present = resolve(store, row, rowIndex);
        if ('rowIndex' in present) return { error: present };
        offerOf(present).setPrice(row.price, row.specialPrice, time);
        return { accepted: acceptedPriceRow(rowIndex, present) };
      },
    };
  };
}

function resolve(store: Store, row: PriceRow, rowIndex: number): Target | RowError {
  const target = findTarget(store, row);
  if (target === undefined) {
    return rowError('PRD_016', rowIndex, row, {
      reason: row.sku === undefined ? 'PRODUCT_NOT_FOUND' : 'SKU_NOT_FOUND',
    });
  }
  if (!namesVariantProduct(target)) return target;
  const broken = violation('PRODUCT_HAS_VARIANTS', 'id', 'name a variant by its sku');
  return violationError(rowIndex, row, broken);
}

/** §4.8 */
export const prices: Endpoint = storeEndpoint({
  operationId: 'updatePrices',
  section: '4.8',
  summary: 'Update prices, ASYNC',
  method: 'PATCH',
  path: '/partner/stores/products/prices',
  body: bulkBody('items'),
  row: priceRow,
  answer: batchAnswer,
  envelope: 'enveloped',
  handle: ({ store, body, submit }) =>
    batchAnswered(
      'Price updates queued',
      submit({ kind: 'price.update', ...planRows(priceRow, body.items, planPrice(store)) }),
    ),
});
