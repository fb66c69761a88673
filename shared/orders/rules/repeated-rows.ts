import type { OrderRow } from '../model.ts';
import { orderKeyOf } from './order-key.ts';

/** A row that names an order which an earlier row of its command names already. */
export interface RepeatedRow {
  readonly row: OrderRow;
  readonly first: OrderRow;
}

/** Tells the first row of each order from those that repeat it, so that it is always the same row that is sent. */
export function splitRepeated(rows: readonly OrderRow[]): {
  firsts: OrderRow[];
  repeated: RepeatedRow[];
} {
  const firsts = new Map<string, OrderRow>();
  const repeated: RepeatedRow[] = [];
  for (const row of rows) {
    const key = orderKeyOf(row.item);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, row);
    else repeated.push({ row, first });
  }
  return { firsts: [...firsts.values()], repeated };
}
