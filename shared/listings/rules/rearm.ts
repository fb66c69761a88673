import { type Listing, registerEntries } from '../model.ts';
import { withWaiting } from './waiting.ts';

/** Row errors that say that the target does not exist (spec §7): they hold until it is created. */
export const missingTargetCodes: ReadonlySet<string> = new Set(['INV_001', 'INV_002', 'PRD_016']);

/** Lets what was rejected for want of its target wait again, now that there is one. `now` is epoch ms. */
export function rearm(listing: Listing, now: number): Listing {
  const settled = Object.fromEntries(
    registerEntries(listing.settled).filter(([, { code = '' }]) => !missingTargetCodes.has(code)),
  );
  return withWaiting({ ...listing, settled, createdAt: now }, now);
}
