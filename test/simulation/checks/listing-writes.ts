import type { Listing, Register } from '../../../shared/listings/model.ts';
import { registerEntries } from '../../../shared/listings/model.ts';
import { timeOf } from '../../../shared/listings/pages/page-places.ts';
import type { Simulation } from '../engine/simulation.ts';
import { pendingZeros, zerosDueAt } from './listing-view.ts';

/**
 * At every write of a listing: the outcome of a register is never replaced by that of an older value, however late that
 * arrives, and a zero is found from the time at which it may be sent.
 */
export function checkListingWrite(
  simulation: Simulation,
  before: Listing | undefined,
  after: Listing | undefined,
): void {
  if (after?.page !== undefined && pendingZeros(after).length > 0 && timeOf(after.page) > zerosDueAt(after)) {
    simulation.violate(`P5: a zero of ${after.target} waits in page ${after.page} without a reason`);
  }
  for (const [name, known] of registerEntries(before?.settled ?? {})) {
    const settled = after?.settled[name];
    if (settled === undefined || !isOlder(settled, known)) continue;
    simulation.violate(
      `P2: ${after?.target} ${name} is settled by ${JSON.stringify(settled)} after ${JSON.stringify(known)}`,
    );
  }
}

/** Among values of one version the smaller is newer; a special price is newer than none. */
function isOlder(a: Register, b: Register): boolean {
  if (a.version !== b.version) return a.version < b.version;
  if (a.value === null || b.value === null) return a.value === null && b.value !== null;
  return a.value > b.value;
}
