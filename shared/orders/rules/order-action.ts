import { definedOf } from '../../collections/defined-of.ts';
import type { OrderAction } from '../../marketplace/fields.ts';
import { isLocked } from '../../requests/model.ts';
import { isoTime } from '../../time/iso-time.ts';
import type { ActionRecord, EndedAction, OrderRecord, SendingAction } from '../model.ts';

/** Milliseconds within which the request leaves that an order is locked for. */
const LEAVES_WITHIN_MS = 60_000;

export const DECIDED_OTHERWISE = {
  code: 'ORDER_DECIDED_OTHERWISE',
  message: 'the other decision was sent for this order before',
};
export const OUTCOME_UNKNOWN = {
  code: 'ORDER_OUTCOME_UNKNOWN',
  message: 'it was sent for this order before, with an unknown outcome: resolve it, or ask for a retry',
};
const RESOLVED = {
  code: 'RESOLVED_AS_REFUSED',
  message: 'an operator found out that it had no effect',
};

/** What a request is about to do with one order. */
export interface Claim extends Pick<ActionRecord, 'decision' | 'reasonCode' | 'reason'> {
  readonly recordId: string;
  readonly senderId: string;
  readonly commandId: string;
  /** Whether to send again what is unknown. */
  readonly retry: boolean;
  /** Epoch ms. */
  readonly now: number;
  readonly attemptLifetimeMs: number;
}

/**
 * - `sent`: the order is sent;
 * - `done before`: the marketplace took the same before;
 * - `decided otherwise`, `unknown`: it is rejected;
 * - `busy`: another request about it may be in flight, or another sender has ended this one;
 * - `abandoned`: it is `sending` in a request whose sender ended: that request's record says how it ended.
 */
export type Verdict = 'sent' | 'done before' | 'decided otherwise' | 'unknown' | 'busy' | 'abandoned';

/** Never two different decisions, never the same one twice once it is known, and where it is unknown only by a retry. */
export function judge(current: ActionRecord | undefined, claim: Claim): Verdict {
  if (current === undefined) return 'sent';
  const { decision, recordId, senderId, retry, now } = claim;
  // Another delivery has ended this very request.
  if (current.recordId === recordId && current.state !== 'sending') return 'busy';
  const isSame = current.decision === decision;
  const isFree = !isLocked(current.lock, senderId, now);
  switch (current.state) {
    case 'done':
      return isSame ? 'done before' : 'decided otherwise';
    case 'refused':
      return isFree ? 'sent' : 'busy';
    case 'unknown':
      if (!isSame) return 'decided otherwise';
      if (!retry) return 'unknown';
      return isFree ? 'sent' : 'busy';
    case 'sending':
      if (current.lock.holder === senderId) return 'sent';
      return isFree ? 'abandoned' : 'busy';
  }
}

/** Epoch ms until when an order is locked that is claimed `now`: when its request, left in time, surely has landed. */
export function lockedUntil({ now, attemptLifetimeMs }: Pick<Claim, 'now' | 'attemptLifetimeMs'>): number {
  return now + LEAVES_WITHIN_MS + attemptLifetimeMs;
}

/** The action as it is recorded before its request leaves: from then on its outcome is not known. */
export function claimed(current: ActionRecord | undefined, claim: Claim): SendingAction {
  const { recordId, senderId, commandId, decision, reasonCode, reason, now } = claim;
  const before = current?.state === 'sending' ? current.before : current;
  return {
    state: 'sending',
    commandId,
    recordId,
    startedAt: isoTime(now),
    ...definedOf({ decision, reasonCode, reason, before }),
    lock: { holder: senderId, until: lockedUntil(claim) },
  };
}

/** The order after a request that surely had no effect on it; `undefined` unless `holder` has the lock. */
export function withdrawn(
  order: OrderRecord | undefined,
  action: OrderAction,
  holder: string,
): OrderRecord | undefined {
  const { [action]: current, ...rest } = order ?? {};
  if (order === undefined || current?.state !== 'sending' || current.lock.holder !== holder) return undefined;
  const known: Omit<OrderRecord, OrderAction> = {
    ...rest,
    storeClientId: order.storeClientId,
    orderKey: order.orderKey,
  };
  return { ...known, ...(current.before && { [action]: current.before }) };
}

/** How a request ended for one of its orders. */
export interface ActionEnd
  extends Pick<EndedAction, 'state' | 'code' | 'message' | 'batchId' | 'requestId' | 'decision'> {
  readonly recordId: string;
  readonly commandId: string;
  /** Epoch ms; when the request was signed. */
  readonly signedAt: number;
  readonly attemptLifetimeMs: number;
}

/**
 * The action with its end; `undefined` where something later holds. A retry that is refused says nothing of the try
 * before it: the outcome stays unknown.
 *
 * @param now epoch ms.
 */
export function ended(
  current: ActionRecord | undefined,
  { signedAt, attemptLifetimeMs, ...end }: ActionEnd,
  now: number,
): EndedAction | undefined {
  const isOwn = current?.recordId === end.recordId;
  if (isOwn ? current.state !== 'sending' : current !== undefined && current.state !== 'refused')
    return undefined;
  if (isOwn && current.state === 'sending' && current.before?.state === 'unknown' && end.state === 'refused')
    return current.before;
  const { lock: _, before: __, ...facts }: Partial<SendingAction> = isOwn ? (current as SendingAction) : {};
  const isUnknown = end.state === 'unknown';
  return {
    startedAt: isoTime(signedAt),
    ...facts,
    ...end,
    endedAt: isoTime(now),
    ...(isUnknown && { lock: { holder: end.recordId, until: signedAt + attemptLifetimeMs } }),
  };
}

/** The action of unknown outcome as an operator ends it; `undefined` where its outcome is not unknown. */
export function resolved(
  current: ActionRecord | undefined,
  outcome: 'done' | 'refused',
  now: number,
): EndedAction | undefined {
  if (current?.state !== 'unknown') return undefined;
  const { code: _, message: __, ...facts } = current;
  return { ...facts, state: outcome, ...(outcome === 'refused' && RESOLVED), endedAt: isoTime(now) };
}

/**
 * From when on the outcome is unknown, in epoch ms; `undefined` where it is known. What is being sent has until its lock
 * expires.
 */
export function unknownSince(action: ActionRecord): number | undefined {
  if (action.state === 'sending') return action.lock.until;
  return action.state === 'unknown' ? Date.parse(action.endedAt ?? action.startedAt) : undefined;
}

/**
 * The same for an order, since its first action whose outcome is unknown. What is being sent does not count: if its sender
 * ends, the end of its request makes it unknown.
 */
export function orderUnknownSince({ decision, dropoff }: OrderRecord): number | undefined {
  const times = [decision, dropoff].flatMap((action) =>
    action?.state === 'unknown' ? (unknownSince(action) ?? []) : [],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}
