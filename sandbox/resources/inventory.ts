import { type Endpoint, storeEndpoint } from '../api/endpoint.ts';
import type { PendingRow, RowError } from '../batches/batch.ts';
import { planRows, rowError, violationError } from '../rules/rows.ts';
import { checkStockRow, stockAssignments } from '../rules/stock-modes.ts';
import { acceptedStockRow, findTarget, namesVariantProduct, offerOf, type Target } from '../rules/targets.ts';
import { violation } from '../rules/violation.ts';
import { batchAnswer, bulkBody } from '../schemas/common.ts';
import { type StockRow, stockRow } from '../schemas/product.ts';
import type { Store } from '../state/store.ts';
import { batchAnswered } from './batch-answer.ts';

function planStock(store: Store) {
  return (row: StockRow, rowIndex: number): PendingRow | RowError => {
    const target = resolve(store, row, rowIndex);
    if ('rowIndex' in target) return target;
    return {
      accepted: acceptedStockRow(rowIndex, target),
      apply: (time) => {
        const present = resolve(store, row, rowIndex);
        if ('rowIndex' in present) return { error: present };
        offerOf(present).setStock(stockAssignments(store, row), time);
        return { accepted: acceptedStockRow(rowIndex, present) };
      },
    };
  };
}

function resolve(store: Store, row: StockRow, rowIndex: number): Target | RowError {
  const broken = checkStockRow(store, row);
  if (broken) return violationError(rowIndex, row, broken);
  const target = findTarget(store, row);
  if (target === undefined) {
    return row.sku === undefined
      ? rowError('INV_002', rowIndex, row, { reason: 'PRODUCT_NOT_FOUND' })
      : rowError('INV_001', rowIndex, row, { reason: 'SKU_NOT_FOUND' });
  }
  if (!namesVariantProduct(target)) return target;
  const misnamed = violation('PRODUCT_HAS_VARIANTS', 'sku', 'name a variant by its sku');
  return violationError(rowIndex, row, misnamed);
}

/** §4.9 */
export const inventory: Endpoint = storeEndpoint({
  operationId: 'updateStocks',
  section: '4.9',
  summary: 'Update stocks, ASYNC',
  method: 'PATCH',
  path: '/partner/stores/inventory',
  body: bulkBody('items'),
  row: stockRow,
  answer: batchAnswer,
  envelope: 'enveloped',
  handle: ({ store, body, submit }) =>
    batchAnswered(
      'Stock updates queued',
      submit({ kind: 'stock.update', ...planRows(stockRow, body.items, planStock(store)) }),
    ),
});
