import type { FieldVersion, LockedThing } from '../../requests/model.ts';
import { isLocked, locked, released } from '../../requests/rules/lock.ts';
import { futureFault } from '../../time/future.ts';

/** Milliseconds after a request can't land any more from which its unknown outcome is waited for no longer. */
const GIVEN_UP_MS = 3_600_000;

/** An update that is about to be sent, or whose outcome is known. */
export interface FieldsUpdate extends FieldVersion {
  /** Unique to the invocation that sends it. */
  readonly senderId: string;
  readonly fields: readonly string[];
}

/** The update's fields that no newer one has set, or may have set: all that it may still send. */
export function newestFields(thing: LockedThing | undefined, update: FieldsUpdate, now: number): string[] {
  return update.fields.filter(
    (field) => ![thing?.fields?.[field], thing?.claims?.[field]].some((known) => isNewer(known, update, now)),
  );
}

/** Epoch ms. `leaving`: whether the request leaves now, so that its fields may be set. */
interface Locking {
  readonly now: number;
  readonly until: number;
  readonly leaving: boolean;
}

/**
 * The product as the update locks it, or lengthens its lock. It is not locked while another update has the lock, nor while
 * the outcome of a newer one of the same fields is unknown: whether the older value is still wanted is not known yet.
 */
export function lockedBy(
  thing: LockedThing | undefined,
  update: FieldsUpdate,
  { now, until, leaving }: Locking,
): LockedThing | undefined {
  const { senderId, fields, time, commandId } = update;
  const claims = thing?.claims ?? {};
  const isWaitedFor = (field: string) =>
    isNewer(claims[field], update, now) && (claims[field]?.until ?? 0) + GIVEN_UP_MS > now;
  const mustWait = isLocked(thing?.lock, senderId, now) || fields.some(isWaitedFor);
  const own = Object.keys(claims).filter((field) => claims[field]?.commandId === commandId);
  if (mustWait && own.length === 0) return undefined;
  const lock = mustWait ? thing?.lock : locked(thing?.lock, senderId, { now, until });
  // A claim whose own update has to wait is not given up: it is sent again yet.
  const claimed = mustWait ? own : leaving ? newestFields(thing, update, now) : [];
  const claim = (field: string) => ({
    time,
    commandId,
    until: mustWait ? Math.max(now, claims[field]?.until ?? 0) : until,
  });
  return {
    ...thing,
    lock,
    claims: { ...claims, ...Object.fromEntries(claimed.map((field) => [field, claim(field)])) },
    updatedAt: new Date(now).toISOString(),
  };
}

/** The product when the update is not sent after all. */
export function releasedBy(thing: LockedThing | undefined, senderId: string): LockedThing | undefined {
  return thing && { ...thing, lock: released(thing.lock, senderId) };
}

/**
 * The product once the outcome of the update is known.
 *
 * @param taken fields that the marketplace took.
 * @param release whether no try of it may still land, so that the lock need not run out.
 */
export function settledBy(
  thing: LockedThing | undefined,
  update: Omit<FieldsUpdate, 'fields'>,
  {
    taken,
    release,
    now,
  }: { readonly taken: readonly string[]; readonly release: boolean; readonly now: number },
): LockedThing | undefined {
  if (thing === undefined) return undefined;
  const { senderId, time, commandId } = update;
  const { lock, fields = {}, claims = {} } = thing;
  const set = taken.filter((field) => !isNewer(fields[field], update, now));
  return {
    lock: release ? released(lock, senderId) : lock,
    fields: { ...fields, ...Object.fromEntries(set.map((field) => [field, { time, commandId }])) },
    claims: Object.fromEntries(Object.entries(claims).filter(([, claim]) => claim.commandId !== commandId)),
    updatedAt: new Date(now).toISOString(),
  };
}

/** A version too far ahead, from before such were rejected, is none: it would keep its field for long. */
function isNewer(version: FieldVersion | undefined, than: FieldVersion, now: number): boolean {
  if (version === undefined || futureFault(version.time, now) !== undefined) return false;
  return version.time === than.time ? version.commandId > than.commandId : version.time > than.time;
}
