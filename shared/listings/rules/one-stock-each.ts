import type { Problem } from '../../marketplace/fields.ts';

/** The rule that a row gives a warehouse one stock: which of two is meant cannot be known. */
export function oneStockEach(
  warehouses: readonly (string | { readonly clientId: string; readonly stock: number })[],
): Problem[] {
  const stocks = new Map<string, number>();
  for (const warehouse of warehouses) {
    if (typeof warehouse === 'string') continue;
    const { clientId, stock: given } = warehouse;
    const before = stocks.get(clientId) ?? given;
    if (before !== given) {
      const message = `must give ${clientId} one stock, not ${before} and ${given}`;
      return [{ path: [], rule: 'WAREHOUSE_REPEATED', message }];
    }
    stocks.set(clientId, given);
  }
  return [];
}
