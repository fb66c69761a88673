import { creationOf, type ListedBatch } from '../batches/model.ts';
import type { BatchTable } from '../batches/ports.ts';
import { targetsOf } from '../listings/rules/target.ts';

/** Most open batches that are looked at. */
const MOST_OPEN = 100;

/** Open batches that create a product of some names. */
interface OpenCreations {
  readonly found: readonly ListedBatch[];
  /** Whether all names of the products in open batches were looked at. */
  readonly isWhole: boolean;
}

/**
 * The open batches that create a product. The product has a listing only once its batch has ended.
 *
 * @param storeClientId only batches of this store. Default: all stores.
 */
export async function openCreationsOf(
  { batches }: { readonly batches: Pick<BatchTable, 'list'> },
  targets: readonly string[],
  storeClientId?: string,
): Promise<OpenCreations> {
  const { batches: open, cursor } = await batches.list({ state: 'submitted', limit: MOST_OPEN });
  const creations = open.filter(
    (one) =>
      creationOf(one.kind) !== undefined &&
      (storeClientId === undefined || one.storeClientId === storeClientId),
  );
  const wanted = new Set(targets);
  const isNamed = (names: object) => targetsOf(names).some((target) => wanted.has(target));
  return {
    found: creations.filter(({ submission }) => submission?.names?.some(isNamed)),
    isWhole: cursor === undefined && creations.every(hasAllNames),
  };
}

/**
 * Whether a listed batch has all names of its products. It never has SKUs of variants or very long SKUs, and a large batch is listed
 * without names.
 */
function hasAllNames({ kind, submission }: ListedBatch): boolean {
  const { names = [], sentRows = 0 } = submission ?? {};
  const named = names.filter(({ sku }) => sku !== undefined);
  return submission !== undefined && named.length === sentRows && creationOf(kind)?.hasVariants === false;
}
