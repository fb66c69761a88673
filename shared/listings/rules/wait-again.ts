import type { EpochMs } from '../../time/times.ts';
import { type Listing, type RegisterName, registersWithout } from '../model.ts';
import { withWaiting } from './waiting.ts';

/**
 * Has registers wait again as if their newest values were not settled. The value that is sent is the newest one at that time.
 * `now` is epoch ms.
 */
export function waitAgain(listing: Listing, names: readonly RegisterName[], now: EpochMs): Listing {
  return withWaiting({ ...listing, settled: registersWithout(listing.settled, names) }, now);
}
