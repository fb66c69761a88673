import type { OrderAction } from '../../marketplace/fields.ts';
import type { EpochMs } from '../../time/times.ts';
import { type OrderRecord, type OrderReference, type OrderResolution, orderKeyOf } from '../model.ts';
import type { OrderEndPorts } from '../ports.ts';
import { resolved, unknownSince } from '../rules/order-action.ts';
import { endAbandoned } from './send-orders.ts';

export interface UnknownAction {
  readonly storeClientId: string;
  readonly reference: OrderReference;
  readonly action: OrderAction;
}

/**
 * Ends an action of unknown outcome by an operator's resolution. An action that a stopped sender left as `sending` is
 * ended by its request's record first.
 *
 * @param outcome `rejected`: it had no effect, and may be requested again.
 * @param reason how the operator knows, kept with the order.
 * @returns the resulting order; `undefined` if the outcome is not unknown: nothing changes then.
 */
export async function resolveOrder(
  ports: OrderEndPorts,
  { storeClientId, reference, action }: UnknownAction,
  outcome: OrderResolution,
  reason?: string,
): Promise<OrderRecord | undefined> {
  const { orders, clock } = ports;
  const orderKey = orderKeyOf(reference);
  const known = await orders.get(storeClientId, orderKey);
  await endAbandoned(ports, { storeClientId, orderKey, action }, known?.[action]);
  let isResolved = false;
  const order = await orders.update(storeClientId, orderKey, (current) => {
    const next = resolved(current?.[action], outcome, clock.now(), reason);
    isResolved = next !== undefined;
    return current && next && { ...current, [action]: next };
  });
  return isResolved ? order : undefined;
}

/** The row that repeats an action of unknown outcome at `now`; `undefined` if its outcome is not unknown. */
export function retryOfOrder(
  order: OrderRecord,
  { reference, action }: UnknownAction,
  now: EpochMs,
): OrderReference | undefined {
  const record = order[action];
  const since = record && unknownSince(record);
  if (record === undefined || since === undefined || since > now) return undefined;
  const { decision, reasonCode, reason } = record;
  return { ...reference, ...(decision && { decision, reasonCode, reason }) };
}
