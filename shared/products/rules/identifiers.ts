import { isIdentifier } from '../../rejections/rules/bounded.ts';
import type { Product } from '../model.ts';

/** The identifiers that a product names itself by, as far as they can be. */
export function identifiersOf(product: Product | undefined): { sku?: string; externalId?: string } {
  const { sku, externalId } = product ?? {};
  return {
    ...(isIdentifier(sku) && { sku }),
    ...(isIdentifier(externalId) && { externalId }),
  };
}
