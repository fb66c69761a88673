import type { ActionRecord, DoubtfulAttempt, OrderAction, OrderRecord, OrderReference } from '../model.ts';
import type { OrderTable } from '../ports.ts';
import { unknownSince } from '../rules/claim.ts';
import { orderKeyOf } from '../rules/order-key.ts';
import { RESOLVED, withTurnedAway } from '../rules/turned-away.ts';
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
    const { refused: _, code: __, message: ___, ...known } = record;
    const endedAt = new Date(now).toISOString();
    if (outcome === 'done') return { ...current, [action]: { ...known, state: 'done', endedAt } };
    const { unknownOf = [], ...certain } = known;
    const refused: ActionRecord = { ...certain, state: 'refused', endedAt, ...RESOLVED };
    return {
      ...current,
      [action]: allTurnedAway(refused, unknownOf),
    };
  });
  return resolved ? order : undefined;
}

/** Commands that had their try must not take the operator's word for leave to have another. */
function allTurnedAway(refused: ActionRecord, attempts: readonly DoubtfulAttempt[]): ActionRecord {
  return attempts.reduce<ActionRecord>(
    (action, attempt) => withTurnedAway(action, attempt, { ...RESOLVED, attemptId: attempt.attemptId }),
    refused,
  );
}
