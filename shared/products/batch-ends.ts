import { z } from 'zod';
import { type BatchRecord, type BatchState, creationOf } from '../batches/model.ts';
import type { SupersededFields } from '../batches/ports.ts';
import { definedOf } from '../collections/defined-of.ts';
import { fieldVersionSchema } from '../requests/model.ts';
import { type BatchEndPorts, type CreatedProduct, listingChangesSchema } from './ports.ts';
import { newestFields, settledBy } from './rules/newest-fields.ts';

/** States of a batch some of whose rows were accepted, or may have been. */
const CREATED: ReadonlySet<BatchState> = new Set(['completed', 'completed_with_errors', 'unresolved']);

const namesSchema = z.object({
  sku: z.string().optional(),
  externalId: z.string().optional(),
  variants: z.object({ items: z.array(z.object({ sku: z.string().optional() })) }).optional(),
});

/**
 * The products, and their variants, that a batch has created or may have created: of an ended batch its accepted rows, and
 * all its rows if a later summary contradicts its end.
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
      const names = [
        { sku, externalId },
        ...(variants?.items ?? []).map((variant) => ({ sku: variant.sku })),
      ];
      return names.map(definedOf).filter((one) => Object.keys(one).length > 0);
    });
}

function mayHaveCreated({ kind, state, contradictions }: BatchRecord): boolean {
  return creationOf(kind) !== undefined && (CREATED.has(state) || contradictions !== undefined);
}

/**
 * Queues the products that a batch has created, so that the values of their listings are sent again: the products were
 * made with the values of the creation. May be repeated.
 *
 * @param sent the rows of the request, or their names.
 */
export async function queueCreated(
  { changes }: Pick<BatchEndPorts, 'changes'>,
  batch: BatchRecord,
  sent: readonly unknown[],
): Promise<void> {
  const { storeClientId, submittedAt, completedAt = submittedAt, contradictions = [] } = batch;
  if (storeClientId === undefined) return;
  const times = [completedAt, ...contradictions.map(({ receivedAt }) => receivedAt)].map(Date.parse);
  const products = createdProducts(batch, sent);
  await changes.sendCreated({ storeClientId, products, knownAt: Math.max(...times) });
}

/** `queueCreated` of an ended batch. Reads the archived request for SKUs that the batch does not have, unless its object has expired. */
export async function queueCreatedOfBatch(
  ports: Pick<BatchEndPorts, 'archive' | 'changes'>,
  batch: BatchRecord,
): Promise<void> {
  const { requestKey, names = [] } = batch.submission ?? {};
  if (requestKey === undefined || !mayHaveCreated(batch)) return;
  // A batch stores neither the SKUs of variants nor very long ones.
  const isWhole = names.every(({ sku }) => sku !== undefined) && !creationOf(batch.kind)?.hasVariants;
  const rows = isWhole ? undefined : await ports.archive.get(requestKey);
  await queueCreated(ports, batch, rows ?? names);
}

/** The effects of an update on listings, once the marketplace has accepted it. */
const followUpSchema = z.object({ skus: z.array(z.string()), changes: listingChangesSchema });
export type FollowUp = z.infer<typeof followUpSchema>;

/** An update of unknown outcome, archived until its read-back. */
const readBackSchema = fieldVersionSchema.extend({
  id: z.string(),
  changes: z.record(z.string(), z.unknown()),
  followUp: followUpSchema,
});

/**
 * Queues the prices and stock of an accepted update as changes of listings. Also sends all values of the SKUs that the
 * update set again: the product or variant with such a SKU may never have received them. Idempotent.
 *
 * @param knownAt epoch ms: when the update was known to be accepted; the same at every call.
 */
export async function followUpdate(
  { changes: queue }: Pick<BatchEndPorts, 'changes'>,
  storeClientId: string,
  { skus, changes }: FollowUp,
  knownAt: number,
): Promise<void> {
  await queue.sendCreated({ storeClientId, products: skus.map((sku) => ({ sku })), knownAt });
  await queue.send(changes);
}

/**
 * Applies the resolution of an update of unknown outcome. Its fields count as set, unless it was not done: then an older
 * update of these fields may be sent. Idempotent.
 */
export async function followResolution(
  ports: BatchEndPorts,
  { kind, state, storeClientId, submission, completedAt = '' }: BatchRecord,
): Promise<void> {
  if (kind !== 'product-update' || state === 'submitted') return;
  if (submission?.requestKey === undefined || storeClientId === undefined) return;
  const [sent] = (await ports.archive.get(submission.requestKey)) ?? [];
  const { data } = readBackSchema.safeParse(sent);
  if (data === undefined) return;
  const { id, changes, followUp, time, commandId } = data;
  const update = { time, commandId, senderId: '' };
  const taken = state === 'failed' ? [] : Object.keys(changes);
  await ports.locks.update(productKey(storeClientId, id), (current) =>
    settledBy(current, update, { taken, release: false, now: ports.clock.now() }),
  );
  if (state === 'completed') await followUpdate(ports, storeClientId, followUp, Date.parse(completedAt));
}

/** Fields of an archived update that newer updates have set, or may have set. */
export async function supersededFields(
  { locks, clock }: Pick<BatchEndPorts, 'locks' | 'clock'>,
  storeClientId: string,
  sent: unknown,
): Promise<SupersededFields> {
  const { data } = readBackSchema.safeParse(sent);
  if (data === undefined) return { set: [], claimed: [] };
  const { id, changes, time, commandId } = data;
  const update = { time, commandId, senderId: '', fields: Object.keys(changes) };
  const product = await locks.update(productKey(storeClientId, id), () => undefined);
  const now = clock.now();
  const unset = newestFields(product && { ...product, claims: [] }, update, now);
  const own = newestFields(product, update, now);
  return {
    set: update.fields.filter((field) => !unset.includes(field)),
    claimed: unset.filter((field) => !own.includes(field)),
  };
}

/** Key of a product's lock. */
export function productKey(storeClientId: string, productId: string | undefined): string {
  return `product#${storeClientId}#${productId}`;
}

/** Applies the end of a batch to listings and products, after a read-back or an operator's resolution. Idempotent. */
export async function followBatchEnd(ports: BatchEndPorts, batch: BatchRecord): Promise<void> {
  await queueCreatedOfBatch(ports, batch);
  await followResolution(ports, batch);
}

/** The ports that ending a batch needs from products. */
export function batchEndPorts(ports: BatchEndPorts) {
  return {
    onEnd: (batch: BatchRecord) => followBatchEnd(ports, batch),
    supersededFields: (storeClientId: string, sent: unknown) => supersededFields(ports, storeClientId, sent),
  };
}
