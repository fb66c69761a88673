import {
  type FieldsClaim,
  type FieldVersion,
  isLocked,
  type LockRecord,
  locked,
  released,
} from '../../requests/model.ts';
import type { EpochMs } from '../../time/times.ts';
import { tooFarAhead } from '../../time/too-far-ahead.ts';

/** An update that is about to be sent, or whose outcome is known. */
export interface FieldsUpdate extends FieldVersion {
  /** Unique to the invocation that sends it. */
  readonly senderId: string;
  readonly fields: readonly string[];
}

/** The fields to send: the update's fields, without those that a newer update has set or may have set. */
export function newestFields(product: LockRecord | undefined, update: FieldsUpdate, now: EpochMs): string[] {
  const { fields = {}, claims = [] } = product ?? {};
  const isSet = (field: string) =>
    isNewer(fields[field], update, now) ||
    claims.some((claim) => claim.fields.includes(field) && isNewer(claim, update, now));
  return update.fields.filter((field) => !isSet(field));
}

/** Times are epoch ms. `isSending`: the request is sent now, and claims its fields. */
interface Locking {
  readonly now: EpochMs;
  readonly until: EpochMs;
  readonly isSending: boolean;
}

/**
 * Takes or extends the product's lock for the update. `undefined` while another update has the lock, or while the outcome
 * of a newer update of the same fields is unknown: the older values are needed only if the newer update was not done.
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
  const claimed = isSending ? { time, commandId, senderId, fields: newestFields(product, update, now) } : own;
  return {
    lock: locked(lock, senderId, { now, until }),
    fields,
    claims: claimed === undefined ? others : [...others, claimed],
    updatedAt,
  };
}

/** The product after a try of the sender that certainly had no effect. Claims of other senders stay, even of the same update. */
export function releasedBy(product: LockRecord | undefined, senderId: string): LockRecord | undefined {
  if (product === undefined) return undefined;
  const { lock, claims = [] } = product;
  return {
    ...product,
    lock: released(lock, senderId),
    claims: claims.filter((claim) => claim.senderId !== senderId),
  };
}

/**
 * The product after the outcome of the update is known.
 *
 * @param taken fields that the marketplace accepted.
 * @param release whether to release the lock: no try of the update may still land.
 */
export function settledBy(
  product: LockRecord | undefined,
  update: Omit<FieldsUpdate, 'fields'>,
  {
    taken,
    release,
    now,
  }: { readonly taken: readonly string[]; readonly release: boolean; readonly now: EpochMs },
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

/** Sets this version on each field in `taken` that no newer update has set. */
function withVersions(
  fields: NonNullable<LockRecord['fields']>,
  { time, commandId }: FieldVersion,
  taken: readonly string[],
  now: EpochMs,
): NonNullable<LockRecord['fields']> {
  const version = { time, commandId };
  const own = taken.filter((field) => !isNewer(fields[field], version, now));
  return { ...fields, ...Object.fromEntries(own.map((field) => [field, version])) };
}

/** Ignores versions that are too far ahead. They were stored before such commands were rejected, and would block their fields. */
function isNewer(version: FieldVersion | undefined, than: FieldVersion, now: EpochMs): boolean {
  if (version === undefined || tooFarAhead(version.time, now) !== undefined) return false;
  return version.time === than.time ? version.commandId > than.commandId : version.time > than.time;
}
