import { definedOf } from '../../collections/defined-of.ts';
import type { OrderAction } from '../../marketplace/fields.ts';
import { isLocked } from '../../requests/model.ts';
import type { EpochMs, IsoTime } from '../../time/times.ts';
import type { ActionRecord, EndedAction, OrderRecord, OrderResolution, SendingAction } from '../model.ts';
import type { JudgedRow } from './request-ends.ts';

/** A request must be sent within this time after its orders were locked. */
const SENT_WITHIN_MS = 60_000;

export const DECIDED_OTHERWISE = {
  code: 'ORDER_DECIDED_OTHERWISE',
  message: 'a different decision was sent for this order before',
};
const OUTCOME_UNKNOWN = {
  code: 'ORDER_OUTCOME_UNKNOWN',
  message: 'an earlier request for this order has an unknown outcome: resolve or retry it',
};
const RESOLVED_AS_REJECTED = {
  code: 'RESOLVED_AS_REJECTED',
  message: 'an operator resolved it as rejected: it had no effect',
};

/** A request's claim on one order, before it is sent. */
export interface Claim extends Pick<ActionRecord, 'decision' | 'reasonCode' | 'reason'> {
  readonly recordId: string;
  readonly senderId: string;
  readonly commandId: string;
  /** Whether to send an order of unknown outcome again. */
  readonly retry: boolean;
  readonly now: EpochMs;
  readonly attemptLifetimeMs: number;
}

/**
 * Decides whether an action may be sent. An order never gets two different decisions. An accepted action is not repeated. An action of
 * unknown outcome is repeated only by a retry.
 *
 * @returns the verdict. `busy`: another request about the order may be in flight, or another sender has ended this one.
 *   `abandoned`: the sender of an earlier request was stopped; that request's record has the outcome.
 */
export function judgeAction(
  current: ActionRecord | undefined,
  claim: Claim,
): JudgedRow | 'busy' | 'abandoned' {
  const { decision, recordId, senderId, retry, now } = claim;
  const given = definedOf({ decision });
  const sent: JudgedRow = { verdict: 'sent', ...given };
  const rejected = (fault: typeof OUTCOME_UNKNOWN): JudgedRow => ({
    verdict: 'rejected',
    ...given,
    ...fault,
  });
  if (current === undefined) return sent;
  // Another delivery has ended the same request.
  if (current.recordId === recordId && current.state !== 'sending') return 'busy';
  const isSame = current.decision === decision;
  const isFree = !isLocked(current.lock, senderId, now);
  switch (current.state) {
    case 'accepted':
      if (!isSame) return rejected(DECIDED_OTHERWISE);
      return { verdict: 'done before', ...given, ...definedOf({ batchId: current.batchId }) };
    case 'rejected':
      return isFree ? sent : 'busy';
    case 'unknown':
      if (!isSame) return rejected(DECIDED_OTHERWISE);
      if (!retry) return rejected(OUTCOME_UNKNOWN);
      return isFree ? sent : 'busy';
    case 'sending':
      if (current.lock.holder === senderId) return sent;
      return isFree ? 'abandoned' : 'busy';
  }
}

/** The end of the lock of an order that is claimed at `now`. A request that is sent in time has landed by then, or never will. */
export function lockedUntil({ now, attemptLifetimeMs }: Pick<Claim, 'now' | 'attemptLifetimeMs'>): number {
  return now + SENT_WITHIN_MS + attemptLifetimeMs;
}

/** The action as recorded before its request is sent. */
export function claimed(current: ActionRecord | undefined, claim: Claim): SendingAction {
  const { recordId, senderId, commandId, decision, reasonCode, reason, now } = claim;
  const before = current?.state === 'sending' ? current.before : current;
  return {
    state: 'sending',
    commandId,
    recordId,
    startedAt: new Date(now).toISOString(),
    ...definedOf({ decision, reasonCode, reason, before }),
    lock: { holder: senderId, until: lockedUntil(claim) },
  };
}

/** The order after a request without an effect; `undefined` unless `holder` has the lock. */
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

/** The end of a request for one of its orders. */
export interface ActionEnd
  extends Pick<EndedAction, 'state' | 'code' | 'message' | 'batchId' | 'requestId' | 'decision' | 'tries'> {
  readonly recordId: string;
  readonly commandId: string;
  /** When the request was signed. */
  readonly signedAt: EpochMs;
  readonly attemptLifetimeMs: number;
}

/**
 * The ended action; `undefined` if a later request has replaced it. If a retry is rejected, the outcome of the earlier
 * try stays unknown.
 *
 * @param now epoch ms.
 */
export function ended(
  current: ActionRecord | undefined,
  { signedAt, attemptLifetimeMs, ...end }: ActionEnd,
  now: EpochMs,
): EndedAction | undefined {
  const isOwn = current?.recordId === end.recordId;
  const own = isOwn && current.state === 'sending' ? current : undefined;
  if (own === undefined && current !== undefined && (isOwn || current.state !== 'rejected')) return undefined;
  if (own?.before?.state === 'unknown' && end.state === 'rejected') return own.before;
  const { lock: _, before: __, ...facts }: Partial<SendingAction> = own ?? {};
  const isUnknown = end.state === 'unknown';
  return {
    startedAt: new Date(signedAt).toISOString(),
    ...facts,
    ...end,
    endedAt: new Date(now).toISOString(),
    ...(isUnknown && { lock: { holder: end.recordId, until: signedAt + attemptLifetimeMs } }),
  };
}

/** The action as an operator resolved it; `undefined` unless its outcome is unknown. */
export function resolved(
  current: ActionRecord | undefined,
  outcome: OrderResolution,
  now: EpochMs,
  reason?: string,
): EndedAction | undefined {
  if (current?.state !== 'unknown') return undefined;
  const { code, message: _, ...facts } = current;
  return {
    ...facts,
    state: outcome,
    ...(outcome === 'rejected' && RESOLVED_AS_REJECTED),
    endedAt: new Date(now).toISOString(),
    resolution: { at: new Date(now).toISOString(), outcome, ...definedOf({ reason, code }) },
  };
}

/**
 * From when on a person may resolve or retry the action; `undefined` if its outcome is known. For a `sending` action this is the end
 * of its lock.
 */
export function unknownSince(action: ActionRecord): EpochMs | undefined {
  if (action.state === 'sending') return action.lock.until;
  return action.state === 'unknown' ? Date.parse(action.endedAt ?? action.startedAt) : undefined;
}

/** When something was last requested for the order; `undefined` if nothing was. */
export function lastRequestedAt(order: OrderRecord): IsoTime | undefined {
  return lastOf(order, ({ startedAt }) => startedAt);
}

/** When something for the order was last requested, or last ended; `undefined` if nothing was requested. */
export function lastChangedAt(order: OrderRecord): IsoTime | undefined {
  return lastOf(order, ({ endedAt, startedAt }) => endedAt ?? startedAt);
}

function lastOf(
  { decision, dropoff, documents, waited }: OrderRecord,
  timeOf: (action: ActionRecord) => IsoTime,
): IsoTime | undefined {
  const given = [decision, dropoff].flatMap((action) => (action ? [timeOf(action)] : []));
  const stored = Object.values(documents ?? {}).flatMap((document) => document?.at ?? []);
  const since = waited?.map((one) => one.since) ?? [];
  return [...given, ...stored, ...since].sort().at(-1);
}

/** Whether the order's decision or dropoff has the state. Default: any order. */
export function hasState({ decision, dropoff }: OrderRecord, state?: ActionRecord['state']): boolean {
  return state === undefined || decision?.state === state || dropoff?.state === state;
}

/**
 * Since when the outcome of the order's decision or dropoff is unknown; the earlier time if both are unknown. A `sending` action
 * counts only if it retries an action of unknown outcome. Any other `sending` action is open, not unknown.
 */
export function orderUnknownSince({ decision, dropoff }: OrderRecord): number | undefined {
  const times = [decision, dropoff].flatMap((action) => {
    const known = action?.state === 'sending' ? action.before : action;
    return action && known?.state === 'unknown' ? (unknownSince(action) ?? []) : [];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}
