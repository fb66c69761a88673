import { type StockItem, stockItem } from '../../marketplace/inventory.ts';
import type { RegisterName } from '../model.ts';
import { type ItemReading, readItem } from './read-item.ts';
import { clientIdFault } from './room.ts';

const listableStockItem = stockItem.superRefine(({ warehouses = [] }, context) => {
  for (const warehouse of warehouses) {
    const message = clientIdFault(typeof warehouse === 'string' ? warehouse : warehouse.clientId);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['warehouses'], message });
  }
});

/**
 * Reads one stock item of §4.9: exactly one of `sku`, `id`, `externalId`; `stock` alone (global), `stock` with a list
 * of warehouse client IDs, or `warehouses` with a stock each.
 */
export function readStockItem(item: unknown): ItemReading {
  return readItem(listableStockItem, item, registersOf);
}

function registersOf({ stock, warehouses }: StockItem): Partial<Record<RegisterName, number>> {
  if (warehouses === undefined) return stock === undefined ? {} : { stock };
  const registers: Partial<Record<RegisterName, number>> = {};
  for (const warehouse of warehouses) {
    const given = typeof warehouse === 'string' ? { clientId: warehouse, stock: stock ?? 0 } : warehouse;
    const name: RegisterName = `stock:${given.clientId}`;
    // Of two values of one version the smaller wins, as everywhere (design §5.1).
    registers[name] = Math.min(given.stock, registers[name] ?? given.stock);
  }
  return registers;
}
