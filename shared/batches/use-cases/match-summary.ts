import type { BatchRecord, FinalSummary } from '../model.ts';
import type { BatchTable } from '../ports.ts';
import { asMatched } from '../rules/take-fact.ts';
import type { AnnounceBatchPorts } from './announce-batch.ts';
import { recordSummary } from './record-summary.ts';

export interface MatchSummaryPorts extends AnnounceBatchPorts {
  readonly batches: Pick<BatchTable, 'get' | 'update' | 'link' | 'linkedTo'>;
}

/** The IDs that a final summary names; at least one. */
interface SummaryIds {
  readonly batchId?: string | undefined;
  readonly requestId?: string | undefined;
}

/**
 * Brings a final summary to its batch, by the `batchId` or the `requestId` that it names, and keeps it as unmatched
 * where there is none yet. Whoever of batch and summary comes second finds the other, as each first writes its own
 * record and then looks for the other's.
 */
export async function matchSummary(
  ports: MatchSummaryPorts,
  ids: SummaryIds,
  finalSummary: FinalSummary,
): Promise<BatchRecord> {
  const keptUnder = ids.batchId ?? ids.requestId;
  if (keptUnder === undefined) throw new RangeError('the summary names no batch');
  const known = await findBatch(ports, ids);
  if (known === keptUnder) return recordSummary(ports, known, finalSummary);
  // Also for a summary that comes again: a crash may have left it unmatched as well.
  if (known !== undefined) return moveSummary(ports, { from: keptUnder, to: known }, finalSummary);
  const record = await recordSummary(ports, keptUnder, finalSummary);
  await noteRequest(ports, ids, keptUnder);
  const appeared = record.state === 'unmatched' ? await findBatch(ports, ids) : undefined;
  if (appeared === undefined || appeared === keptUnder) return record;
  return moveSummary(ports, { from: keptUnder, to: appeared }, finalSummary);
}

/** Lets a batch that goes by its request, as its answer named nothing else, find the summary that names both. */
async function noteRequest(
  { batches }: MatchSummaryPorts,
  ids: SummaryIds,
  keptUnder: string,
): Promise<void> {
  if (ids.requestId !== undefined && ids.requestId !== keptUnder)
    await batches.link(ids.requestId, keptUnder);
}

/**
 * Finds the final summary of a batch that came before its answer, under another ID than the answer gave the batch; later
 * ones find the batch by the link that this leaves.
 */
export async function claimEarlySummary(ports: MatchSummaryPorts, batch: BatchRecord): Promise<BatchRecord> {
  const { batchId, requestId } = batch;
  if (requestId === undefined) return batch;
  const goesByRequest = requestId === batchId;
  if (!goesByRequest) await ports.batches.link(requestId, batchId);
  const keptUnder = goesByRequest ? await ports.batches.linkedTo(requestId) : requestId;
  const early = keptUnder === undefined ? undefined : await ports.batches.get(keptUnder);
  if (early?.state !== 'unmatched' || early.finalSummary === undefined) return batch;
  return moveSummary(ports, { from: early.batchId, to: batchId }, early.finalSummary);
}

async function findBatch(
  { batches }: MatchSummaryPorts,
  { batchId, requestId }: SummaryIds,
): Promise<string | undefined> {
  const linked = requestId === undefined ? undefined : await batches.linkedTo(requestId);
  for (const id of [batchId, linked, requestId]) {
    if (id !== undefined && (await batches.get(id))?.submission !== undefined) return id;
  }
  return undefined;
}

async function moveSummary(
  ports: MatchSummaryPorts,
  { from, to }: { from: string; to: string },
  finalSummary: FinalSummary,
): Promise<BatchRecord> {
  const record = await recordSummary(ports, to, finalSummary);
  await ports.batches.update(from, (current) =>
    current?.state === 'unmatched' ? asMatched(current, to) : undefined,
  );
  return record;
}
