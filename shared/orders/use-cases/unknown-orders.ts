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
 * Ends an action of unknown outcome by an operator's resolution. If a stopped sender left the action as `sending`, first ends it by
 * its request's record.
 *
 * @param outcome `rejected`: the action had no effect, and may be requested again.
 * @param reason how the operator knows, kept with the order.
 * @returns the resulting order; `undefined` if no outcome was unknown, so that nothing has changed.
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

/** The row that repeats an action whose outcome is unknown at `now`; `undefined` for other actions. */
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
