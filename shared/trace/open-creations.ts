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
 * The open batches that create a product: it has a listing only once they have ended.
 *
 * @param storeClientId only of this store. Default: all.
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

/** A batch has no SKUs of variants and no very long ones, and a large one is listed without names. */
function hasAllNames({ kind, submission }: ListedBatch): boolean {
  const { names = [], sentRows = 0 } = submission ?? {};
  const named = names.filter(({ sku }) => sku !== undefined);
  return submission !== undefined && named.length === sentRows && creationOf(kind)?.hasVariants === false;
}
