import { z } from 'zod';
import { type BatchRecord, type BatchState, CREATION_KINDS } from '../../batches/model.ts';
import type { RequestArchive } from '../../batches/ports.ts';
import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { Clock } from '../../time/clock.ts';
import { DISCARDED, type Listing, registerEntries } from '../model.ts';
import type { LaneWaker, ListingTable } from '../ports.ts';
import { targetFault, targetsOf } from '../rules/target.ts';
import { withWaiting } from '../rules/waiting.ts';

/** Row errors that say that the target does not exist (spec §7): they hold until it is created. */
const missingTargetCodes: ReadonlySet<string> = new Set(['INV_001', 'INV_002', 'PRD_016']);

/** A creation of a target that the marketplace has taken. Times are epoch ms. */
export interface Creation {
  /** The creation's own, as the partner gave it: its values are as old. Any integer version is newer. */
  readonly time: number;
  /** When it was known that the marketplace has taken it; the same whenever it is said again. */
  readonly at: number;
}

/**
 * Has everything wait again that the marketplace does not show now that it has made the target, with the creation's own
 * values: each register that is newer than the creation, whatever was settled before, and what was rejected for want
 * of the target. What was discarded stays so. Said again of the same creation, it only concerns what was rejected.
 * `now` is epoch ms.
 */
export function rearm(listing: Listing, { time, at }: Creation, now: number): Listing {
  const { createdAt = 0, versionKind } = listing;
  const isNewer = (version: number) => at > createdAt && (versionKind === 'integer' || version > time);
  const settled = Object.fromEntries(
    registerEntries(listing.settled).filter(
      ([, { version, code = '' }]) =>
        code === DISCARDED || !(isNewer(version) || missingTargetCodes.has(code)),
    ),
  );
  return withWaiting({ ...listing, settled, createdAt: Math.max(createdAt, at) }, now);
}

export interface RearmTargetsPorts {
  readonly listings: Pick<ListingTable, 'listed' | 'update'>;
  readonly tickets: LaneWaker;
  readonly clock: Pick<Clock, 'now'>;
}

/** Listings written at a time. */
const WRITE_CONCURRENCY = 10;

/**
 * Has the values of `targets` (`sku:…`, `id:…`, `externalId:…`) wait again that their creation has not brought along, see
 * `rearm`. Targets without a listing get none. May be done again for the same creation.
 */
export async function rearmTargets(
  { listings, tickets, clock }: RearmTargetsPorts,
  storeClientId: string,
  targets: readonly string[],
  creation: Creation,
): Promise<void> {
  let isWaiting = false;
  const listable = targets.filter((target) => targetFault(target) === undefined);
  const listed = await listings.listed(storeClientId, listable);
  await forEachConcurrently(listed, WRITE_CONCURRENCY, async (target) => {
    const listing = await listings.update(
      storeClientId,
      target,
      (current) => current && rearm(current, creation, clock.now()),
    );
    isWaiting ||= listing?.waitingSince !== undefined;
  });
  if (isWaiting) await tickets.send([{ storeClientId }]);
}

const namesSchema = z.object({
  sku: z.string().optional(),
  externalId: z.string().optional(),
  variants: z.object({ items: z.array(z.object({ sku: z.string().optional() })) }).optional(),
});

/** States of a batch some of whose rows were accepted, or may have been. */
const CREATED: ReadonlySet<BatchState> = new Set(['completed', 'completed_with_errors', 'unresolved']);

/** Whether the batch has ended, and has created products. */
export function hasCreated({ kind, state }: BatchRecord): boolean {
  return CREATION_KINDS.has(kind) && CREATED.has(state);
}

/**
 * What price and stock rows may name the batch's accepted products and their variants by: `externalId:…`, `sku:…`.
 *
 * @param sent the rows of the request, as they were sent.
 */
export function createdTargets({ rejectedRows }: BatchRecord, sent: readonly unknown[]): string[] {
  const rejected = new Set(rejectedRows.map(({ rowIndex }) => rowIndex));
  return sent
    .filter((_, rowIndex) => !rejected.has(rowIndex))
    .flatMap((row) => {
      const { sku, externalId, variants } = namesSchema.safeParse(row).data ?? {};
      return [{ externalId }, { sku }, ...(variants?.items ?? [])].flatMap(targetsOf);
    });
}

/**
 * Once a batch has created products, has the values of their listings wait again : the products were made with the
 * creation's. May be done again for the same batch.
 *
 * @param sent the rows of the request, as they were sent.
 */
export async function rearmCreated(
  ports: RearmTargetsPorts,
  batch: BatchRecord,
  sent: readonly unknown[],
): Promise<void> {
  const { storeClientId, completedAt, submittedAt } = batch;
  if (storeClientId === undefined || !hasCreated(batch)) return;
  // The batch does not know its commands' times: every value of the listings counts as newer.
  const creation = { time: 0, at: Date.parse(completedAt ?? submittedAt) };
  await rearmTargets(ports, storeClientId, createdTargets(batch, sent), creation);
}

export interface RearmCreatedPorts extends RearmTargetsPorts {
  readonly archive: Pick<RequestArchive, 'get'>;
}

/** `rearmCreated` for a batch whose rows are not at hand; without effect when the archive has forgotten them. */
export async function rearmCreatedByBatch(ports: RearmCreatedPorts, batch: BatchRecord): Promise<void> {
  const requestKey = batch.submission?.requestKey;
  if (requestKey === undefined || !hasCreated(batch)) return;
  await rearmCreated(ports, batch, (await ports.archive.get(requestKey)) ?? []);
}
