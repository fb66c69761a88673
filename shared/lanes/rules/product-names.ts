import type { Listing } from '../../listings/model.ts';
import { targetFault } from '../../listings/rules/room.ts';
import { targetsOf } from '../../listings/rules/target.ts';
import type { BatchAnswer } from '../../marketplace/batch.ts';

/**
 * The names under which the answer to a bulk request shows its products, for those with a name that their listing does
 * not know yet. Only of simple products: a variant's row may name the id and externalId of its product, which other
 * variants share.
 */
export function productNames(
  sent: readonly Pick<Listing, 'target' | 'aliases'>[],
  answer: Pick<BatchAnswer, 'acceptedRows'>,
): string[][] {
  return answer.acceptedRows.flatMap((row) => {
    const { rowIndex, target } = row;
    const listing = rowIndex === undefined ? undefined : sent[rowIndex];
    if (listing === undefined || target !== 'product') return [];
    const names = targetsOf(row).filter((name) => targetFault(name) === undefined);
    const known = new Set([listing.target, ...(listing.aliases ?? [])]);
    return names.every((name) => known.has(name)) ? [] : [[...new Set([listing.target, ...names])]];
  });
}
