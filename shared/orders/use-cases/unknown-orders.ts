import type { OrderAction } from '../../marketplace/fields.ts';
import type { EpochMs } from '../../time/times.ts';
import { type OrderCommand, type OrderRecord, type OrderReference, orderKeyOf } from '../model.ts';
import type { OrderPorts } from '../ports.ts';
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
 * @param outcome `refused`: it had no effect, and may be requested again.
 * @param reason how the operator knows, kept with the order.
 * @returns the resulting order; `undefined` if the outcome is not unknown: nothing changes then.
 */
export async function resolveOrder(
  ports: OrderPorts,
  { storeClientId, reference, action }: UnknownAction,
  outcome: 'done' | 'refused',
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

/**
 * The command that repeats an action of unknown outcome; `undefined` if its outcome is not unknown.
 *
 * @param now epoch ms.
 */
export function retryOfOrder(
  order: OrderRecord,
  { storeClientId, reference, action }: UnknownAction,
  { commandId, now }: { readonly commandId: string; readonly now: EpochMs },
): OrderCommand | undefined {
  const record = order[action];
  const since = record && unknownSince(record);
  if (record === undefined || since === undefined || since > now) return undefined;
  const { decision, reasonCode, reason } = record;
  const item = { ...reference, ...(decision && { decision, reasonCode, reason }) };
  const detailType = `order.${action}.requested`;
  const facts = { action, storeClientId, commandId, eventId: commandId, detailType, time: now };
  return { ...facts, items: [item], retry: true };
}
