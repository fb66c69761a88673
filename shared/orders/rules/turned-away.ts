import type { ActionRecord, TurnedAway } from '../model.ts';

/** Commands that are remembered: those that come again do so soon. */
const MOST = 20;

export const CONFLICT = {
  code: 'ORDER_DECIDED_OTHERWISE',
  message: 'the other decision was sent for this order before',
};
export const UNKNOWN = {
  code: 'ORDER_OUTCOME_UNKNOWN',
  message: 'it was sent for this order before, with an unknown outcome: resolve it, or ask for a retry',
};
export const RESOLVED = {
  code: 'RESOLVED_AS_REFUSED',
  message: 'an operator found out that it had no effect',
};

type Row = Pick<TurnedAway, 'commandId' | 'decision'>;

/** What a command was told when it was rejected for the order; `undefined` for one that was not. */
export function turnedAwayBefore(
  { turnedAway = [] }: ActionRecord,
  { commandId, decision }: Row,
): TurnedAway | undefined {
  return turnedAway.find((one) => one.commandId === commandId && one.decision === decision);
}

/** The action with a command that is rejected because of it. */
export function withTurnedAway(
  current: ActionRecord,
  { commandId, decision }: Row,
  reason: Omit<TurnedAway, 'commandId' | 'decision'>,
): ActionRecord {
  const one = { commandId, ...(decision && { decision }), ...reason };
  return { ...current, turnedAway: newest([...(current.turnedAway ?? []), one]) };
}

/** Those who were turned away, with the command that the marketplace refused last: another takes its place now. */
export function withRefused(current: ActionRecord | undefined): TurnedAway[] {
  if (current === undefined) return [];
  const { state, refused = false, attemptId, code = 'UNKNOWN', message = code } = current;
  const isTold = state === 'refused' || (state === 'unknown' && refused);
  if (!isTold) return current.turnedAway ?? [];
  const reason = { code, message, ...(code === RESOLVED.code && { attemptId }) };
  return withTurnedAway(current, current, reason).turnedAway ?? [];
}

/** Of both records of an order that had two names. */
export function newest(turnedAway: readonly TurnedAway[]): TurnedAway[] {
  return turnedAway.slice(-MOST);
}
