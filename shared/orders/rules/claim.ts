import type { ActionRecord, OrderRecord, OrderRow } from '../model.ts';

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
 * - `abandoned`: whoever was sending it is gone, and has not said how it ended.
 */
export type ClaimVerdict = 'claimed' | 'settled' | 'conflict' | 'unknown' | 'busy' | 'abandoned';

/** Decides what a wish meets (issue 6: never two different decisions, never the same one twice once it is known). */
export function judgeClaim(current: ActionRecord | undefined, wish: Wish): ClaimVerdict {
  if (current === undefined) return 'claimed';
  const same = current.decision === wish.decision;
  const own = current.commandId === wish.commandId;
  switch (current.state) {
    case 'withdrawn':
      if (!current.uncertain) return 'claimed';
      if (!same) return 'conflict';
      return wish.retry ? 'claimed' : 'unknown';
    case 'refused':
      if (!own) return 'claimed';
      return same ? 'settled' : 'conflict';
    case 'done':
      return same ? 'settled' : 'conflict';
    case 'unknown':
      if (!same) return 'conflict';
      if (own) return 'settled';
      return wish.retry ? 'claimed' : 'unknown';
    case 'sending':
      if (current.attemptId === wish.attemptId) return same ? 'settled' : 'conflict';
      return wish.now - Date.parse(current.startedAt) < CLAIM_MS ? 'busy' : 'abandoned';
  }
}

/**
 * From when on nobody can tell whether the action was done unless somebody finds out, in epoch ms; `undefined` where
 * the outcome is known. What is being sent has until its sender is surely gone.
 */
export function unknownSince({ state, uncertain, startedAt, endedAt }: ActionRecord): number | undefined {
  if (state === 'sending') return Date.parse(startedAt) + CLAIM_MS;
  const isUnknown = state === 'unknown' || (state === 'withdrawn' && uncertain === true);
  return isUnknown ? Date.parse(endedAt ?? startedAt) : undefined;
}

/** The same for an order: since its first action whose outcome nobody can tell. */
export function orderUnknownSince({ decision, dropoff }: OrderRecord): number | undefined {
  const times = [decision, dropoff].flatMap((action) => (action && unknownSince(action)) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The action as it is claimed: from now on its outcome is not known. */
export function claimed(
  current: ActionRecord | undefined,
  { commandId, attemptId, decision, reasonCode, reason, now }: Wish,
): ActionRecord {
  const uncertain = current?.state === 'unknown' || current?.uncertain === true;
  return {
    state: 'sending',
    commandId,
    ...(uncertain && { uncertain }),
    attemptId,
    startedAt: new Date(now).toISOString(),
    ...(decision !== undefined && { decision }),
    ...(reasonCode !== undefined && { reasonCode }),
    ...(reason !== undefined && { reason }),
  };
}

/** How an attempt ended for one order. */
export type ActionOutcome = Pick<ActionRecord, 'state' | 'batchId' | 'requestId' | 'code' | 'message'>;

/**
 * The action with its outcome; only the holder of the last attempt may say so. `undefined` for anybody else. A retry
 * that is refused says nothing of the attempt before it, which may be why: the outcome stays unknown.
 */
export function ended(
  current: ActionRecord | undefined,
  attemptId: string,
  outcome: ActionOutcome,
  at: string,
): ActionRecord | undefined {
  if (current?.state !== 'sending' || current.attemptId !== attemptId) return undefined;
  const state = outcome.state === 'refused' && current.uncertain ? 'unknown' : outcome.state;
  return { ...current, ...outcome, state, endedAt: at };
}
