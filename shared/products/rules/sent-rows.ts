import type { AttemptRow } from '../../attempts/model.ts';
import type { Product } from '../model.ts';
import { identifiersOf } from './identifiers.ts';

/** What an attempt records of the products it carries, for answers and summaries to be matched to. */
export function sentRowsOf(products: readonly Product[]): AttemptRow[] {
  return products.map((product, rowIndex) => ({ rowIndex, ...identifiersOf(product) }));
}
