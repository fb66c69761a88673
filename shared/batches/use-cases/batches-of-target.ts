import { mapConcurrently, READS_AT_A_TIME } from '../../collections/for-each-concurrently.ts';
import type { ListingTable } from '../../listings/ports.ts';
import type { RejectionTable } from '../../rejections/model.ts';
import type { BatchRecord, ListedBatch } from '../model.ts';
import type { BatchQuery, BatchTable } from '../ports.ts';

export interface BatchesOfTargetPorts {
  readonly batches: Pick<BatchTable, 'get'>;
  readonly listings: Pick<ListingTable, 'get'>;
  readonly rejections: Pick<RejectionTable, 'list'>;
}

/** The batches of a product's last rejections are listed, up to this number of rejections. */
const MOST_REJECTIONS = 50;

/**
 * The last batches of a product, the newest first: the batches that sent its current values, and the batches that rejected a row of
 * it. They are found through the listing and the rejections, as no index has the rows of a batch.
 */
export async function batchesOfTarget(
  ports: BatchesOfTargetPorts,
  stores: readonly string[],
  target: string,
  { state, kind, since = '' }: Pick<BatchQuery, 'state' | 'kind' | 'since'>,
): Promise<ListedBatch[]> {
  const ids = await mapConcurrently(stores, READS_AT_A_TIME, (store) => batchIdsOf(ports, store, target));
  const found = await mapConcurrently([...new Set(ids.flat())], READS_AT_A_TIME, (id) =>
    ports.batches.get(id),
  );
  return found
    .filter((batch): batch is BatchRecord => batch !== undefined)
    .filter((batch) => state === undefined || batch.state === state)
    .filter((batch) => (kind === undefined || batch.kind === kind) && batch.submittedAt >= since)
    .sort((a, b) => (a.submittedAt < b.submittedAt ? 1 : -1));
}

async function batchIdsOf(
  { listings, rejections }: BatchesOfTargetPorts,
  storeClientId: string,
  target: string,
): Promise<string[]> {
  const about = { name: 'target', value: target } as const;
  const [listing, rejected] = await Promise.all([
    listings.get(storeClientId, target),
    rejections.list(storeClientId, { about, newestFirst: true, limit: MOST_REJECTIONS }),
  ]);
  const sent = Object.values(listing?.sent ?? {}).flatMap((register) => register?.batchId ?? []);
  return [...sent, ...rejected.rejections.flatMap(({ batchId }) => batchId ?? [])];
}
