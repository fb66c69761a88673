import { eachPage } from '../../collections/page-request.ts';
import { withLogKeys } from '../../correlation/log-keys.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { isolateFailure, type OnFailure } from '../../errors/isolate-failure.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { forConnectedStore } from '../../stores/use-cases/for-connected-store.ts';
import type { BatchRecord } from '../model.ts';
import type { SettleBatchPorts } from '../ports.ts';
import { withFailedReadBack, withResolution } from '../rules/apply-fact.ts';
import { isBatchEnded } from '../rules/batch-record.ts';
import { type OpenRow, openRowsOf, type RowOutcome, resolutionOf } from '../rules/read-back.ts';
import { announceBatch } from './announce-batch.ts';
import { type Reading, readBackRows } from './read-back-rows.ts';
import { takeEarlySummary, updateBatch } from './record-batch.ts';

/**
 * Settles a batch past its deadline by a final summary that came early, or else by read-back. A row whose effect is found is
 * accepted; a row whose effect is missing is rejected. If rows can't be read, an open batch stays open for another try. The batch
 * becomes unresolved `graceMs` after the first try.
 *
 * @returns the resulting batch. `failure` says why some of its rows were not read.
 */
export async function settleByReadBack(
  ports: SettleBatchPorts,
  found: BatchRecord,
  graceMs: number,
  reading: Reading,
): Promise<{ readonly batch: BatchRecord; readonly failure?: unknown }> {
  const batch = await takeEarlySummary(ports, found);
  if (isBatchEnded(batch.state)) return { batch };
  const { batchId, lookedAt, submission: { requestKey } = {} } = batch;
  const at = new Date(ports.clock.now()).toISOString();
  const isLastTry = Date.parse(at) >= Date.parse(lookedAt ?? at) + graceMs;
  const sent = (requestKey === undefined ? undefined : await ports.archive.get(requestKey)) ?? [];
  const rows = openRowsOf(batch, sent);
  const outcomes = new Map<number, RowOutcome>();
  const failure = await readBack(ports, batch, rows, reading, outcomes);
  const isSettled = rows.every(({ rowIndex }) => (outcomes.get(rowIndex) ?? 'unknown') !== 'unknown');
  if (batch.state === 'submitted' && !isSettled && !isLastTry) {
    const looked = await updateBatch(ports, batchId, (current) => withFailedReadBack(current, at));
    return { batch: looked, failure };
  }
  const resolvedAt = new Date(ports.clock.now()).toISOString();
  // Use the newest record: another fact may have settled some rows meanwhile.
  const settled = await updateBatch(ports, batchId, (current) =>
    withResolution(
      current,
      current && resolutionOf(current, openRowsOf(current, sent), outcomes, { resolvedAt }),
    ),
  );
  await announceBatch(ports, settled);
  return { batch: settled, failure };
}

/** Reads rows back into `outcomes`. Returns the error that ended the read-back early, if any. */
async function readBack(
  ports: SettleBatchPorts,
  { kind, storeClientId = '', attemptId: recordId = '' }: BatchRecord,
  rows: readonly OpenRow[],
  reading: Reading,
  outcomes: Map<number, RowOutcome>,
): Promise<unknown> {
  try {
    await forConnectedStore(ports, storeClientId, (store) =>
      readBackRows({ ...ports, kind, recordId, store, reading }, rows, outcomes),
    );
    return undefined;
  } catch (error) {
    const isNotConnected = error instanceof ConnectorError && error.code === 'STORE_NOT_CONNECTED';
    if (!isNotConnected && !(error instanceof MarketplaceError)) throw error;
    return error;
  }
}

export interface SweepSettings {
  /** After this many reads of the marketplace a sweep begins no further batch. */
  readonly callBudget: number;
  /** A batch stays open for this long after its first failed read-back. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
  /** Gets the error of each record that failed or could not be read. Other records are still processed. */
  readonly onFailure: OnFailure;
}

/** Batches that a sweep processed, by their state afterwards. */
export interface SweepReport {
  readonly resolved: number;
  readonly unresolved: number;
  /** Batches that are left for a later sweep. */
  readonly open: number;
}

const BATCHES_PER_PAGE = 25;

/** Settles the batches that are open past their deadline, oldest first; see `settleByReadBack`. */
export async function sweepBatches(ports: SettleBatchPorts, settings: SweepSettings): Promise<SweepReport> {
  const { callBudget, signal } = settings;
  const reading: Reading = { calls: callBudget, signal, catalogs: new Map() };
  const report = { resolved: 0, unresolved: 0, open: 0 };
  for await (const batchId of overdueBatches(ports, settings.onFailure)) {
    if (signal.aborted || reading.calls <= 0) break;
    const settled = await withLogKeys({ batchId }, () =>
      isolateFailure(settings.onFailure, () => settleOverdue(ports, settings, batchId, reading)),
    );
    if (settled?.state === 'submitted') report.open += 1;
    else if (settled?.state === 'unresolved') report.unresolved += 1;
    else if (settled !== undefined) report.resolved += 1;
  }
  return report;
}

/** IDs of open batches past their deadline. Eventually consistent. */
async function* overdueBatches(
  { batches, clock }: SettleBatchPorts,
  onFailure: OnFailure,
): AsyncGenerator<string> {
  const now = new Date(clock.now()).toISOString();
  for await (const page of eachPage((from) => batches.listOpen({ limit: BATCHES_PER_PAGE, ...from }))) {
    for (const error of page.unreadable) onFailure(error);
    for (const { batchId, deadlineAt = now } of page.batches) if (deadlineAt <= now) yield batchId;
    // Batches are ordered by submission: after a page without a due batch, no batch is due. But an unreadable record may be due, and
    // the batch of an abandoned request is due at once; a later sweep finds it near the front.
    const isKnown = page.batches.length > 0 && page.unreadable.length === 0;
    if (isKnown && page.batches.every(({ deadlineAt = now }) => deadlineAt > now)) return;
  }
}

/** @returns the resulting batch; `undefined` if the batch has ended meanwhile */
async function settleOverdue(
  ports: SettleBatchPorts,
  { graceMs }: SweepSettings,
  batchId: string,
  reading: Reading,
): Promise<BatchRecord | undefined> {
  const found = await ports.batches.get(batchId);
  if (found?.state !== 'submitted') return undefined;
  return (await settleByReadBack(ports, found, graceMs, reading)).batch;
}

/** A function that changes a batch publishes the change within this time, unless it is stopped. */
const PUBLISHED_WITHIN_MS = 5 * 60_000;

/**
 * Publishes the events of batches whose function was stopped before it published them; see `announceBatch`.
 *
 * @param signal stops the sweep. The next sweep processes the rest.
 * @param onFailure gets the error of each batch that failed. Other batches are still processed.
 * @returns how many batches were announced.
 */
export async function announcePending(
  ports: SettleBatchPorts,
  { signal, onFailure }: { readonly signal: AbortSignal; readonly onFailure: OnFailure },
): Promise<number> {
  const dueBefore = new Date(ports.clock.now() - PUBLISHED_WITHIN_MS).toISOString();
  let announced = 0;
  const range = { dueBefore, limit: BATCHES_PER_PAGE };
  for await (const page of eachPage((from) => ports.batches.listUnannounced({ ...range, ...from }))) {
    for (const batchId of page.batchIds) {
      if (signal.aborted) return announced;
      const isAnnounced = await withLogKeys({ batchId }, () =>
        isolateFailure(onFailure, async () => {
          const batch = await ports.batches.get(batchId);
          if (batch !== undefined) await announceBatch(ports, batch);
          return batch !== undefined;
        }),
      );
      if (isAnnounced) announced += 1;
    }
  }
  return announced;
}
