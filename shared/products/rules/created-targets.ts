import { z } from 'zod';
import { type BatchRecord, type BatchState, CREATION_KINDS } from '../../batches/model.ts';
import { targetsOf } from '../../listings/rules/target.ts';

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
