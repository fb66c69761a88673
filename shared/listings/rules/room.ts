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
