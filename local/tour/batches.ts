import type { BatchRecord } from '../../shared/batches/model.ts';
import type { Partner } from '../run/partner.ts';

/** Reads all batches of a store and kind since a time (ISO 8601) from the operations API. */
export async function batchesSince(
  partner: Partner,
  query: { kind: string; since: string; storeClientId: string },
): Promise<BatchRecord[]> {
  const batches: BatchRecord[] = [];
  let cursor: string | undefined;
  do {
    const parameters = new URLSearchParams({
      ...query,
      limit: '500',
      ...(cursor === undefined ? {} : { cursor }),
    });
    parameters.sort();
    const { status, body } = await partner.callApi('GET', `/batches?${parameters}`);
    if (status !== 200) throw new Error(`GET /batches: ${status} ${JSON.stringify(body)}`);
    batches.push(...body.batches);
    cursor = body.cursor;
  } while (cursor !== undefined);
  return batches;
}

/** The sums of the batches' row counts. */
export function addRows(batches: readonly BatchRecord[]) {
  const sum = { sent: 0, accepted: 0, rejected: 0, unknown: 0 };
  for (const { rows } of batches) {
    sum.sent += rows.sent;
    sum.accepted += rows.accepted;
    sum.rejected += rows.rejected;
    sum.unknown += rows.unknown;
  }
  return sum;
}
