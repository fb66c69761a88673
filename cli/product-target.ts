import { fieldsOfTarget, targetOf } from '../shared/listings/rules/target.ts';

const TARGET = /^(sku|id|externalId):./;

/** Whether a text names a product by its kind of name: `sku:…`, `id:…` or `externalId:…`. */
export function isTarget(text: string): boolean {
  return TARGET.test(text);
}

/** The target that a text names, with a UUID in lower case; without a kind of name it is a SKU. */
export function targetNamed(text: string): string {
  return isTarget(text) ? targetOf(fieldsOfTarget(text)) : `sku:${text}`;
}
