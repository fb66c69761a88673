import type { BatchRecord } from '../../batches/model.ts';
import type { RequestArchive } from '../../batches/ports.ts';
import { type RearmTargetsPorts, rearmTargets } from '../../listings/use-cases/rearm-targets.ts';
import { createdTargets, hasCreated } from '../rules/created-targets.ts';

/**
 * Once a batch has created products, has the values of their listings wait again (design §5.1): the products were made
 * with the creation's. May be done again for the same batch.
 *
 * @param sent the rows of the request, as they were sent.
 */
export async function rearmCreated(
  ports: RearmTargetsPorts,
  batch: BatchRecord,
  sent: readonly unknown[],
): Promise<void> {
  const { storeClientId, completedAt, submittedAt } = batch;
  if (storeClientId === undefined || !hasCreated(batch)) return;
  // The batch does not know its commands' times: every value of the listings counts as newer.
  const creation = { time: 0, at: Date.parse(completedAt ?? submittedAt) };
  await rearmTargets(ports, storeClientId, createdTargets(batch, sent), creation);
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
