import { z } from 'zod';
import { storeEventSchema } from './events.ts';

/** States of a store on our side (the marketplace's own are in §3); `rules/transitions.ts` has what changes them. */
export const storeStateSchema = z.enum(['connected', 'suspended', 'unbound']);

/** By which of their names a store's products and orders are named: one way each (design §5.1). */
export const storeNamesSchema = z.object({
  products: z.enum(['sku', 'id', 'externalId']),
  orders: z.enum(['orderId', 'invoiceNumber']),
});

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
  untold: z.array(storeEventSchema).optional(),
});

export type StoreNames = z.infer<typeof storeNamesSchema>;
export type Store = z.infer<typeof storeSchema>;
export type StoreState = z.infer<typeof storeStateSchema>;

/** A store without its token and what is only ours to know: what may be shown. */
export const storeViewSchema = storeSchema.omit({ storeToken: true, untold: true, renamingUntil: true });
export type StoreView = z.infer<typeof storeViewSchema>;

export function viewOfStore({ storeToken: _, untold: __, renamingUntil: ___, ...view }: Store): StoreView {
  return view;
}
