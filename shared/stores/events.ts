import { z } from 'zod';
import type { OutgoingEvent } from '../events/outgoing.ts';

/** ISO 8601: when the state changed. */
const at = z.string();

/** A change of a store's state as the bus is to hear of it; kept with the store until it is known to be there. */
export const storeEventSchema = z.discriminatedUnion('detailType', [
  z.object({ detailType: z.literal('store.connected'), at }),
  z.object({ detailType: z.literal('store.unbound'), at }),
  z.object({
    detailType: z.literal('store.suspended'),
    at,
    reason: z.string(),
    requestId: z.string().optional(),
  }),
]);

export type StoreEvent = z.infer<typeof storeEventSchema>;
export type StoreSuspended = Extract<StoreEvent, { detailType: 'store.suspended' }>;

/** The event out that tells of it. */
export function outgoingOf(storeClientId: string, event: StoreEvent): OutgoingEvent {
  const { detailType } = event;
  if (detailType !== 'store.suspended') return { detailType, detail: { storeClientId } };
  const { reason, requestId } = event;
  return {
    detailType,
    detail: { storeClientId, reason, ...(requestId === undefined ? {} : { requestId }) },
  };
}
