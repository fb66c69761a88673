import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { RowOutcome } from '../../listings/rules/settle-row.ts';
import { settleRow } from '../../listings/rules/settle-row.ts';
import type { LaneContext } from './lane-context.ts';
import type { OutgoingRow } from './pick-request.ts';
import type { SignedRequest } from './signed-request.ts';

/** Listings written at a time. */
const WRITE_CONCURRENCY = 10;

/** Writes the outcome of each row into its listing; `undefined` leaves it as it is. */
export async function settleRows(
  { ports }: LaneContext,
  { request, signedAt }: SignedRequest,
  outcomeOf: (index: number) => RowOutcome | undefined,
): Promise<void> {
  const rows: [number, OutgoingRow<unknown>][] = [...request.rows.entries()];
  await forEachConcurrently(rows, WRITE_CONCURRENCY, async ([index, { listing, registers }]) => {
    const outcome = outcomeOf(index);
    if (outcome === undefined) return;
    const { storeClientId, target, versionKind } = listing;
    await ports.listings.update(
      storeClientId,
      target,
      (current) =>
        current && settleRow(current, { registers, versionKind, signedAt }, outcome, ports.clock.now()),
      listing,
    );
  });
}
