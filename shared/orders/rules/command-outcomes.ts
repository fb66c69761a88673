import type { EndedCommand } from '../../requests/model.ts';
import { identifiersIn } from '../../requests/rules/rejection.ts';
import { orderKeyOf } from '../model.ts';
import { endsOf, type RowEnd } from './request-ends.ts';

/** The outcome of one row of a command. */
export interface OrderRowOutcome extends Omit<RowEnd, 'wasSent' | 'decision'> {
  readonly index: number;
}

/** The outcome of each row of an ended command, in their order. A row that repeats an order has the outcome of the order's first row. */
export function commandOutcomes(
  commandId: string,
  items: readonly unknown[],
  { requests, rejections, fault }: EndedCommand,
): OrderRowOutcome[] {
  const whole = fault && { state: 'rejected' as const, code: fault.code, message: fault.message };
  const ofRow = new Map<number, Omit<OrderRowOutcome, 'index'>>();
  const ofOrder = new Map<string, Omit<OrderRowOutcome, 'index'>>();
  for (const { rowIndex, rowIndexes = [rowIndex ?? 0], code, message } of rejections)
    for (const index of rowIndexes) ofRow.set(index, { state: 'rejected', code, message });
  for (const record of requests) {
    for (const [position, { wasSent: _, decision: __, ...end }] of endsOf(record).entries()) {
      const { command = 0, ...row } = record.rows[position] ?? {};
      if (record.commands[command]?.commandId !== commandId) continue;
      ofOrder.set(orderKeyOf(row), end);
    }
  }
  return items.flatMap((item, index) => {
    const orderKey = orderKeyOf(identifiersIn(item, ['orderId', 'invoiceNumber']));
    const outcome = ofRow.get(index) ?? ofOrder.get(orderKey) ?? whole;
    return outcome === undefined ? [] : [{ index, ...outcome }];
  });
}
