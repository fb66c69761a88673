import { z } from 'zod';
import { listingPartSchema } from './rules/split-update.ts';

/** The prices and stock of a command, for the changes queue. */
export const listingChangesSchema = listingPartSchema.extend({
  storeClientId: z.string(),
  commandId: z.string(),
  /** Epoch ms: when the command was given. The version of the values, unless `version` is given. */
  time: z.number(),
  version: z.number().int().optional(),
});
export type ListingChanges = z.infer<typeof listingChangesSchema>;

/** Names of a product or variant; at least one. */
export interface CreatedProduct {
  readonly sku?: string | undefined;
  readonly externalId?: string | undefined;
}

/** The changes queue, for products whose listings must be sent again. */
export interface CreatedProductQueue {
  /** Durable when it resolves. `knownAt`, epoch ms, must be the same in a repetition. Sends nothing without products. */
  sendCreated(created: {
    readonly storeClientId: string;
    readonly products: readonly CreatedProduct[];
    readonly knownAt: number;
  }): Promise<void>;
}

/** The changes queue. */
export interface ListingChangeQueue extends CreatedProductQueue {
  /** Durable when it resolves. Sends nothing if there are no prices and no stock. */
  send(changes: ListingChanges): Promise<void>;
}
