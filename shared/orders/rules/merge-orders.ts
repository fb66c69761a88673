import type { ActionRecord, OrderFacts } from '../model.ts';
import { attemptOf, attemptsInDoubt } from './claim.ts';
import { newest, withRefused } from './turned-away.ts';

/** The more an action's state forbids, the more it counts. */
const WEIGHT = { withdrawn: 0, refused: 1, sending: 2, unknown: 3, done: 4 } as const;

/** What is kept of an order, once what was kept under its other name is known to be the same order's. */
export function mergedFacts(current: OrderFacts, other: OrderFacts): OrderFacts {
  const decision = merged(current.decision, other.decision);
  const dropoff = merged(current.dropoff, other.dropoff);
  const documents = { ...other.documents, ...current.documents };
  return {
    ...(decision && { decision }),
    ...(dropoff && { dropoff }),
    ...(Object.keys(documents).length > 0 && { documents }),
  };
}

/**
 * Of two records of one action the one that remains, with what is known by the other. An operator who found out about
 * an attempt found it out for both.
 */
function merged(a: ActionRecord | undefined, b: ActionRecord | undefined): ActionRecord | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return mergedBoth(resolvedLike(a, b), resolvedLike(b, a));
}

/** The record, refused where the only attempt of it that is in doubt is known to have had no effect by the other one. */
function resolvedLike(record: ActionRecord, other: ActionRecord): ActionRecord {
  const [only, ...more] = attemptsInDoubt(record);
  const word = withRefused(other).find(
    ({ attemptId }) => attemptId !== undefined && attemptId === only?.attemptId,
  );
  if (word === undefined || more.length > 0 || record.attemptId !== word.attemptId) return record;
  return { ...record, state: 'refused', code: word.code, message: word.message };
}

/**
 * Of two records of one action the one that forbids more, of two alike the earlier; of one attempt the one that ended.
 * What may be the effect of the other stays in doubt.
 */
function mergedBoth(a: ActionRecord, b: ActionRecord): ActionRecord {
  if (a.attemptId === b.attemptId) return mergedOfOneAttempt(a, b);
  const isFirst = weightOf(a) === weightOf(b) ? a.startedAt <= b.startedAt : weightOf(a) > weightOf(b);
  const [kept, other] = isFirst ? [a, b] : [b, a];
  const inDoubt = attemptsInDoubt(other).map((one) =>
    other.state === 'sending' && one.attemptId === other.attemptId ? { ...one, wasOnItsWay: true } : one,
  );
  const unknownOf = other.state === 'done' ? [...inDoubt, attemptOf(other)] : inDoubt;
  const turnedAway = newest([...withRefused(other), ...(kept.turnedAway ?? [])]);
  return {
    ...kept,
    ...(unknownOf.length > 0 && { unknownOf: [...(kept.unknownOf ?? []), ...unknownOf] }),
    ...(turnedAway.length > 0 && { turnedAway }),
  };
}

/** Of one attempt the record that ended, of two the one that forbids more; and what stayed in doubt before it. */
function mergedOfOneAttempt(a: ActionRecord, b: ActionRecord): ActionRecord {
  const isAlike = (a.endedAt === undefined) === (b.endedAt === undefined);
  const isFirst = isAlike ? weightOf(a) >= weightOf(b) : a.endedAt !== undefined;
  const [kept, other] = isFirst ? [a, b] : [b, a];
  const { unknownOf = [] } = kept;
  const more = (other.unknownOf ?? []).filter(
    ({ attemptId }) => !unknownOf.some((one) => one.attemptId === attemptId),
  );
  const turnedAway = newest([...(other.turnedAway ?? []), ...(kept.turnedAway ?? [])]);
  return {
    ...kept,
    ...(more.length > 0 && { unknownOf: [...unknownOf, ...more] }),
    ...(more.length > 0 && kept.state === 'refused' && { state: 'unknown' as const, refused: true }),
    ...(turnedAway.length > 0 && { turnedAway }),
  };
}

function weightOf({ state, unknownOf = [] }: ActionRecord): number {
  return state === 'withdrawn' && unknownOf.length > 0 ? WEIGHT.unknown : WEIGHT[state];
}
