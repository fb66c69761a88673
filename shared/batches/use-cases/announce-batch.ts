import type { BatchRecord } from '../model.ts';
import type { RecordBatchPorts } from '../ports.ts';
import { dueAnnouncements, eventsOf, unreported, withAnnounced } from '../rules/announcements.ts';
import { rejectionsOfBatch } from '../rules/batch-rejections.ts';

/**
 * Publishes the events that are due for a batch, then records them as published. After a crash, the next change of the
 * batch or the sweeper publishes them. So each event is published at least once.
 */
export async function announceBatch(ports: RecordBatchPorts, batch: BatchRecord): Promise<void> {
  const due = dueAnnouncements(batch);
  const contradictions = unreported(batch);
  if (due.length === 0 && contradictions.length === 0) return;
  const isOutcomeDue = due.some((one) => one !== 'batch.submitted');
  if (contradictions.length > 0 || isOutcomeDue) await ports.onEnd?.(batch);
  if (isOutcomeDue) await keepRejections(ports, batch);
  await ports.events.publish(eventsOf(batch, due, contradictions));
  await ports.batches.update(
    batch.batchId,
    (current) => current && withAnnounced(current, batch, due, contradictions),
    batch,
  );
}

/** Stores the rejected rows, as `rows.rejected` reports them. */
async function keepRejections({ rejections }: RecordBatchPorts, batch: BatchRecord): Promise<void> {
  const { rejected, withdrawn } = rejectionsOfBatch(batch);
  if (rejected.length + withdrawn.length > 0) await rejections.putAll(rejected, withdrawn);
}
