import type { CommandStep, StepOutcome } from '../model.ts';

/** The step as it is begun, for the first time or again; `undefined` for one that is done. */
export function begun(
  current: CommandStep | undefined,
  attempt: { readonly commandId: string; readonly attemptId: string; readonly at: string },
): CommandStep | undefined {
  if (current?.state === 'done') return undefined;
  return {
    commandId: attempt.commandId,
    attemptId: attempt.attemptId,
    state: 'sending',
    // Still `sending`: whoever began it died before the outcome was known, or never learned it.
    uncertain: current !== undefined && (current.uncertain || current.state === 'sending'),
    tries: (current?.tries ?? 0) + 1,
    startedAt: current?.startedAt ?? attempt.at,
  };
}

/** The step after an attempt that surely had no effect; only the holder of the last attempt may say so. */
export function withdrawn(current: CommandStep | undefined, attemptId: string): CommandStep | undefined {
  if (current?.state !== 'sending' || current.attemptId !== attemptId) return undefined;
  return { ...current, state: 'waiting' };
}

/** The step with its known outcome. */
export function done(
  current: CommandStep | undefined,
  outcome: StepOutcome,
  at: string,
): CommandStep | undefined {
  if (current === undefined || current.state === 'done') return undefined;
  return { ...current, ...outcome, state: 'done', endedAt: at };
}
