import {
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../commands/use-cases/for-connected-store.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import type { RearmTargetsPorts } from '../../listings/use-cases/rearm-targets.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { rearmCreated } from '../../products/use-cases/rearm-created.ts';
import type { BatchRecord } from '../model.ts';
import type { BatchTable, RequestArchive } from '../ports.ts';
import { type OpenRow, openRowsOf, type RowSighting, resolutionOf } from '../rules/read-back.ts';
import { withResolution } from '../rules/take-fact.ts';
import { announceBatch } from './announce-batch.ts';
import { type ReadBackRowsPorts, type Reading, readBackRows } from './read-back-rows.ts';

export interface ResolveBatchPorts extends ForConnectedStorePorts, ReadBackRowsPorts, RearmTargetsPorts {
  readonly batches: Pick<BatchTable, 'update'>;
  readonly requests: Pick<RequestArchive, 'get'>;
  readonly clock: { now(): number };
}

/**
 * Resolves an open batch at its deadline by reading its rows back (design P3): what is there was accepted, what is not
 * was rejected. Rows that can not be read back leave the batch open for a later sweep, unless this is the `lastTry`,
 * which ends it as unresolved.
 *
 * @returns the batch as it then stands
 */
export async function resolveBatch(
  ports: ResolveBatchPorts,
  batch: BatchRecord,
  reading: Reading,
  { lastTry }: { readonly lastTry: boolean },
): Promise<BatchRecord> {
  const sent = await sentRows(ports, batch);
  const rows = openRowsOf(batch, sent);
  const sightings = new Map<number, RowSighting>();
  await readBack(ports, batch, rows, reading, sightings);
  const isTold = rows.every(({ rowIndex }) => (sightings.get(rowIndex) ?? 'unknown') !== 'unknown');
  if (!isTold && !lastTry) return batch;
  const resolvedAt = new Date(ports.clock.now()).toISOString();
  const resolution = resolutionOf(batch, rows, sightings, resolvedAt);
  const record = await ports.batches.update(batch.batchId, (current) => withResolution(current, resolution));
  if (record === undefined) throw new RangeError(`batch ${batch.batchId} is not stored`);
  // In this order: a crash between the two is made up for together with the announcement.
  await rearmCreated(ports, record, sent);
  await announceBatch(ports, record);
  return record;
}

/** Rows whose request is not kept any more have no name by which to look for them. */
async function sentRows({ requests }: ResolveBatchPorts, { submission }: BatchRecord): Promise<unknown[]> {
  const { requestKey, sentRows = 0 } = submission ?? {};
  const kept = requestKey === undefined ? undefined : await requests.get(requestKey);
  return kept ?? Array.from({ length: sentRows });
}

/** As far as the marketplace and the store's state let it. */
async function readBack(
  ports: ResolveBatchPorts,
  { kind, storeClientId = '' }: BatchRecord,
  rows: readonly OpenRow[],
  reading: Reading,
  sightings: Map<number, RowSighting>,
): Promise<void> {
  try {
    await forConnectedStore(ports, storeClientId, (store) =>
      readBackRows(ports, { kind, store }, rows, reading, sightings),
    );
  } catch (error) {
    if (error instanceof MarketplaceError || isStoreNotConnected(error)) return;
    throw error;
  }
}

function isStoreNotConnected(error: unknown): boolean {
  return error instanceof ConnectorError && error.code === 'STORE_NOT_CONNECTED';
}
