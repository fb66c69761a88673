import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import {
  DISCARDED,
  emptyListing,
  type Listing,
  MISSING_TARGET_CODES,
  registerEntries,
  withExternalId,
} from '../model.ts';
import type { ListingTable } from '../ports.ts';
import { targetFault } from '../rules/target.ts';
import { withWaiting } from '../rules/waiting.ts';

/**
 * The listing after its product was created: all its values wait again, because the product has the values of the
 * creation. Discarded values stay discarded. A repeated creation only affects values that were rejected because the
 * product was missing.
 *
 * @param knownAt when the creation became known.
 * @param now epoch ms.
 */
export function rearm(listing: Listing, knownAt: EpochMs, now: EpochMs): Listing {
  const { createdAt = 0 } = listing;
  const isNew = knownAt > createdAt;
  const settled = Object.fromEntries(
    registerEntries(listing.settled).filter(
      ([, { code = '' }]) => code === DISCARDED || !(isNew || MISSING_TARGET_CODES.has(code)),
    ),
  );
  return withWaiting({ ...listing, settled, createdAt: Math.max(createdAt, knownAt) }, now);
}

/** The listing of a created product, without stock and prices. */
export function createdListing(
  product: Pick<Listing, 'storeClientId' | 'target' | 'externalId'> & {
    readonly sameAs: string[];
    readonly knownAt: EpochMs;
  },
): Listing {
  const { sameAs, knownAt, externalId } = product;
  const listing = { ...emptyListing(product), createdAt: knownAt, ...(sameAs.length > 0 && { sameAs }) };
  return withExternalId(listing, externalId);
}

export interface RearmTargetsPorts {
  readonly listings: Pick<ListingTable, 'listed' | 'update'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Creation {
  /** When the creation became known. A repetition has the same time. */
  readonly knownAt: EpochMs;
  /** When it was sent. */
  readonly sentAt?: EpochMs | undefined;
}

/** Whether the created product has lost the listing's name since then. A summary may come after the product's rename. */
function wasRenamed({ renamed }: Listing, { sentAt }: Creation): boolean {
  return renamed !== undefined && sentAt !== undefined && renamed.time > sentAt;
}

/**
 * Applies `rearm` to the listings of created products. May be repeated.
 *
 * @param listingOf the new listing of a created product, by its target; `undefined` if no listing is to be made.
 *   An existing listing takes its `externalId`.
 * @returns whether a value waits.
 */
export async function rearmTargets(
  { listings, clock }: RearmTargetsPorts,
  storeClientId: string,
  targets: readonly string[],
  creation: Creation,
  listingOf: (target: string) => Listing | undefined,
): Promise<boolean> {
  let isWaiting = false;
  const listable = targets.filter((target) => targetFault(target) === undefined);
  const listed = new Set(await listings.listed(storeClientId, listable));
  await forEachConcurrently([...new Set(listable)], AT_A_TIME, async (target) => {
    const made = listingOf(target);
    if (made === undefined && !listed.has(target)) return;
    const listing = await listings.update(
      storeClientId,
      target,
      (current) => {
        if (current === undefined) return made;
        if (wasRenamed(current, creation)) return undefined;
        const rearmed = rearm(current, creation.knownAt, clock.now());
        return made === undefined ? rearmed : withExternalId(rearmed, made.externalId);
      },
      listed.has(target) ? undefined : 'none',
    );
    isWaiting ||= listing?.waitingSince !== undefined;
  });
  return isWaiting;
}
