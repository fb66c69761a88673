import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../time/clock.ts';
import type { ListingTable } from '../ports.ts';
import { endedByRename, movedChanges, type Rename, withMoved } from '../rules/end-by-rename.ts';

interface EndListingPorts {
  readonly listings: Pick<ListingTable, 'get' | 'update'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Ends the listing of a product's old name. First its values go to the listing of the new name, so that a crash in between loses no
 * value. May be repeated.
 *
 * @returns `rejected`: a fault for each moved change that the new name can't take. `isWaiting`: whether a value of the new name waits.
 */
export async function endListing({ listings, clock }: EndListingPorts, rename: Rename) {
  const { storeClientId, from, to } = rename;
  let rejected: ReturnType<typeof withMoved>['rejected'] = [];
  let isWaiting = false;
  for (let isEnded = false; !isEnded; ) {
    const changes = movedChanges(await listings.get(storeClientId, from), rename);
    if (changes.length > 0) {
      const listing = await listings.update(storeClientId, to, (current) => {
        const moved = withMoved(current, changes, clock.now());
        rejected = moved.rejected;
        return moved.listing;
      });
      isWaiting ||= listing?.waitingSince !== undefined;
    }
    await listings.update(storeClientId, from, (current) => {
      // If a late change came in between, repeat: its values go to the new name too.
      isEnded = isDeepStrictEqual(movedChanges(current, rename), changes);
      return isEnded ? endedByRename(current, rename, clock.now()) : undefined;
    });
  }
  return { rejected, isWaiting };
}
