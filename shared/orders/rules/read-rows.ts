import { z } from 'zod';
import { dropoffItem, orderDecision } from '../../marketplace/orders.ts';
import { boundedText } from '../../rejections/rules/bounded.ts';
import type { OrderAction, OrderRow } from '../model.ts';

/** A decision of §4.16 as a command gives it: what explains a rejection does not go with an acceptance. */
export const decisionItem = orderDecision.superRefine(({ decision, reasonCode, reason }, context) => {
  if (decision === 'reject') return;
  for (const [field, value] of Object.entries({ reasonCode, reason })) {
    if (value === undefined) continue;
    context.addIssue({
      code: 'custom',
      path: [field],
      message: `${field} goes with the decision reject only`,
    });
  }
});

const ITEM_OF = { decision: decisionItem, dropoff: dropoffItem } as const;

/** A row that breaks a rule, with the first rule that it breaks. */
export interface FaultyRow {
  readonly index: number;
  readonly item: unknown;
  readonly code: string;
  readonly message: string;
  /** Of the event. */
  readonly field: string;
}

/** Tells the rows that keep the rules of §4.16 or 4.17 from those that do not. */
export function readRows(
  action: OrderAction,
  items: readonly unknown[],
): { rows: OrderRow[]; faulty: FaultyRow[] } {
  const rows: OrderRow[] = [];
  const faulty: FaultyRow[] = [];
  for (const [index, item] of items.entries()) {
    const { success, data, error } = ITEM_OF[action].safeParse(item);
    if (success) rows.push({ index, item: data });
    else faulty.push(faultOf(index, item, error));
  }
  return { rows, faulty };
}

function faultOf(index: number, item: unknown, { issues: [issue] }: z.ZodError): FaultyRow {
  const path = z.core.toDotPath(issue?.path ?? []);
  const text = issue?.message ?? 'not valid';
  const message = boundedText(path === '' ? text : `${path}: ${text}`);
  const field = ['detail.items', index, path].filter((part) => part !== '').join('.');
  return { index, item, code: 'ROW_INVALID', message, field: boundedText(field) };
}
