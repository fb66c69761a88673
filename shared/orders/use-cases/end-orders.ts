import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { OrderTable } from '../ports.ts';
import { type ActionOutcome, ended } from '../rules/claim.ts';
import { orderKeyOf } from '../rules/order-key.ts';
import type { OrderAttempt } from './attempt-orders.ts';
import { ORDERS_AT_A_TIME } from './claim-orders.ts';
import { updateOrder } from './update-order.ts';

export interface EndOrdersPorts {
  readonly orders: Pick<OrderTable, 'update'>;
  readonly clock: { now(): number };
}

/** An attempt that needs no store any more, as nothing more is sent. */
export type SettledAttempt = Omit<OrderAttempt, 'store'>;

/** Records how an attempt ended for each of its orders. */
export async function endOrders(
  { orders, clock }: EndOrdersPorts,
  { command, attemptId, rows }: SettledAttempt,
  outcomeOf: (position: number) => ActionOutcome,
): Promise<void> {
  const { storeClientId, action, commandId } = command;
  const at = new Date(clock.now()).toISOString();
  await forEachConcurrently([...rows.entries()], ORDERS_AT_A_TIME, async ([position, { item }]) => {
    const holder = { attemptId, commandId, ...(item.decision && { decision: item.decision }) };
    await updateOrder(orders, storeClientId, orderKeyOf(item), (current) => {
      const next = ended(current?.[action], holder, outcomeOf(position), at);
      return current && next && { ...current, [action]: next };
    });
  });
}
