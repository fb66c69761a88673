import * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.ts';
import { epochMsSchema, isoTimeSchema } from '../time/times.ts';
import { notationSchema } from './notation.ts';

/** The connector's states of a store (the marketplace's own are in §3); see `STORE_TRANSITIONS`. */
export const storeStateSchema = z.enum(['connected', 'suspended', 'unbound']);

/** The kind of name that a store uses for its products, and for its orders. */
export const storeNamesSchema = z.object({
  products: z.enum(['sku', 'id', 'externalId']),
  orders: z.enum(['orderId', 'invoiceNumber']),
});

/** The onboarding that last connected a store: the marketplace's ID of the session, and the partner's own name for the onboarding. */
const onboardingFacts = { sid: z.string().optional(), reference: z.string().optional() };

/** ISO 8601: when the state changed. */
const at = z.string();

/** A change of a store's state; stored with the store until it is published. */
export const storeEventSchema = z.discriminatedUnion('detailType', [
  z.object({ detailType: z.literal('store.connected'), at, ...onboardingFacts }),
  z.object({ detailType: z.literal('store.unbound'), at }),
  z.object({
    detailType: z.literal('store.suspended'),
    at,
    reason: z.string(),
    requestId: z.string().optional(),
  }),
]);

/** A record of the Stores table. Its token is used only to sign requests (P10). */
export const storeSchema = z.object({
  storeClientId: z.string().min(1),
  storeToken: z.string().min(1),
  state: storeStateSchema,
  names: storeNamesSchema,
  /** A renaming lasts until this time. Meanwhile the store's names may change, and none of its rows is accepted. */
  renamingUntil: epochMsSchema.optional(),
  /** The former kind of name of the store's products. Present until the listings with this kind of name are deleted. */
  formerName: storeNamesSchema.shape.products.optional(),
  /** Whether drift of its listings is repaired. Default: `true`. */
  repair: z.boolean().optional(),
  /**
   * How the store's files write numbers, if a file does not say so itself. Default: decimals have a dot, and an ambiguous number is
   * rejected.
   */
  numbers: notationSchema.optional(),
  /**
   * What a negative stock means. `zero`: it becomes 0. `reject`: its row is rejected, and the stock stays as it was. Default: `zero`, but
   * `reject` in files.
   */
  negativeStock: z.enum(['reject', 'zero']).optional(),
  /** Why the store was suspended, for the operator. */
  stateReason: z.string().optional(),
  ...onboardingFacts,
  connectedAt: isoTimeSchema,
  /** When the state or the token last changed. */
  updatedAt: isoTimeSchema,
  /** Commands given up to this time are rejected. */
  discardedAt: isoTimeSchema.optional(),
  /** Oldest first. */
  unpublishedEvents: z.array(storeEventSchema).optional(),
});

export type StoreEvent = z.infer<typeof storeEventSchema>;
export type StoreSuspended = Extract<StoreEvent, { detailType: 'store.suspended' }>;
export type StoreNames = z.infer<typeof storeNamesSchema>;
/** Both facts are set by each onboarding. */
export type StoreOnboarding = Required<Pick<Store, 'sid'>> & { readonly reference: string | undefined };
export type Store = z.infer<typeof storeSchema>;
export type StoreState = z.infer<typeof storeStateSchema>;

/** A store in answers: without its token and internal fields. */
export const storeViewSchema = storeSchema.omit({
  storeToken: true,
  unpublishedEvents: true,
  renamingUntil: true,
});
export type StoreView = z.infer<typeof storeViewSchema>;

/** The fault of a row or command whose store was never connected to this stack. `field` is a path in the event. */
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
 * The changes of a store's state, besides connecting: valid new credentials connect a store in any state. Waiting work is kept until the
 * store is connected, and then sent.
 */
export const STORE_TRANSITIONS: Readonly<Record<StoreTransitionName, StoreTransition>> = {
  /** AUTH_014: the marketplace refuses the credentials. */
  suspend: { from: ['connected'], to: 'suspended' },
  /** By an operator: the same credentials are valid again. */
  resume: { from: ['suspended'], to: 'connected' },
  /** By an operator (§4.2): the marketplace revokes the token. */
  unbind: { from: ['connected', 'suspended'], to: 'unbound' },
};

/** @throws ConnectorError `STORE_TRANSITION` if the transition is not possible in this state */
export function checkTransition(name: StoreTransitionName, state: StoreState): void {
  const { from } = STORE_TRANSITIONS[name];
  if (from.includes(state)) return;
  throw new ConnectorError(`${name}: the store is ${state}, and must be ${from.join(' or ')}`, {
    code: 'STORE_TRANSITION',
    details: { state, transition: name },
  });
}
