import { type Listing, type RegisterName, registerEntries } from '../model.ts';
import { withWaiting } from './waiting.ts';

/**
 * Has registers wait again as if their newest values were not settled. The value that is sent is the newest one at that time.
 * `now` is epoch ms.
 */
export function waitAgain(listing: Listing, names: readonly RegisterName[], now: number): Listing {
  const settled = Object.fromEntries(
    registerEntries(listing.settled).filter(([name]) => !names.includes(name)),
  );
  return withWaiting({ ...listing, settled }, now);
}
