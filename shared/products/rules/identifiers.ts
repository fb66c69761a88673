import type { Product } from '../model.ts';

/** Longer ones are no identifiers: they would only bloat what is reported. */
const MAX_LENGTH = 200;

/** The identifiers that a product names itself by, as far as they can be. */
export function identifiersOf(product: Product | undefined): { sku?: string; externalId?: string } {
  const { sku, externalId } = product ?? {};
  return {
    ...(isIdentifier(sku) && { sku }),
    ...(isIdentifier(externalId) && { externalId }),
  };
}

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH;
}
