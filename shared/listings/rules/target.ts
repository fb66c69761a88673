import { isStockRegister, type Listing, registerEntries } from '../model.ts';

const names = ['sku', 'id', 'externalId'] as const;
export type TargetName = (typeof names)[number];

/** The fields of a row that name its target; exactly one of them is set. */
export type TargetNames = { readonly [Name in TargetName]?: string | null | undefined };

/** Writes a target as `sku:…`, `id:…` or `externalId:…`; throws `RangeError` where none is named. */
export function targetOf(row: TargetNames): string {
  for (const name of names) {
    const target = targetBy(name, row[name]);
    if (target !== undefined) return target;
  }
  throw new RangeError('the row names no target');
}

/** Every name that a row of an answer gives, as a target: the sku first, then the id and the externalId. */
export function targetsOf(row: TargetNames): string[] {
  return names.flatMap((name) => targetBy(name, row[name]) ?? []);
}

function targetBy(name: TargetName, value: string | null | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  // A UUID is the same one in either case.
  return `${name}:${name === 'sku' ? value : value.toLowerCase()}`;
}

/** Reads a target back into the field that names it in a row; throws `RangeError` on anything else. */
export function fieldsOfTarget(target: string): { sku: string } | { id: string } | { externalId: string } {
  const name = nameOfTarget(target);
  const value = target.slice(name.length + 1);
  if (name === 'sku') return { sku: value };
  return name === 'id' ? { id: value } : { externalId: value };
}

/** By which field a target is named; throws `RangeError` on what is no target. */
export function nameOfTarget(target: string): TargetName {
  const name = names.find((candidate) => target.startsWith(`${candidate}:`));
  if (name === undefined) throw new RangeError(`not a target: ${target}`);
  return name;
}

/**
 * Whether a listing is one of a store that names its products so. Where that is by `externalId`, prices go by SKU: no row
 * of §4.8 has another name for them.
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

/** What DynamoDB takes as a sort key, which a listing's target is. */
const MAX_TARGET_BYTES = 1024;

/** Of a warehouse's client ID, in UTF-8. */
const MAX_CLIENT_ID_BYTES = 100;

/** With stock of their own: so many fit an item of DynamoDB (400 KB), whatever has become of each. */
export const MAX_WAREHOUSES = 500;

/** Smaller fractions are not of any price, and DynamoDB does not keep every number that JSON can say. */
const SMALLEST_FRACTION = 1e-9;

/** Why a target can't have a listing; `undefined` where it can. */
export function targetFault(target: string): string | undefined {
  if (target.isWellFormed() && Buffer.byteLength(target) <= MAX_TARGET_BYTES) return undefined;
  const prefix = target.slice(0, target.indexOf(':') + 1);
  return `must be well-formed text of at most ${MAX_TARGET_BYTES - prefix.length} bytes in UTF-8`;
}

/** Why a warehouse's stock can't be kept under its client ID; `undefined` where it can. */
export function clientIdFault(clientId: string): string | undefined {
  if (clientId.isWellFormed() && Buffer.byteLength(clientId) <= MAX_CLIENT_ID_BYTES) return undefined;
  return `a clientId must be well-formed text of at most ${MAX_CLIENT_ID_BYTES} bytes in UTF-8`;
}

/** Whether a listing can keep a number that the marketplace shows. */
export function isKeepable(value: unknown): value is number {
  if (typeof value !== 'number' || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  return value === 0 || Math.abs(value) >= SMALLEST_FRACTION;
}
