import type { ActionRecord, DoubtfulAttempt } from '../model.ts';
import type { ActionOutcome } from './claim.ts';
import { withRefused, withTurnedAway } from './turned-away.ts';

/**
 * The action once an attempt of it that was in doubt, but was not the last one, is known to have had no effect, or to
 * be on its way no more: a join of two names puts in doubt what is still on its way under one of them. `undefined`
 * where that says nothing new.
 */
export function endedInDoubt(
  current: ActionRecord,
  { attemptId }: Pick<DoubtfulAttempt, 'attemptId'>,
  { state, code = 'UNKNOWN', message = code }: ActionOutcome,
): ActionRecord | undefined {
  const { unknownOf = [] } = current;
  const attempt = unknownOf.find((one) => one.attemptId === attemptId);
  if (attempt === undefined) return undefined;
  const others = unknownOf.filter((one) => one !== attempt);
  if (state === 'withdrawn') return withDoubts(current, others);
  if (state === 'refused') return withDoubts(withTurnedAway(current, attempt, { code, message }), others);
  const { wasOnItsWay, ...gone } = attempt;
  return wasOnItsWay ? withDoubts(current, [...others, gone]) : undefined;
}

/** Nothing is unknown of a refused action any more when nothing else of it is in doubt. */
function withDoubts(
  { unknownOf: _, refused, ...known }: ActionRecord,
  unknownOf: DoubtfulAttempt[],
): ActionRecord {
  if (unknownOf.length > 0) return { ...known, unknownOf, ...(refused && { refused }) };
  return refused ? { ...known, state: 'refused' } : known;
}

/**
 * The action with the attempt that is asked about: where the last one had no effect, and the one in doubt before it
 * was of another decision, under another name, that is the one in doubt.
 *
 * @param ended how the last attempt ended, without an effect.
 */
export function aboutDoubt(ended: ActionRecord): ActionRecord {
  const { unknownOf = [], endedAt, decision } = ended;
  const last = unknownOf.at(-1);
  if (last === undefined || last.decision === decision) return ended;
  const { wasOnItsWay = false, ...attempt } = last;
  const others = unknownOf.slice(0, -1);
  const turnedAway = withRefused(ended);
  return {
    ...attempt,
    ...(others.length > 0 && { unknownOf: others }),
    ...(turnedAway.length > 0 && { turnedAway }),
    ...(wasOnItsWay ? { state: 'sending' } : { state: 'unknown', endedAt }),
  };
}
