import type { OrderAction, OrderRecord, OrderReference } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { unknownSince } from '../rules/claim.ts';
import { orderKeyOf } from '../rules/order-key.ts';
import { updateOrder } from './update-order.ts';

/** What an operator found out about an action whose outcome stayed unknown. */
export interface Resolution {
  readonly storeClientId: string;
  readonly reference: OrderReference;
  readonly action: OrderAction;
  /** `refused`: it had no effect, and may be given again. */
  readonly outcome: 'done' | 'refused';
}

/**
 * Ends an action of unknown outcome by an operator's word.
 *
 * @returns the order as it then stands; `undefined`, with nothing changed, when the outcome is not unknown.
 */
export async function resolveOrder(
  { orders, clock }: { readonly orders: Pick<OrderTable, 'update'>; readonly clock: { now(): number } },
  { storeClientId, reference, action, outcome }: Resolution,
): Promise<OrderRecord | undefined> {
  const now = clock.now();
  let resolved = false;
  const order = await updateOrder(orders, storeClientId, orderKeyOf(reference), (current) => {
    const record = current?.[action];
    resolved = record !== undefined && (unknownSince(record) ?? Number.POSITIVE_INFINITY) <= now;
    if (current === undefined || record === undefined || !resolved) return undefined;
    const { uncertain: _, ...certain } = record;
    return { ...current, [action]: { ...certain, state: outcome, endedAt: new Date(now).toISOString() } };
  });
  return resolved ? order : undefined;
}
