import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { forConnectedStore } from '../../stores/use-cases/for-connected-store.ts';
import type { BatchRecord } from '../model.ts';
import type { SettleBatchPorts } from '../ports.ts';
import { withFailedReadBack, withResolution } from '../rules/apply-fact.ts';
import { isEnded } from '../rules/batch-record.ts';
import { type OpenRow, openRowsOf, type ReadBackOutcome, resolutionOf } from '../rules/read-back.ts';
import { type Reading, readBackRows } from './read-back-rows.ts';
import { announceBatch, takeEarlySummary, updateBatch } from './record-batch.ts';

/**
 * Settles a batch past its deadline by a final summary that came early, else by read-back. Rows whose effect is found
 * are accepted, others rejected. If rows can't be read, an open batch stays open for another try. It ends as unresolved
 * `graceMs` (milliseconds) after the first try.
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
  const sent = (requestKey === undefined ? undefined : await ports.archive.get(requestKey)) ?? [];
  const rows = openRowsOf(batch, sent);
  const outcomes = new Map<number, ReadBackOutcome>();
  const failure = await readBack(ports, batch, rows, reading, outcomes);
  const isSettled = rows.every(({ rowIndex }) => (outcomes.get(rowIndex) ?? 'unknown') !== 'unknown');
  if (batch.state === 'submitted' && !isSettled && !isLastTry) {
    const looked = await updateBatch(ports, batchId, (current) => withFailedReadBack(current, at));
    return { batch: looked, failure };
  }
  const resolvedAt = new Date(ports.clock.now()).toISOString();
  // From the newest record: another fact may have settled some rows meanwhile.
  const settled = await updateBatch(ports, batchId, (current) =>
    withResolution(
      current,
      current && resolutionOf(current, openRowsOf(current, sent), outcomes, { resolvedAt }),
    ),
  );
  await announceBatch(ports, settled);
  return { batch: settled, failure };
}

/** Reads rows back into `outcomes`; returns the error that ended it early, if any. */
async function readBack(
  ports: SettleBatchPorts,
  { kind, storeClientId = '' }: BatchRecord,
  rows: readonly OpenRow[],
  reading: Reading,
  outcomes: Map<number, ReadBackOutcome>,
): Promise<unknown> {
  try {
    await forConnectedStore(ports, storeClientId, (store) =>
      readBackRows({ ...ports, kind, store, reading }, rows, outcomes),
    );
    return undefined;
  } catch (error) {
    const isNotConnected = error instanceof ConnectorError && error.code === 'STORE_NOT_CONNECTED';
    if (!isNotConnected && !(error instanceof MarketplaceError)) throw error;
    return error;
  }
}
