import { isolateFailure, type OnFailure } from '../../errors/isolate-failure.ts';
import type { BatchRecord } from '../model.ts';
import type { BatchTable } from '../ports.ts';
import type { Reading } from './read-back-rows.ts';
import { announceBatch } from './record-batch.ts';
import { type SettleBatchPorts, settleByReadBack } from './settle-batch.ts';

export interface SweepBatchesPorts extends SettleBatchPorts {
  readonly batches: BatchTable;
}

export interface SweepSettings {
  /** Reads of the marketplace after which a sweep takes up no further batch. */
  readonly callBudget: number;
  /** How long after the first look a batch that can not be read back stays open, in milliseconds. */
  readonly graceMs: number;
  /** Ends the sweep; what it has not come to is left to the next one. */
  readonly signal: AbortSignal;
  /** Called for each batch, or step, that the sweep failed at, or could not read; it goes on with the others. */
  readonly onFailure: OnFailure;
}

/** Batches that a sweep took up, by how they stood afterwards. */
export interface SweepReport {
  readonly resolved: number;
  readonly unresolved: number;
  /** Still open: for a later sweep. */
  readonly open: number;
}

const BATCHES_PER_PAGE = 25;

/**
 * Takes up the batches that are open past their deadline, the oldest first: by a final summary that was kept as
 * unmatched, or by reading their rows back within a budget of calls; what is still unknown after the grace ends
 * `unresolved`, with an event.
 */
export async function sweepBatches(ports: SweepBatchesPorts, settings: SweepSettings): Promise<SweepReport> {
  const { callBudget, signal } = settings;
  const reading: Reading = { calls: callBudget, signal, catalogs: new Map() };
  const report = { resolved: 0, unresolved: 0, open: 0 };
  for await (const batchId of overdueBatches(ports, settings.onFailure)) {
    if (signal.aborted || reading.calls <= 0) break;
    const settled = await isolateFailure(settings.onFailure, () =>
      settleOverdue(ports, settings, batchId, reading),
    );
    if (settled?.state === 'submitted') report.open += 1;
    else if (settled?.state === 'unresolved') report.unresolved += 1;
    else if (settled !== undefined) report.resolved += 1;
  }
  return report;
}

/**
 * IDs of open batches past their deadline, as the index shows them: it may lag behind. `onFailure` is called for records
 * that can not be read.
 */
async function* overdueBatches(
  { batches, clock }: SweepBatchesPorts,
  onFailure: OnFailure,
): AsyncGenerator<string> {
  const now = new Date(clock.now()).toISOString();
  let cursor: string | undefined;
  do {
    const page = await batches.listOpen({ limit: BATCHES_PER_PAGE, cursor });
    for (const error of page.unreadable) onFailure(error);
    for (const { batchId, deadlineAt = now } of page.batches) if (deadlineAt <= now) yield batchId;
    // Later ones were submitted later: once none of a page is due, none after it is, but for the abandoned steps' own
    // batches, which come to the front with time. One that can not be read may be due.
    const mayGoOn =
      page.unreadable.length > 0 || page.batches.some(({ deadlineAt = now }) => deadlineAt <= now);
    cursor = mayGoOn ? page.cursor : undefined;
  } while (cursor !== undefined);
}

/** @returns the resulting batch; `undefined` when it ended meanwhile */
async function settleOverdue(
  ports: SweepBatchesPorts,
  { graceMs }: SweepSettings,
  batchId: string,
  reading: Reading,
): Promise<BatchRecord | undefined> {
  const found = await ports.batches.get(batchId);
  if (found?.state !== 'submitted') return undefined;
  return (await settleByReadBack(ports, found, graceMs, reading)).batch;
}

/** What ends a batch announces it at once, unless its function dies. Milliseconds. */
const LEFT_AFTER_MS = 5 * 60_000;

/**
 * Announces the batches whose state was recorded by a function that died before it could report it; see `announceBatch`.
 *
 * @param signal ends the work; what is left is left to the next sweep.
 * @param onFailure is called for each batch that could not be announced; the others are all the same.
 * @returns how many batches were announced.
 */
export async function announcePending(
  ports: SweepBatchesPorts,
  { signal, onFailure }: { readonly signal: AbortSignal; readonly onFailure: OnFailure },
): Promise<number> {
  const dueBefore = new Date(ports.clock.now() - LEFT_AFTER_MS).toISOString();
  let announced = 0;
  let cursor: string | undefined;
  do {
    const page = await ports.batches.listUnannounced({ dueBefore, limit: BATCHES_PER_PAGE, cursor });
    for (const batchId of page.batchIds) {
      if (signal.aborted) return announced;
      const isAnnounced = await isolateFailure(onFailure, async () => {
        const batch = await ports.batches.get(batchId);
        if (batch !== undefined) await announceBatch(ports, batch);
        return batch !== undefined;
      });
      if (isAnnounced) announced += 1;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return announced;
}
