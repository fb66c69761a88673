import type { ActionRecord, DoubtfulAttempt, OrderRecord, OrderRow } from '../model.ts';
import { aboutDoubt, endedInDoubt } from './in-doubt.ts';
import { turnedAwayBefore, withRefused } from './turned-away.ts';

/**
 * Milliseconds after which whoever began an attempt is surely gone: longer than any function that sends orders may
 * run, and than a request may take to land.
 */
export const CLAIM_MS = 120_000;

/** Milliseconds for which the absence of an attempt's record surely means that it was never made; kept for 90 days. */
export const ATTEMPT_KEPT_MS = 80 * 24 * 3_600_000;

/** What a command wants to be done with one order. */
export interface Wish extends Pick<OrderRow['item'], 'decision' | 'reasonCode' | 'reason'> {
  readonly commandId: string;
  readonly attemptId: string;
  /** Whether what is unknown is to be sent anew. */
  readonly retry: boolean;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * What a wish meets:
 * - `claimed`: it is to be sent, and nobody else will;
 * - `settled`: it was done, or this very command has its outcome, whatever it is;
 * - `conflict`: the order was decided otherwise, or may have been;
 * - `unknown`: it was sent and nobody can tell whether it was done;
 * - `busy`: somebody is sending it now;
 * - `turned away`: this very command was rejected before;
 * - `abandoned`: whoever was sending it is gone, and has not said how it ended.
 */
export type ClaimVerdict =
  | 'claimed'
  | 'settled'
  | 'conflict'
  | 'unknown'
  | 'busy'
  | 'turned away'
  | 'abandoned';

/** Decides what a wish meets (issue 6: never two different decisions, never the same one twice once it is known). */
export function judgeClaim(current: ActionRecord | undefined, wish: Wish): ClaimVerdict {
  if (current === undefined) return 'claimed';
  if (turnedAwayBefore(current, wish) !== undefined) return 'turned away';
  const same = current.decision === wish.decision;
  const sameInDoubt = decisionsInDoubt(current).every((decision) => decision === wish.decision);
  const own = current.commandId === wish.commandId;
  const hadItsTry = ownAttempt(current, wish.commandId) !== undefined;
  switch (current.state) {
    case 'withdrawn':
      if (!isUncertain(current)) return 'claimed';
      if (hadItsTry) return 'settled';
      if (!sameInDoubt) return 'conflict';
      return judgeRetry(current, wish);
    case 'refused':
      if (!own) return 'claimed';
      return same ? 'settled' : 'conflict';
    case 'done':
      return same || hadItsTry ? 'settled' : 'conflict';
    case 'unknown':
      if (hadItsTry) return 'settled';
      if (own) return same ? 'settled' : 'conflict';
      if (!sameInDoubt) return 'conflict';
      return judgeRetry(current, wish);
    case 'sending':
      if (current.attemptId === wish.attemptId) return same ? 'settled' : 'conflict';
      return maySenderLive(current, wish.now) ? 'busy' : 'abandoned';
  }
}

/** What an explicit retry may do of which nobody can tell; another attempt may still be on its way. */
function judgeRetry({ unknownOf = [] }: ActionRecord, { retry, now }: Wish): ClaimVerdict {
  if (!retry) return 'unknown';
  return unknownOf.some((one) => one.wasOnItsWay && maySenderLive(one, now)) ? 'busy' : 'claimed';
}

/**
 * From when on nobody can tell whether the action was done unless somebody finds out, in epoch ms; `undefined` where
 * the outcome is known. What is being sent has until its sender is surely gone.
 */
export function unknownSince(record: ActionRecord): number | undefined {
  const { state, startedAt, endedAt } = record;
  if (state === 'sending') return Date.parse(startedAt) + CLAIM_MS;
  const isUnknown = state === 'unknown' || (state === 'withdrawn' && isUncertain(record));
  return isUnknown ? Date.parse(endedAt ?? startedAt) : undefined;
}

/**
 * The same for an order: since its first action whose outcome nobody can tell. While a record is still to be taken over
 * there is no telling what it holds.
 */
export function orderUnknownSince({ decision, dropoff, joining }: OrderRecord): number | undefined {
  const times = [decision, dropoff].flatMap((action) => (action && unknownSince(action)) ?? []);
  if (joining) times.push(Date.parse(joining.since));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The action as it is claimed: from now on its outcome is not known. */
export function claimed(
  current: ActionRecord | undefined,
  { commandId, attemptId, decision, reasonCode, reason, now }: Wish,
): ActionRecord {
  const unknownOf = current === undefined ? [] : attemptsInDoubt(current);
  const turnedAway = withRefused(current);
  return {
    state: 'sending',
    commandId,
    ...(unknownOf.length > 0 && { unknownOf }),
    ...(turnedAway.length > 0 && { turnedAway }),
    attemptId,
    startedAt: new Date(now).toISOString(),
    ...(decision !== undefined && { decision }),
    ...(reasonCode !== undefined && { reasonCode }),
    ...(reason !== undefined && { reason }),
  };
}

/** Attempts that may have had their effect, as far as an action tells. */
export function attemptsInDoubt(record: ActionRecord): DoubtfulAttempt[] {
  const { state, unknownOf = [] } = record;
  return state === 'sending' || state === 'unknown' ? [...unknownOf, attemptOf(record)] : unknownOf;
}

/** What an order may have been decided as: two names of it may have been decided differently before they were joined. */
function decisionsInDoubt({ state, refused = false, unknownOf = [], decision }: ActionRecord) {
  const inDoubt = unknownOf.map((one) => one.decision);
  return state === 'unknown' && !refused ? [...inDoubt, decision] : inDoubt;
}

/** The last attempt of an action. */
export function attemptOf({ commandId, attemptId, startedAt, decision }: ActionRecord): DoubtfulAttempt {
  return { commandId, attemptId, startedAt, ...(decision && { decision }) };
}

/** The action as an attempt of it was answered; whatever else of it was in doubt stays so. */
function doneBy(
  current: ActionRecord,
  holder: Omit<DoubtfulAttempt, 'startedAt'>,
  outcome: ActionOutcome,
  endedAt: string,
): ActionRecord {
  const { refused: _, code: __, message: ___, unknownOf: ____, ...known } = current;
  const { startedAt } = attemptsInDoubt(current).find(isOf(holder)) ?? current;
  const unknownOf = attemptsInDoubt(current).filter((one) => !isOf(holder)(one));
  return { ...known, ...holder, startedAt, ...(unknownOf.length > 0 && { unknownOf }), ...outcome, endedAt };
}

function isOf({ attemptId }: Pick<DoubtfulAttempt, 'attemptId'>) {
  return (attempt: DoubtfulAttempt) => attempt.attemptId === attemptId;
}

/** The attempt of a command that may have had its effect, as far as an action tells. */
export function ownAttempt({ unknownOf = [] }: ActionRecord, commandId: string): DoubtfulAttempt | undefined {
  return unknownOf.find((one) => one.commandId === commandId);
}

/** Whether the sender of an attempt may still be at work. */
export function maySenderLive({ startedAt }: Pick<ActionRecord, 'startedAt'>, now: number): boolean {
  return now - Date.parse(startedAt) < CLAIM_MS;
}

function isUncertain({ unknownOf = [] }: ActionRecord): boolean {
  return unknownOf.length > 0;
}

/** How an attempt ended for one order. */
export type ActionOutcome = Pick<ActionRecord, 'state' | 'batchId' | 'requestId' | 'code' | 'message'>;

/**
 * The action with its outcome. Only the holder of the last attempt may say so, but that it was done anybody who was
 * answered so, and of an attempt in doubt its own sender; `undefined` for what says nothing new. A retry that is refused
 * says nothing of the attempt before it, which may be why: the outcome stays unknown.
 *
 * @param at ISO 8601.
 */
export function ended(
  current: ActionRecord | undefined,
  holder: Omit<DoubtfulAttempt, 'startedAt'>,
  outcome: ActionOutcome,
  at: string,
): ActionRecord | undefined {
  if (current === undefined || current.state === 'done') return undefined;
  if (outcome.state === 'done') return doneBy(current, holder, outcome, at);
  if (current.attemptId !== holder.attemptId) return endedInDoubt(current, holder, outcome);
  if (current.state !== 'sending') return undefined;
  if (!isUncertain(current) || outcome.state === 'unknown') return { ...current, ...outcome, endedAt: at };
  if (outcome.state === 'withdrawn') return aboutDoubt({ ...current, ...outcome, endedAt: at });
  return aboutDoubt({ ...current, ...outcome, state: 'unknown', refused: true, endedAt: at });
}
