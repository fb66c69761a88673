import { isObject } from '../../collections/parse-json.ts';
import { type Warning, Warnings } from '../../warnings/model.ts';
import { unseenCharacters } from '../../warnings/unseen-characters.ts';
import type { ProductCommand } from '../model.ts';
import { unknownFields } from './unknown-fields.ts';

/** Warnings about products to create, with the positions of the products. */
export function warningsOfProducts(products: readonly unknown[]): Warning[] {
  const warnings = new Warnings();
  for (const [index, product] of products.entries()) {
    const own = isObject(product) ? [...unknownFields(product), ...unseenCharacters(product)] : [];
    for (const warning of own) warnings.add(warning, index);
  }
  return warnings.all;
}

/** Warnings about a command. */
export function warningsOfCommand(command: ProductCommand): Warning[] {
  if ('products' in command) return warningsOfProducts(command.products);
  const warnings = new Warnings();
  if ('changes' in command) for (const warning of unseenCharacters(command.changes)) warnings.add(warning, 0);
  return warnings.all;
}
