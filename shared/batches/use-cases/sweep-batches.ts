import { type OnFailure, setApart } from '../../errors/set-apart.ts';
import { rearmCreatedByBatch } from '../../products/use-cases/rearm-created.ts';
import type { BatchRecord } from '../model.ts';
import type { BatchTable } from '../ports.ts';
import { withLook } from '../rules/take-fact.ts';
import { claimEarlySummary, type MatchSummaryPorts } from './match-summary.ts';
import type { Reading } from './read-back-rows.ts';
import { type ResolveBatchPorts, resolveBatch } from './resolve-batch.ts';

export interface SweepBatchesPorts extends ResolveBatchPorts, MatchSummaryPorts {
  readonly batches: BatchTable;
}

export interface SweepSettings {
  /** Reads of the marketplace after which a sweep takes up no further batch. */
  readonly callBudget: number;
  /** How long after the first look a batch that can not be read back stays open, in milliseconds. */
  readonly graceMs: number;
  /** Ends the sweep; what it has not come to is left to the next one. */
  readonly signal: AbortSignal;
  /** Is told of each batch, or step, that the sweep failed at, or could not read; it goes on with the others. */
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
 * unmatched, or by reading their rows back within a budget of calls; what still can not be told after the grace ends
 * `unresolved`, with an event.
 */
export async function sweepBatches(ports: SweepBatchesPorts, settings: SweepSettings): Promise<SweepReport> {
  const budget = { calls: settings.callBudget, signal: settings.signal };
  const reading: Reading = { budget, catalogs: new Map() };
  const report = { resolved: 0, unresolved: 0, open: 0 };
  for await (const batchId of overdueBatches(ports, settings.onFailure)) {
    if (settings.signal.aborted || budget.calls <= 0) break;
    const settled = await setApart(settings.onFailure, () =>
      settleOverdue(ports, settings, batchId, reading),
    );
    if (settled?.state === 'submitted') report.open += 1;
    else if (settled?.state === 'unresolved') report.unresolved += 1;
    else if (settled !== undefined) report.resolved += 1;
  }
  return report;
}

/**
 * IDs of open batches past their deadline, as the index shows them: it may lag behind. `onFailure` is told of records
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
    // batches, which come to the front with time. Of one that can not be read nobody knows.
    const mayGoOn =
      page.unreadable.length > 0 || page.batches.some(({ deadlineAt = now }) => deadlineAt <= now);
    cursor = mayGoOn ? page.cursor : undefined;
  } while (cursor !== undefined);
}

/** The batch as it stands afterwards; `undefined` when somebody else ended it meanwhile. */
async function settleOverdue(
  ports: SweepBatchesPorts,
  { graceMs }: SweepSettings,
  batchId: string,
  reading: Reading,
): Promise<BatchRecord | undefined> {
  const batch = await ports.batches.get(batchId);
  if (batch?.state !== 'submitted') return undefined;
  const claimed = await claimEarlySummary(ports, batch);
  if (claimed.state !== 'submitted') {
    await rearmCreatedByBatch(ports, claimed);
    return claimed;
  }
  const at = new Date(ports.clock.now()).toISOString();
  const endOfGrace = Date.parse(batch.lookedAt ?? at) + graceMs;
  const record = await resolveBatch(ports, batch, reading, { lastTry: ports.clock.now() >= endOfGrace });
  if (record.state !== 'submitted' || record.lookedAt !== undefined) return record;
  return (await ports.batches.update(batch.batchId, (current) => withLook(current, at))) ?? record;
}
