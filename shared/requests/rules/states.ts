import type { EpochMs, IsoTime } from '../../time/times.ts';
import type { RequestFault, RequestRecord } from '../model.ts';
import { withAttempt, withAttemptEnd } from './attempts.ts';

interface RequestTry {
  readonly senderId: string;
  readonly signedAt: EpochMs;
  /** A request that has not landed this long after its signature never will. */
  readonly attemptLifetimeMs: number;
  readonly now: EpochMs;
  /** Whether the request may be sent again although an earlier try may have had an effect. */
  readonly repeatable: boolean;
  readonly note?: unknown;
}

/**
 * The request's record right before the request is sent. `undefined` if the request must not be sent: another invocation is
 * sending it, it has ended, or an earlier try may have had an effect that must not be repeated.
 */
export function sent(current: RequestRecord | undefined, sending: RequestTry): RequestRecord | undefined {
  if (current === undefined || hasEnded(current)) return undefined;
  const { senderId, signedAt, note, now } = sending;
  const wasSent = current.state === 'sent';
  if (wasSent && !sending.repeatable) return undefined;
  if (wasSent && current.senderId !== senderId && isInFlight(current, sending)) return undefined;
  const { note: _, ...rest } = withAttempt(current, senderId, signedAt);
  return {
    ...rest,
    state: 'sent',
    tries: current.tries + 1,
    senderId,
    signedAt,
    uncertain: current.uncertain || wasSent,
    ...(note !== undefined && { note }),
    touchedAt: new Date(now).toISOString(),
  };
}

/** Whether a sent request may still have its effect, or its answer may still come. */
export function isInFlight(
  { state, signedAt = 0 }: Pick<RequestRecord, 'state' | 'signedAt'>,
  { attemptLifetimeMs, now }: Pick<RequestTry, 'attemptLifetimeMs' | 'now'>,
): boolean {
  return state === 'sent' && signedAt + attemptLifetimeMs > now;
}

/** The request after a try of unknown outcome. No later failure resets `uncertain`. */
export function uncertain(current: RequestRecord | undefined, senderId: string): RequestRecord | undefined {
  return isTryOf(current, senderId) ? { ...current, uncertain: true } : undefined;
}

/** The request after its last try has expired with an unknown outcome; `undefined` before that. */
export function expired(
  current: RequestRecord | undefined,
  times: Pick<RequestTry, 'attemptLifetimeMs' | 'now'>,
): RequestRecord | undefined {
  if (current?.state !== 'sent' || isInFlight(current, times)) return undefined;
  return { ...current, state: 'prepared', uncertain: true };
}

/** The request after a try of `senderId` that certainly had no effect. */
export function notSent(current: RequestRecord | undefined, senderId: string): RequestRecord | undefined {
  return isTryOf(current, senderId) ? { ...current, state: 'prepared' } : undefined;
}

/**
 * The request with the marketplace's answer; `undefined` if it has ended already.
 *
 * @param answeredTry the record as it was when the answered try was sent. If no later try followed, its `uncertain` counts, not
 *   the one of `current`: another invocation may have taken the answered try for expired meanwhile.
 */
export function answered(
  current: RequestRecord | undefined,
  answer: unknown,
  answeredTry?: RequestRecord,
): RequestRecord | undefined {
  if (current === undefined || hasEnded(current)) return undefined;
  const { fault: _, ...rest } = current;
  const { uncertain } = answeredTry?.tries === current.tries ? answeredTry : current;
  const ended = { ...rest, state: 'answered' as const, answer, uncertain };
  // Without a try, there was nothing to send.
  return answeredTry ? withAttemptEnd(ended, answeredTry.senderId, { outcome: 'accepted' }) : ended;
}

/**
 * The request after it was refused as a whole.
 *
 * @param senderId the sender of the refused try; default: nothing was sent.
 */
export function refused(
  current: RequestRecord | undefined,
  fault: RequestFault,
  senderId?: string,
): RequestRecord | undefined {
  return mayEnd(current, senderId) ? { ...current, state: 'refused', fault } : undefined;
}

/** The request after a try of `senderId` was refused: its rows go on in two halves. */
export function split(
  current: RequestRecord | undefined,
  halves: readonly [string, string],
  senderId: string,
): RequestRecord | undefined {
  return mayEnd(current, senderId) ? { ...current, state: 'split', halves: [...halves] } : undefined;
}

/** The request with an unknown outcome; `undefined` if it was never sent or has ended. */
export function endedUnknown(
  current: RequestRecord | undefined,
  fault: RequestFault,
): RequestRecord | undefined {
  if (current === undefined || hasEnded(current)) return undefined;
  if (current.state === 'prepared' && !current.uncertain) return undefined;
  return { ...current, state: 'unknown', fault };
}

/** The request after all effects of its end are durable. */
export function applied(current: RequestRecord | undefined, at: IsoTime): RequestRecord | undefined {
  if (current === undefined || !hasEnded(current) || current.appliedAt !== undefined) return undefined;
  return { ...current, appliedAt: at };
}

/** An open request after its command was redelivered: the sweeper must not count it as abandoned. */
export function touched(current: RequestRecord | undefined, at: IsoTime): RequestRecord | undefined {
  if (current === undefined || hasEnded(current) || !isOpen(current)) return undefined;
  return { ...current, touchedAt: at };
}

/** A refusal does not end the request while another sender's try may have an effect. */
function mayEnd(current: RequestRecord | undefined, senderId: string | undefined): current is RequestRecord {
  return current?.state === 'prepared' || isTryOf(current, senderId);
}

function isTryOf(current: RequestRecord | undefined, senderId: string | undefined): current is RequestRecord {
  return current?.state === 'sent' && current.senderId === senderId;
}

/** A request that has ended is never sent again. */
export function hasEnded({ state }: Pick<RequestRecord, 'state'>): boolean {
  return state !== 'prepared' && state !== 'sent';
}

/** Whether the sweeper must end the request: it may have been sent, and its outcome is not applied yet. */
export function isOpen({ state, uncertain, appliedAt }: RequestRecord): boolean {
  if (appliedAt !== undefined) return false;
  return state !== 'prepared' || uncertain;
}
