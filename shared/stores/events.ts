import { z } from 'zod';

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

/** An event out about a store. */
export type OutgoingStoreEvent =
  | {
      readonly detailType: 'store.connected' | 'store.unbound';
      readonly detail: { readonly storeClientId: string };
    }
  | {
      readonly detailType: 'store.suspended';
      readonly detail: {
        readonly storeClientId: string;
        readonly reason: string;
        readonly requestId?: string;
      };
    };

/** The event out that reports it. */
export function outgoingOf(storeClientId: string, event: StoreEvent): OutgoingStoreEvent {
  const { detailType } = event;
  if (detailType !== 'store.suspended') return { detailType, detail: { storeClientId } };
  const { reason, requestId } = event;
  return {
    detailType,
    detail: { storeClientId, reason, ...(requestId === undefined ? {} : { requestId }) },
  };
}
