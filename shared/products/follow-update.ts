import { z } from 'zod';
import type { BatchRecord } from '../batches/model.ts';
import type { RequestArchive } from '../batches/ports.ts';
import type { OvertakenFields } from '../batches/use-cases/read-back-rows.ts';
import { type RearmTargetsPorts, rearmTargets } from '../listings/use-cases/rearm.ts';
import type { LockTable } from '../requests/ports.ts';
import { type ListingChangeQueue, listingChangesSchema } from './ports.ts';
import { newestFields, settledBy } from './rules/newest-fields.ts';

/** What follows once the marketplace has taken an update. */
const followUpSchema = z.object({ skus: z.array(z.string()), changes: listingChangesSchema });
export type FollowUp = z.infer<typeof followUpSchema>;

/** An update whose outcome is unknown, as it is archived until it is read back. */
const readBackSchema = z.object({
  id: z.string(),
  changes: z.record(z.string(), z.unknown()),
  followUp: followUpSchema,
});

export interface FollowUpdatePorts extends RearmTargetsPorts {
  readonly changes: ListingChangeQueue;
}

export interface FollowResolutionPorts extends FollowUpdatePorts {
  readonly locks: LockTable;
  readonly archive: Pick<RequestArchive, 'get'>;
  readonly clock: { now(): number };
}

/**
 * Gives listings their values, and has all values of the SKUs wait again that the update gave: the product or variant that
 * has such a SKU now may never have had them.
 *
 * @param knownAt epoch ms: when it was known that the update was taken; the same whenever this is done again.
 */
export async function followUpdate(
  ports: FollowUpdatePorts,
  storeClientId: string,
  { skus, changes }: FollowUp,
  knownAt: number,
): Promise<void> {
  const targets = skus.map((sku) => `sku:${sku}`);
  await rearmTargets(ports, storeClientId, targets, { time: 0, at: knownAt });
  await ports.changes.send(changes);
}

/**
 * What follows once an update of unknown outcome was read back or resolved: its fields count as set, unless it was not
 * done; then they are free for an older update that waits for them. May be done again for the same batch.
 */
export async function followResolution(
  ports: FollowResolutionPorts,
  { kind, state, storeClientId, submission, completedAt = '' }: BatchRecord,
): Promise<void> {
  if (kind !== 'product-update' || state === 'submitted') return;
  if (submission?.requestKey === undefined || storeClientId === undefined) return;
  const [sent] = (await ports.archive.get(submission.requestKey)) ?? [];
  const { data } = readBackSchema.safeParse(sent);
  if (data === undefined) return;
  const { id, changes, followUp } = data;
  const update = { ...followUp.changes, senderId: '' };
  const taken = state === 'failed' ? [] : Object.keys(changes);
  await ports.locks.update(productKey(storeClientId, id), (current) =>
    settledBy(current, update, { taken, release: false, now: ports.clock.now() }),
  );
  if (state === 'completed') await followUpdate(ports, storeClientId, followUp, Date.parse(completedAt));
}

/** Fields of an archived update that newer updates have set, or may have set. */
export async function overtakenFields(
  { locks, clock }: Pick<FollowResolutionPorts, 'locks' | 'clock'>,
  storeClientId: string,
  sent: unknown,
): Promise<OvertakenFields> {
  const { data } = readBackSchema.safeParse(sent);
  if (data === undefined) return { set: [], claimed: [] };
  const { id, changes, followUp } = data;
  const update = { ...followUp.changes, senderId: '', fields: Object.keys(changes) };
  const thing = await locks.update(productKey(storeClientId, id), () => undefined);
  const now = clock.now();
  const unset = newestFields(thing && { ...thing, claims: [] }, update, now);
  const own = newestFields(thing, update, now);
  return {
    set: update.fields.filter((field) => !unset.includes(field)),
    claimed: unset.filter((field) => !own.includes(field)),
  };
}

/** Key of a product's lock. */
export function productKey(storeClientId: string, productId: string | undefined): string {
  return `product#${storeClientId}#${productId}`;
}
