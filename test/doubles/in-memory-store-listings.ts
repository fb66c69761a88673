import type { StoreListings } from '../../shared/imports/ports.ts';
import { listingStandingOf } from '../../shared/imports/rules/full-names.ts';
import { type Listing, newestStockVersion } from '../../shared/listings/model.ts';
import { isEnded } from '../../shared/listings/rules/end-by-rename.ts';
import { compareText } from './page-of.ts';
import { directly, type Step } from './step.ts';
import type { VersionedItems } from './versioned-items.ts';

/** The listings of stores in memory, in pages of `pageSize`. */
export function inMemoryStoreListings(
  step: Step = directly,
  items: Pick<VersionedItems<Listing>, 'all'>,
  pageSize = 2,
): StoreListings {
  return {
    stockPage: (storeClientId, name, after = '') =>
      step(`listings.stockPage ${storeClientId}`, () => {
        const rest = items
          .all()
          .filter((one) => one.storeClientId === storeClientId && one.target.startsWith(`${name}:`))
          .filter(({ target }) => compareText(target, after) > 0)
          .sort((a, b) => compareText(a.target, b.target));
        const page = rest.slice(0, pageSize);
        const next = rest.length > pageSize ? page.at(-1)?.target : undefined;
        const listings = page
          .filter((one) => !isEnded(one))
          .map(({ target, versionKind, desired, ...answers }) => ({
            target,
            versionKind,
            standing: listingStandingOf(answers),
            newest: newestStockVersion({ desired }),
            knownAt: answers.createdAt,
          }));
        return { listings, ...(next !== undefined && { next }) };
      }),

    getMany: (storeClientId, targets) =>
      step(`listings.getMany ${storeClientId}`, () => {
        const own = items.all().filter((one) => one.storeClientId === storeClientId);
        return new Map(own.filter(({ target }) => targets.includes(target)).map((one) => [one.target, one]));
      }),
  };
}
