import { z } from 'zod';
import { newProductInStore } from '../../marketplace/rules/warehouse-mode.ts';
import type { CommandRow, RowFault } from '../model.ts';
import { faultOfProblems } from './check-product.ts';

/** A row that the store can not take, and why. */
export interface FaultyRow {
  readonly row: CommandRow;
  readonly fault: RowFault;
}

const stockSchema = z.looseObject({
  warehouses: z.array(z.looseObject({ clientId: z.string() })).optional(),
});
/** The parts of a product that name warehouses. */
const productStockSchema = stockSchema.extend({
  variants: z.looseObject({ items: z.array(stockSchema) }).optional(),
});

/** The clientIds of warehouses that products name, each once. */
export function warehousesNamedBy(rows: readonly CommandRow[]): string[] {
  const levels = rows.flatMap(({ product }) => {
    const { variants, ...own } = productStockSchema.parse(product);
    return [own, ...(variants?.items ?? [])];
  });
  return [...new Set(levels.flatMap(({ warehouses = [] }) => warehouses.map(({ clientId }) => clientId)))];
}

/**
 * The rows that name warehouses which their store does not have (§4.3, 4.4).
 *
 * @param rows products that `checkProduct` found good.
 * @param warehouses clientIds of the store's warehouses.
 */
export function faultyInStore(rows: readonly CommandRow[], warehouses: readonly string[]): FaultyRow[] {
  return rows.flatMap((row) => {
    const fault = faultInStore(row, warehouses);
    return fault === undefined ? [] : [{ row, fault }];
  });
}

function faultInStore({ product }: CommandRow, warehouses: readonly string[]): RowFault | undefined {
  const problems = newProductInStore(productStockSchema.parse(product), warehouses);
  return faultOfProblems(
    problems.map(({ path, rule, message }) => ({ field: path.join('.'), rule, message })),
  );
}
