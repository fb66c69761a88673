import {
  type FieldsClaim,
  type FieldVersion,
  isLocked,
  type LockRecord,
  locked,
  released,
} from '../../requests/model.ts';
import { tooFarAhead } from '../../time/too-far-ahead.ts';

/** An update that is about to be sent, or whose outcome is known. */
export interface FieldsUpdate extends FieldVersion {
  /** Unique to the invocation that sends it. */
  readonly senderId: string;
  readonly fields: readonly string[];
}

/** The update's fields that no newer one has set, or may have set: all that it may still send. */
export function newestFields(product: LockRecord | undefined, update: FieldsUpdate, now: number): string[] {
  const { fields = {}, claims = [] } = product ?? {};
  const isSet = (field: string) =>
    isNewer(fields[field], update, now) ||
    claims.some((claim) => claim.fields.includes(field) && isNewer(claim, update, now));
  return update.fields.filter((field) => !isSet(field));
}

/** Epoch ms. `isSending`: whether the request leaves now, so that its fields may be set. */
interface Locking {
  readonly now: number;
  readonly until: number;
  readonly isSending: boolean;
}

/**
 * The product as the update locks it, or lengthens its lock. It is not locked while another update has the lock, nor while
 * the outcome of a newer one of the same fields is unknown: whether the older value is still wanted is not known yet.
 */
export function lockedBy(
  product: LockRecord | undefined,
  update: FieldsUpdate,
  { now, until, isSending }: Locking,
): LockRecord | undefined {
  const { senderId, time, commandId } = update;
  const updatedAt = new Date(now).toISOString();
  const { lock, fields = {}, claims = [] } = product ?? {};
  const own = claims.find((claim) => claim.commandId === commandId);
  const others = claims.filter((claim) => claim !== own);
  const isWaitedFor = (claim: FieldsClaim) =>
    isNewer(claim, update, now) && claim.fields.some((field) => update.fields.includes(field));
  if (isLocked(lock, senderId, now) || others.some(isWaitedFor)) return undefined;
  const claimed = isSending ? { time, commandId, fields: newestFields(product, update, now) } : own;
  return {
    lock: locked(lock, senderId, { now, until }),
    fields,
    claims: claimed === undefined ? others : [...others, claimed],
    updatedAt,
  };
}

/** The product when the update is not sent after all. */
export function releasedBy(product: LockRecord | undefined, senderId: string): LockRecord | undefined {
  return product && { ...product, lock: released(product.lock, senderId) };
}

/**
 * The product once the outcome of the update is known.
 *
 * @param taken fields that the marketplace took.
 * @param release whether no try of it may still land, so that the lock need not run out.
 */
export function settledBy(
  product: LockRecord | undefined,
  update: Omit<FieldsUpdate, 'fields'>,
  {
    taken,
    release,
    now,
  }: { readonly taken: readonly string[]; readonly release: boolean; readonly now: number },
): LockRecord | undefined {
  if (product === undefined) return undefined;
  const { senderId, time, commandId } = update;
  const { lock, fields = {}, claims = [] } = product;
  return {
    lock: release ? released(lock, senderId) : lock,
    fields: withVersions(fields, { time, commandId }, taken, now),
    claims: claims.filter((claim) => claim.commandId !== commandId),
    updatedAt: new Date(now).toISOString(),
  };
}

/** The fields, with this version on each field in `taken` that no newer update has set. */
function withVersions(
  fields: NonNullable<LockRecord['fields']>,
  { time, commandId }: FieldVersion,
  taken: readonly string[],
  now: number,
): NonNullable<LockRecord['fields']> {
  const version = { time, commandId };
  const own = taken.filter((field) => !isNewer(fields[field], version, now));
  return { ...fields, ...Object.fromEntries(own.map((field) => [field, version])) };
}

/** A version too far ahead, from before such were rejected, is none: it would keep its field for long. */
function isNewer(version: FieldVersion | undefined, than: FieldVersion, now: number): boolean {
  if (version === undefined || tooFarAhead(version.time, now) !== undefined) return false;
  return version.time === than.time ? version.commandId > than.commandId : version.time > than.time;
}
