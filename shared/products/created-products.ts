import * as z from 'zod';
import { type BatchRecord, type BatchState, creationOf } from '../batches/model.ts';
import { definedOf } from '../collections/defined-of.ts';
import type { BatchEndPorts, CreatedProduct } from './ports.ts';

/** The states of a batch in which some rows were accepted, or may have been. */
const CREATED: ReadonlySet<BatchState> = new Set(['completed', 'completed_with_errors', 'unresolved']);

const namesSchema = z.object({
  sku: z.string().optional(),
  externalId: z.string().optional(),
  variants: z.object({ items: z.array(z.object({ sku: z.string().optional() })) }).optional(),
});

/**
 * The products and variants that a batch has created or may have created: all rows that were not rejected. If a later summary
 * contradicts the end of the batch, all its rows count.
 *
 * @param sent the rows of the request, or their names.
 */
export function createdProducts(batch: BatchRecord, sent: readonly unknown[]): CreatedProduct[] {
  if (!mayHaveCreated(batch)) return [];
  const isContradicted = batch.contradictions !== undefined;
  const rejected = new Set(isContradicted ? [] : batch.rejectedRows.map(({ rowIndex }) => rowIndex));
  return sent
    .filter((_, rowIndex) => !rejected.has(rowIndex))
    .flatMap((row) => {
      const { sku, externalId, variants } = namesSchema.safeParse(row).data ?? {};
      const isParent = variants ? ({ isParent: true } as const) : {};
      const names = [
        ...(sku === undefined && externalId === undefined ? [] : [{ sku, externalId, ...isParent }]),
        ...(variants?.items ?? []).map((variant) => ({ sku: variant.sku })),
      ];
      return names.map(definedOf).filter((one) => Object.keys(one).length > 0);
    });
}

function mayHaveCreated({ kind, state, contradictions }: BatchRecord): boolean {
  return creationOf(kind) !== undefined && (CREATED.has(state) || contradictions !== undefined);
}

/**
 * Queues the products that a batch has created. The values of their listings must be sent again, as a new product has the values of
 * its creation. May be repeated.
 *
 * @param sent the rows of the request, or their names.
 */
export async function queueCreated(
  { changes }: Pick<BatchEndPorts, 'changes'>,
  batch: BatchRecord,
  sent: readonly unknown[],
): Promise<void> {
  const { storeClientId, submission, submittedAt, completedAt = submittedAt, contradictions = [] } = batch;
  if (storeClientId === undefined) return;
  const times = [completedAt, ...contradictions.map(({ receivedAt }) => receivedAt)].map(Date.parse);
  const products = createdProducts(batch, sent);
  const sentAt = submission?.signedAt ?? Date.parse(submittedAt);
  await changes.sendCreated({ storeClientId, products, knownAt: Math.max(...times), sentAt });
}

/** `queueCreated` for an ended batch. If the batch lacks SKUs, the archived request is read, unless it has expired. */
export async function queueCreatedOfBatch(
  ports: Pick<BatchEndPorts, 'archive' | 'changes'>,
  batch: BatchRecord,
): Promise<void> {
  const { requestKey, names = [] } = batch.submission ?? {};
  if (requestKey === undefined || !mayHaveCreated(batch)) return;
  // A batch does not store the SKUs of variants, and does not store very long SKUs.
  const isWhole = names.every(({ sku }) => sku !== undefined) && !creationOf(batch.kind)?.hasVariants;
  const rows = isWhole ? undefined : await ports.archive.get(requestKey);
  await queueCreated(ports, batch, rows ?? names);
}
