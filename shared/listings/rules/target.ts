import { isStockRegister, type Listing, registerEntries } from '../model.ts';

const names = ['sku', 'id', 'externalId'] as const;
export type TargetName = (typeof names)[number];

/** The fields of a row that name its target; exactly one of them is set. */
export type TargetNames = { readonly [Name in TargetName]?: string | null | undefined };

/**
 * The target of a row: `sku:…`, `id:…` or `externalId:…`.
 *
 * @throws {RangeError} for a row without a name
 */
export function targetOf(row: TargetNames): string {
  for (const name of names) {
    const target = targetBy(name, row[name]);
    if (target !== undefined) return target;
  }
  throw new RangeError('the row names no target');
}

/** All names of a row, as targets: SKU, ID, externalId. */
export function targetsOf(row: TargetNames): string[] {
  return names.flatMap((name) => targetBy(name, row[name]) ?? []);
}

function targetBy(name: TargetName, value: string | null | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  // An `id` and an `externalId` are UUIDs, which are the same in upper and lower case.
  return `${name}:${name === 'sku' ? value : value.toLowerCase()}`;
}

const LONGEST_PRODUCT_ID = 200;

/** The marketplace's `id` of a product as it is stored; `undefined` if DynamoDB refuses it as a key of an index. */
export function productKeyOf(id = ''): string | undefined {
  return id === '' || id.length > LONGEST_PRODUCT_ID ? undefined : id.toLowerCase();
}

/** The `externalId` of a row as given; `undefined` if it is in lower case, as the target then has the same text. */
export function givenExternalId({ externalId }: TargetNames): string | undefined {
  return externalId && externalId !== externalId.toLowerCase() ? externalId : undefined;
}

/** The field that names the product of a listing in rows to the marketplace. */
export function fieldsOfListing({ target, externalId }: Pick<Listing, 'target' | 'externalId'>) {
  return externalId === undefined ? fieldsOfTarget(target) : { externalId };
}

/**
 * The field that names the target in a row.
 *
 * @throws {RangeError} for a text that is no target
 */
export function fieldsOfTarget(target: string): { sku: string } | { id: string } | { externalId: string } {
  const name = nameOfTarget(target);
  const value = target.slice(name.length + 1);
  if (name === 'sku') return { sku: value };
  return name === 'id' ? { id: value } : { externalId: value };
}

/**
 * Name of the field that names the target.
 *
 * @throws {RangeError} for a text that is no target
 */
export function nameOfTarget(target: string): TargetName {
  const name = names.find((candidate) => target.startsWith(`${candidate}:`));
  if (name === undefined) throw new RangeError(`not a target: ${target}`);
  return name;
}

/**
 * Whether a store that names its products by `products` can have this listing. A store that uses `externalId` has its prices
 * by SKU, because a price row (§4.8) has no `externalId`.
 */
export function isNamedAs(
  products: TargetName,
  { target, desired }: Pick<Listing, 'target' | 'desired'>,
): boolean {
  const name = nameOfTarget(target);
  if (name === products) return true;
  if (products !== 'externalId' || name !== 'sku') return false;
  return registerEntries(desired).every(([register]) => !isStockRegister(register));
}

/** DynamoDB's limit of a sort key. */
const MAX_TARGET_BYTES = 1024;

/** Most bytes of a warehouse's client ID, in UTF-8. */
const MAX_CLIENT_ID_BYTES = 100;

/** Most warehouses with stock of their own in one listing. This number always fits into an item of DynamoDB (400 KB). */
export const MAX_WAREHOUSES = 500;

/** Why a target can't have a listing; `undefined` if it can. */
export function targetFault(target: string): string | undefined {
  if (target.isWellFormed() && isWithin(target, MAX_TARGET_BYTES)) return undefined;
  const prefix = target.slice(0, target.indexOf(':') + 1);
  return `must be well-formed text of at most ${MAX_TARGET_BYTES - prefix.length} bytes in UTF-8`;
}

/** Why stock can't be stored under a warehouse's client ID; `undefined` if it can. */
export function clientIdFault(clientId: string): string | undefined {
  if (clientId.isWellFormed() && isWithin(clientId, MAX_CLIENT_ID_BYTES)) return undefined;
  return `a clientId must be well-formed text of at most ${MAX_CLIENT_ID_BYTES} bytes in UTF-8`;
}

/** A UTF-16 unit has at most this many bytes in UTF-8. */
const BYTES_PER_UNIT = 3;

function isWithin(text: string, bytes: number): boolean {
  return text.length * BYTES_PER_UNIT <= bytes || Buffer.byteLength(text) <= bytes;
}
