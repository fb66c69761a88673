import type { PendingRow, RowError } from '../batches/batch.ts';
import type { NewId } from '../identifiers.ts';
import type { ProductRow } from '../schemas/product.ts';
import type { Store } from '../state/store.ts';
import { newProduct, newVariantProduct } from './new-product.ts';
import { rowError, violationError } from './rows.ts';
import { checkStockPayload } from './stock-modes.ts';
import { checkOptionIndexes, checkProductLevelFields } from './variants.ts';
import { type Violation, violation } from './violation.ts';

/** Plans the creation of a product without variants (§4.3, 4.5). */
export function planSimpleProduct(store: Store, newId: NewId) {
  return (row: ProductRow, rowIndex: number): PendingRow | RowError =>
    checkSimple(store, row, rowIndex) ?? {
      accepted: { rowIndex, externalId: row.externalId, sku: row.sku },
      apply: (time) => create(store, row, rowIndex, () => newProduct(store, row, newId, time)),
    };
}

/** Plans the creation of a product with variants (§4.4, 4.6). */
export function planVariantProduct(store: Store, newId: NewId) {
  return (row: ProductRow, rowIndex: number): PendingRow | RowError =>
    checkVariant(store, row, rowIndex) ?? {
      accepted: { rowIndex, externalId: row.externalId },
      apply: (time) => create(store, row, rowIndex, () => newVariantProduct(store, row, newId, time)),
    };
}

function checkSimple(store: Store, row: ProductRow, rowIndex: number): RowError | undefined {
  const broken =
    row.variants === undefined
      ? checkStockPayload(store, row)
      : violation('VARIANTS_NOT_ALLOWED', 'variants', 'use the endpoint for products with variants');
  return broken ? violationError(rowIndex, row, broken) : checkNew(store, row, rowIndex);
}

function checkVariant(store: Store, row: ProductRow, rowIndex: number): RowError | undefined {
  const broken = checkProductLevelFields(row) ?? checkVariantItems(store, row);
  return broken ? violationError(rowIndex, row, broken) : checkNew(store, row, rowIndex);
}

function checkVariantItems(store: Store, { variants }: ProductRow): Violation | undefined {
  const items = variants?.items ?? [];
  if (items.length === 0) return violation('VARIANTS_MISSING', 'variants.items', 'must not be empty');
  for (const [index, item] of items.entries()) {
    const broken = checkStockPayload(store, item, `variants.items.${index}.`);
    if (broken) return broken;
  }
  return checkOptionIndexes(items, variants?.optionGroups ?? []);
}

/** PRD_002 for an external ID that exists in the store, as imports only create. */
function checkNew(store: Store, row: ProductRow, rowIndex: number): RowError | undefined {
  if (row.externalId === undefined || store.catalog.byExternalId(row.externalId) === undefined)
    return undefined;
  return rowError('PRD_002', rowIndex, row, { reason: 'EXTERNAL_ID_EXISTS' });
}

function create(store: Store, row: ProductRow, rowIndex: number, make: () => ReturnType<typeof newProduct>) {
  const error = checkNew(store, row, rowIndex);
  if (error) return { error };
  const product = make();
  store.catalog.add(product);
  const { externalId, sku, id } = product;
  return { accepted: { rowIndex, externalId, sku, id, target: 'product' } };
}
