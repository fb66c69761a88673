import type { OrderAction, OrderCommand, OrderRecord, OrderReference } from '../model.ts';
import { unknownSince } from './claim.ts';

/** An operator's wish to have an action of unknown outcome sent once more. */
export interface RetryWish {
  readonly storeClientId: string;
  readonly reference: OrderReference;
  readonly action: OrderAction;
  readonly commandId: string;
  /** Epoch ms. */
  readonly now: number;
}

/** The command that sends the order's action once more as it was; `undefined` when its outcome is not unknown. */
export function retryOfOrder(
  order: OrderRecord,
  { storeClientId, reference, action, commandId, now }: RetryWish,
): OrderCommand | undefined {
  const record = order[action];
  const since = record && unknownSince(record);
  if (record === undefined || since === undefined || since > now) return undefined;
  const { decision, reasonCode, reason } = record;
  const item = { ...reference, ...(decision && { decision, reasonCode, reason }) };
  return { action, storeClientId, commandId, eventId: commandId, time: now, items: [item], retry: true };
}
