import { z } from 'zod';
import type { BatchRecord } from '../batches/model.ts';
import type { SupersededFields } from '../batches/ports.ts';
import { fieldVersionSchema } from '../requests/model.ts';
import { type BatchEndPorts, listingChangesSchema } from './ports.ts';
import { newestFields, settledBy } from './rules/newest-fields.ts';

/** The effects of an update on listings, once the marketplace has accepted it. */
const followUpSchema = z.object({ skus: z.array(z.string()), changes: listingChangesSchema });
export type FollowUp = z.infer<typeof followUpSchema>;

/** An update of unknown outcome, archived until its read-back. */
const readBackSchema = fieldVersionSchema.extend({
  id: z.string(),
  changes: z.record(z.string(), z.unknown()),
  followUp: followUpSchema,
});

/**
 * Queues the prices and stock of an accepted update as changes of listings. Also sends all values of the SKUs that the
 * update set again: the product or variant with such a SKU may never have received them. Idempotent.
 *
 * @param knownAt epoch ms: when the update was known to be accepted; the same at every call.
 */
export async function followUpdate(
  { changes: queue }: Pick<BatchEndPorts, 'changes'>,
  storeClientId: string,
  { skus, changes }: FollowUp,
  knownAt: number,
): Promise<void> {
  await queue.sendCreated({ storeClientId, products: skus.map((sku) => ({ sku })), knownAt });
  await queue.send(changes);
}

/**
 * Applies the resolution of an update of unknown outcome. Its fields count as set, unless it was not done: then an older
 * update of these fields may be sent. Idempotent.
 */
export async function followResolution(
  ports: BatchEndPorts,
  { kind, state, storeClientId, submission, completedAt = '' }: BatchRecord,
): Promise<void> {
  if (kind !== 'product-update' || state === 'submitted') return;
  if (submission?.requestKey === undefined || storeClientId === undefined) return;
  const [sent] = (await ports.archive.get(submission.requestKey)) ?? [];
  const { data } = readBackSchema.safeParse(sent);
  if (data === undefined) return;
  const { id, changes, followUp, time, commandId } = data;
  const update = { time, commandId, senderId: '' };
  const taken = state === 'failed' ? [] : Object.keys(changes);
  await ports.locks.update(productKey(storeClientId, id), (current) =>
    settledBy(current, update, { taken, release: false, now: ports.clock.now() }),
  );
  if (state === 'completed') await followUpdate(ports, storeClientId, followUp, Date.parse(completedAt));
}

/** Fields of an archived update that newer updates have set, or may have set. */
export async function supersededFields(
  { locks, clock }: Pick<BatchEndPorts, 'locks' | 'clock'>,
  storeClientId: string,
  sent: unknown,
): Promise<SupersededFields> {
  const { data } = readBackSchema.safeParse(sent);
  if (data === undefined) return { set: [], claimed: [] };
  const { id, changes, time, commandId } = data;
  const update = { time, commandId, senderId: '', fields: Object.keys(changes) };
  const product = await locks.update(productKey(storeClientId, id), () => undefined);
  const now = clock.now();
  const unset = newestFields(product && { ...product, claims: [] }, update, now);
  const own = newestFields(product, update, now);
  return {
    set: update.fields.filter((field) => !unset.includes(field)),
    claimed: unset.filter((field) => !own.includes(field)),
  };
}

/** Key of a product's lock. */
export function productKey(storeClientId: string, productId: string | undefined): string {
  return `product#${storeClientId}#${productId}`;
}
