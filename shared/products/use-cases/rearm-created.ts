import type { BatchRecord } from '../../batches/model.ts';
import type { RequestArchive } from '../../batches/ports.ts';
import { type RearmTargetsPorts, rearmTargets } from '../../listings/use-cases/rearm-targets.ts';
import { createdTargets, hasCreated } from '../rules/created-targets.ts';

/**
 * Once a batch has created products, lets the values of their listings wait again that were rejected because there was
 * no such product yet (design §5.1). May be done again for the same batch.
 *
 * @param sent the rows of the request, as they were sent.
 */
export async function rearmCreated(
  ports: RearmTargetsPorts,
  batch: BatchRecord,
  sent: readonly unknown[],
): Promise<void> {
  if (batch.storeClientId === undefined || !hasCreated(batch)) return;
  await rearmTargets(ports, batch.storeClientId, createdTargets(batch, sent));
}

export interface RearmCreatedPorts extends RearmTargetsPorts {
  readonly archive: Pick<RequestArchive, 'get'>;
}

/** {@link rearmCreated} for a batch whose rows are not at hand; without effect when the archive has forgotten them. */
export async function rearmCreatedByBatch(ports: RearmCreatedPorts, batch: BatchRecord): Promise<void> {
  const requestKey = batch.submission?.requestKey;
  if (requestKey === undefined || !hasCreated(batch)) return;
  await rearmCreated(ports, batch, (await ports.archive.get(requestKey)) ?? []);
}
