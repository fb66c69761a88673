import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import {
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../stores/use-cases/for-connected-store.ts';
import type { BatchRecord } from '../model.ts';
import type { RequestArchive } from '../ports.ts';
import { isEnded } from '../rules/batch-record.ts';
import { type OpenRow, openRowsOf, type ReadBackOutcome, resolutionOf } from '../rules/read-back.ts';
import { withFailedReadBack, withResolution } from '../rules/take-fact.ts';
import { type ReadBackRowsPorts, type Reading, readBackRows } from './read-back-rows.ts';
import { announceBatch, type RecordBatchPorts, takeEarlySummary, updateBatch } from './record-batch.ts';

export interface SettleBatchPorts
  extends RecordBatchPorts,
    Omit<ForConnectedStorePorts, 'events'>,
    ReadBackRowsPorts {
  readonly requests: Pick<RequestArchive, 'get'>;
  readonly clock: { now(): number };
}

/**
 * Settles a batch past its deadline: by a final summary that came early, else by reading its rows back. What is there was
 * accepted, what is not was rejected. Rows that can not be read back leave an open batch open for a later try until
 * `graceMs` (milliseconds) after the first one, and end it as unresolved then.
 *
 * @returns the resulting batch, and why some of its rows were not read.
 */
export async function settleByReadBack(
  ports: SettleBatchPorts,
  found: BatchRecord,
  graceMs: number,
  reading: Reading,
): Promise<{ readonly batch: BatchRecord; readonly failure?: unknown }> {
  const batch = await takeEarlySummary(ports, found);
  if (isEnded(batch.state)) return { batch };
  const { batchId, lookedAt, submission: { requestKey } = {} } = batch;
  const at = new Date(ports.clock.now()).toISOString();
  const isLastTry = Date.parse(at) >= Date.parse(lookedAt ?? at) + graceMs;
  const sent = (requestKey === undefined ? undefined : await ports.requests.get(requestKey)) ?? [];
  const rows = openRowsOf(batch, sent);
  const sightings = new Map<number, ReadBackOutcome>();
  const failure = await readBack(ports, batch, rows, reading, sightings);
  const isSettled = rows.every(({ rowIndex }) => (sightings.get(rowIndex) ?? 'unknown') !== 'unknown');
  if (batch.state === 'submitted' && !isSettled && !isLastTry) {
    const looked = await updateBatch(ports, batchId, (current) => withFailedReadBack(current, at));
    return { batch: looked, failure };
  }
  const resolvedAt = new Date(ports.clock.now()).toISOString();
  // Of the newest record: another fact may have settled some of the rows meanwhile.
  const settled = await updateBatch(ports, batchId, (current) =>
    withResolution(
      current,
      current && resolutionOf(current, openRowsOf(current, sent), sightings, { resolvedAt }),
    ),
  );
  await announceBatch(ports, settled);
  return { batch: settled, failure };
}

/** Reads as far as the marketplace and the store's state let it; returns what ended the reading. */
async function readBack(
  ports: SettleBatchPorts,
  { kind, storeClientId = '' }: BatchRecord,
  rows: readonly OpenRow[],
  reading: Reading,
  sightings: Map<number, ReadBackOutcome>,
): Promise<unknown> {
  try {
    await forConnectedStore(ports, storeClientId, (store) =>
      readBackRows({ ...ports, kind, store, reading }, rows, sightings),
    );
    return undefined;
  } catch (error) {
    const isNotConnected = error instanceof ConnectorError && error.code === 'STORE_NOT_CONNECTED';
    if (!isNotConnected && !(error instanceof MarketplaceError)) throw error;
    return error;
  }
}
