import { z } from 'zod';
import { ConnectorError } from '../errors/connector-error.ts';

/** States of a store on our side (the marketplace's own are in §3); `STORE_TRANSITIONS` has what changes them. */
export const storeStateSchema = z.enum(['connected', 'suspended', 'unbound']);

/** By which of their names a store's products and orders are named: one way each. */
export const storeNamesSchema = z.object({
  products: z.enum(['sku', 'id', 'externalId']),
  orders: z.enum(['orderId', 'invoiceNumber']),
});

/** ISO 8601: when the state changed. */
const at = z.string();

/** A change of a store's state that the bus is to report; kept with the store until it is known to be there. */
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

/** A seller's shop as the Stores table keeps it. The token leaves this record only to sign a request. */
export const storeSchema = z.object({
  storeClientId: z.string().min(1),
  storeToken: z.string().min(1),
  state: storeStateSchema,
  names: storeNamesSchema,
  /** Epoch ms: until then its names may be about to change, and no row of it is taken. */
  renamingUntil: z.number().int().optional(),
  /** The name by which its products went before: listings under it are still to be dropped. */
  formerName: storeNamesSchema.shape.products.optional(),
  /** Why the store was suspended, for the operator. */
  stateReason: z.string().optional(),
  /** ISO 8601. */
  connectedAt: z.string(),
  /** ISO 8601; changes with the state or the token. */
  updatedAt: z.string(),
  /** ISO 8601: commands that were given until then are dropped when they come. */
  discardedAt: z.string().optional(),
  /** What is not known to be on the bus yet, the oldest first. */
  unpublishedEvents: z.array(storeEventSchema).optional(),
});

export type StoreEvent = z.infer<typeof storeEventSchema>;
export type StoreSuspended = Extract<StoreEvent, { detailType: 'store.suspended' }>;
export type StoreNames = z.infer<typeof storeNamesSchema>;
export type Store = z.infer<typeof storeSchema>;
export type StoreState = z.infer<typeof storeStateSchema>;

/** A store without its token and what is only ours to know: what may be shown. */
export const storeViewSchema = storeSchema.omit({
  storeToken: true,
  unpublishedEvents: true,
  renamingUntil: true,
});
export type StoreView = z.infer<typeof storeViewSchema>;

export function viewOfStore({
  storeToken: _,
  unpublishedEvents: __,
  renamingUntil: ___,
  ...view
}: Store): StoreView {
  return view;
}

/** The fault of a row or command whose store was never connected to this stack; `field` is that of an event. */
export function unknownStore(storeClientId: string) {
  return {
    code: 'STORE_UNKNOWN',
    message: `store ${storeClientId} is not connected to this stack`,
    field: 'detail.storeClientId',
  } as const;
}

export type StoreTransitionName = 'suspend' | 'resume' | 'unbind';

interface StoreTransition {
  readonly from: readonly StoreState[];
  readonly to: StoreState;
}

/**
 * The changes of a store's state besides connecting it, which new credentials that a signed call has shown to be good do
 * in any state. Work that waits stays through all of them and drains when the store is connected.
 */
export const STORE_TRANSITIONS: Readonly<Record<StoreTransitionName, StoreTransition>> = {
  /** AUTH_014: the marketplace refuses the credentials. */
  suspend: { from: ['connected'], to: 'suspended' },
  /** An operator has found that the same credentials are good again. */
  resume: { from: ['suspended'], to: 'connected' },
  /** §4.2, by an operator: the marketplace revokes the token. */
  unbind: { from: ['connected', 'suspended'], to: 'unbound' },
};

/** @throws ConnectorError `STORE_TRANSITION` that names the state in which an operator can't change a store so */
export function checkTransition(name: StoreTransitionName, state: StoreState): void {
  const { from } = STORE_TRANSITIONS[name];
  if (from.includes(state)) return;
  throw new ConnectorError(`${name}: the store is ${state}, and must be ${from.join(' or ')}`, {
    code: 'STORE_TRANSITION',
    details: { state, transition: name },
  });
}
