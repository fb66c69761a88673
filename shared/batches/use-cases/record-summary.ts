import type { BatchRecord, FinalSummary } from '../model.ts';
import { withFinalSummary } from '../rules/take-fact.ts';
import { type AnnounceBatchPorts, announceBatch } from './announce-batch.ts';

/** Records a final summary under its `batchId`. Without a batch it is kept as `unmatched` until its batch appears. */
export async function recordSummary(
  ports: AnnounceBatchPorts,
  batchId: string,
  finalSummary: FinalSummary,
): Promise<BatchRecord> {
  const record = await ports.batches.update(batchId, (current) =>
    withFinalSummary(batchId, current, finalSummary),
  );
  if (record === undefined) throw new RangeError(`batch ${batchId} was not stored`);
  await announceBatch(ports, record);
  return record;
}
