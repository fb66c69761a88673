import { type Listing, type RegisterName, registerEntries } from '../model.ts';
import { withWaiting } from './waiting.ts';

/**
 * Has registers wait again as if their newest values had never been answered. What is sent is the newest value at that time,
 * in its order, and never an older one. `now` is epoch ms.
 */
export function waitAgain(listing: Listing, names: readonly RegisterName[], now: number): Listing {
  const settled = Object.fromEntries(
    registerEntries(listing.settled).filter(([name]) => !names.includes(name)),
  );
  return withWaiting({ ...listing, settled }, now);
}
