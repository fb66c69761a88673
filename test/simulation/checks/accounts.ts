import type { BatchRecord } from '../../../shared/batches/model.ts';
import { type Listing, type RegisterName, registerEntries } from '../../../shared/listings/model.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import type { Simulation } from '../engine/simulation.ts';
import { pendingRegisters } from './listing-view.ts';

/** A batch as the marketplace answered it. */
export interface AnsweredBatch {
  readonly batchId: string;
  readonly rows: number;
  readonly failed: number;
  /** Whether the answer gives the outcome of each row. Default `true`. */
  readonly isClear?: boolean;
}

/** The outcome that a register must have. */
export type Expectation = 'accepted' | 'rejected' | 'either';

/** Nothing waits, and each register has its expected outcome. */
export function checkOutcomes(
  simulation: Simulation,
  listings: readonly Listing[],
  expectedOutcome: (listing: Listing, register: RegisterName) => Expectation,
): void {
  for (const listing of listings) {
    const name = `${listing.storeClientId} ${listing.target}`;
    const waiting = pendingRegisters(listing);
    if (waiting.length > 0) simulation.violate(`P2: ${name} still waits with ${waiting.join(' ')}`);
    for (const [register, settled] of registerEntries(listing.settled)) {
      if (listing.desired[register] === undefined) continue;
      const expected = expectedOutcome(listing, register);
      if (expected === 'either' || settled.outcome === expected) continue;
      simulation.violate(`P2: ${name} ${register} is ${settled.outcome} and not ${expected}`);
    }
  }
}

/** P2: each invalid row is recorded as rejected once, however often its event arrived. */
export function checkBadRows(
  simulation: Simulation,
  badRows: ReadonlyMap<string, number>,
  rejections: Iterable<Rejection>,
): void {
  const rejected = [...rejections].filter(({ code }) => code === 'ROW_INVALID' || code === 'NAME_KIND');
  for (const [event, count] of badRows) {
    const found = rejected.filter(({ eventId }) => eventId === event).length;
    if (found !== count) simulation.violate(`P2: of ${count} bad rows of ${event} ${found} are rejected`);
  }
}

/**
 * P3 and P4: the rows of a batch add up to the sent ones, and its answer ended it, unless it leaves rows unknown; a failed
 * one of these may not count as accepted.
 */
export function checkBatches(
  simulation: Simulation,
  records: readonly BatchRecord[],
  answered: ReadonlyMap<string, AnsweredBatch>,
): void {
  for (const { batchId, rows, state } of records) {
    const truth = answered.get(batchId);
    if (truth === undefined) {
      simulation.violate(`P3: batch ${batchId} is recorded and was never answered for`);
      continue;
    }
    const { rejected, unknown } = rows;
    const isTrue =
      truth.isClear === false
        ? rejected <= truth.failed && rejected + unknown >= truth.failed
        : rejected === truth.failed && unknown === 0;
    if (rows.sent !== truth.rows || !isTrue) {
      simulation.violate(
        `P3: batch ${batchId} of ${JSON.stringify(truth)} is recorded as ${JSON.stringify(rows)}`,
      );
    }
    if (rows.sent !== rows.accepted + rows.rejected + rows.unknown) {
      simulation.violate(`P3: rows of batch ${batchId} do not add up: ${JSON.stringify(rows)}`);
    }
    if (state === 'unmatched' || (state === 'submitted' && unknown === 0)) {
      simulation.violate(`P4: batch ${batchId} is still ${state}`);
    }
  }
}
