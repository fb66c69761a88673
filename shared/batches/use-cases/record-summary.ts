import type { BatchRecord, FinalSummary } from '../model.ts';
import { batchFrom } from '../rules/settle-batch.ts';
import { type AnnounceBatchPorts, announceBatch } from './announce-batch.ts';

/**
 * Records a final summary under its `batchId`. The first one counts; one that comes again, even with other counts,
 * changes nothing. Without a batch it is kept as `unmatched` until its batch appears.
 */
export async function recordSummary(
  ports: AnnounceBatchPorts,
  batchId: string,
  finalSummary: FinalSummary,
): Promise<BatchRecord> {
  const record = await ports.batches.update(batchId, (current) =>
    current?.finalSummary === undefined
      ? batchFrom(batchId, { submission: current?.submission, finalSummary }, current?.announced)
      : undefined,
  );
  if (record === undefined) throw new RangeError(`batch ${batchId} was not stored`);
  await announceBatch(ports, record);
  return record;
}
