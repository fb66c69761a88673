import { z } from 'zod';
import { listingPartSchema } from './rules/split-update.ts';

/** The product commands queue, for serialized messages. */
export interface ProductMessageQueue {
  /** Durable when it resolves. If it rejects, some messages may be queued. */
  send(bodies: readonly string[]): Promise<void>;
}

/** The prices and stock of a command, for the changes queue. */
export const listingChangesSchema = listingPartSchema.extend({
  storeClientId: z.string(),
  commandId: z.string(),
  /** Epoch ms: when the command was given. The version of the values, unless `version` is given. */
  time: z.number(),
  version: z.number().int().optional(),
});
export type ListingChanges = z.infer<typeof listingChangesSchema>;

/** The changes queue. */
export interface ListingChangeQueue {
  /** Durable when it resolves. Sends nothing if there are no prices and no stock. */
  send(changes: ListingChanges): Promise<void>;
}
