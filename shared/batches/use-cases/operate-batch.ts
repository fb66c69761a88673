import { ConnectorError } from '../../errors/connector-error.ts';
import type { EpochMs } from '../../time/times.ts';
import type { BatchRecord } from '../model.ts';
import type { BatchTable, RecordBatchPorts, SettleBatchPorts } from '../ports.ts';
import { asDiscarded, withResolution } from '../rules/apply-fact.ts';
import { isBatchEnded } from '../rules/batch-record.ts';
import { type OperatorResolution, openRowsOf, operatorOutcomes, resolutionOf } from '../rules/read-back.ts';
import { announceBatch } from './announce-batch.ts';
import type { Reading } from './read-back-rows.ts';
import { updateBatch } from './record-batch.ts';
import { type SweepSettings, settleByReadBack } from './settle-batches.ts';

/**
 * Reads the unknown rows of a batch back now. The batch must be unresolved, or open past its deadline. If `signal` stops the
 * read-back, the outcomes found until then count.
 *
 * @throws ConnectorError `BATCH_UNKNOWN`; `BATCH_ENDED`; `BATCH_OPEN` before the deadline; `STORE_NOT_CONNECTED`
 * @throws MarketplaceError if a failed read leaves rows unknown
 */
export async function readBackBatch(
  ports: SettleBatchPorts,
  batchId: string,
  { graceMs, callBudget, signal }: Omit<SweepSettings, 'onFailure'>,
): Promise<BatchRecord> {
  const found = overdue(batchId, await ports.batches.get(batchId), ports.clock.now());
  const reading: Reading = { calls: callBudget, signal, catalogs: new Map() };
  const { batch, failure } = await settleByReadBack(ports, found, graceMs, reading);
  if (failure !== undefined && !isBatchEnded(batch.state)) throw failure;
  return batch;
}

/**
 * Ends a batch by an operator's resolution. The batch must be unresolved, or open past its deadline. A later final
 * summary that differs is reported as `summary.contradicted`.
 *
 * @throws ConnectorError `BATCH_UNKNOWN`; `BATCH_ENDED`; `BATCH_OPEN` before the deadline; and the errors of `operatorOutcomes`
 */
export async function resolveBatch(
  ports: RecordBatchPorts & Pick<SettleBatchPorts, 'clock'>,
  batchId: string,
  given: OperatorResolution,
): Promise<BatchRecord> {
  const now = ports.clock.now();
  const resolvedAt = new Date(now).toISOString();
  const resolved = await updateBatch(ports, batchId, (current) => {
    const batch = overdue(batchId, current, now);
    const outcomes = operatorOutcomes(batch, given);
    const facts = { resolvedAt, by: 'operator' } as const;
    return withResolution(batch, resolutionOf(batch, openRowsOf(batch, []), outcomes, facts));
  });
  await announceBatch(ports, resolved);
  return resolved;
}

/**
 * Discards a final summary that matches no batch. A redelivery has no effect. If the batch appears later, the summary
 * still ends it.
 *
 * @throws ConnectorError `SUMMARY_UNKNOWN` if no unmatched summary has this ID
 */
export async function discardSummary(
  { batches }: { readonly batches: Pick<BatchTable, 'update'> },
  batchId: string,
): Promise<BatchRecord> {
  const record = await batches.update(batchId, (current) =>
    current?.state === 'unmatched' ? asDiscarded(current) : undefined,
  );
  if (record?.state === 'discarded') return record;
  throw new ConnectorError(`no unmatched summary ${batchId}`, { code: 'SUMMARY_UNKNOWN' });
}

/** The batch, if an operator may settle it at `now`. Otherwise throws `BATCH_UNKNOWN`, `BATCH_ENDED` or `BATCH_OPEN`. */
function overdue(batchId: string, batch: BatchRecord | undefined, now: EpochMs): BatchRecord {
  if (batch?.submission === undefined)
    throw new ConnectorError(`no batch ${batchId}`, { code: 'BATCH_UNKNOWN' });
  const { state, deadlineAt } = batch;
  if (isBatchEnded(state))
    throw new ConnectorError(`batch ${batchId} has ended: ${state}`, { code: 'BATCH_ENDED' });
  if (state === 'submitted' && deadlineAt !== undefined && Date.parse(deadlineAt) > now)
    throw new ConnectorError(`batch ${batchId} waits for its final summary until ${deadlineAt}`, {
      code: 'BATCH_OPEN',
    });
  return batch;
}
