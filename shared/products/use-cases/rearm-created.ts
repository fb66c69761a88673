import { z } from 'zod';
import { type BatchRecord, type BatchState, CREATION_KINDS } from '../../batches/model.ts';
import type { RequestArchive } from '../../batches/ports.ts';
import { targetsOf } from '../../listings/rules/target.ts';
import { type RearmTargetsPorts, rearmTargets } from '../../listings/use-cases/rearm-targets.ts';

const namesSchema = z.looseObject({
  sku: z.string().optional(),
  externalId: z.string().optional(),
  variants: z.looseObject({ items: z.array(z.looseObject({ sku: z.string().optional() })) }).optional(),
});

/** States of a batch some of whose rows were accepted, or may have been. */
const CREATED: ReadonlySet<BatchState> = new Set(['completed', 'completed_with_errors', 'unresolved']);

/** Whether the batch has ended, and has created products. */
export function hasCreated({ kind, state }: BatchRecord): boolean {
  return CREATION_KINDS.has(kind) && CREATED.has(state);
}

/**
 * What price and stock rows may name the batch's accepted products and their variants by: `externalId:…`, `sku:…`.
 *
 * @param sent the rows of the request, as they were sent.
 */
export function createdTargets({ rejectedRows }: BatchRecord, sent: readonly unknown[]): string[] {
  const rejected = new Set(rejectedRows.map(({ rowIndex }) => rowIndex));
  return sent
    .filter((_, rowIndex) => !rejected.has(rowIndex))
    .flatMap((row) => {
      const { sku, externalId, variants } = namesSchema.safeParse(row).data ?? {};
      const skus = [sku, ...(variants?.items ?? []).map((item) => item.sku)];
      return [{ externalId }, ...skus.map((name) => ({ sku: name }))].flatMap(targetsOf);
    });
}

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
