import type { Submission } from '../../batches/model.ts';
import { requestKeyOf } from '../../batches/rules/request-key.ts';
import type { Rejection } from '../../rejections/model.ts';
import type { CommandStep, StepOutcome, StepRequestFacts } from '../model.ts';

/** One try of a step. */
export interface Try {
  /** Key of the step. */
  readonly commandId: string;
  readonly attemptId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly request?: Omit<StepRequestFacts, 'requestKey'>;
  /** Whether an effect of the step may be there before its first try. Default `false`. */
  readonly uncertain?: boolean;
}

/** The step as it is begun, for the first time or again; `undefined` for one whose answer is known. */
export function begun(
  current: CommandStep | undefined,
  { commandId, attemptId, at, request, uncertain = false }: Try,
): CommandStep | undefined {
  if (current !== undefined && isAnswered(current)) return undefined;
  const startedAt = current?.startedAt ?? at;
  return {
    commandId,
    attemptId,
    state: 'sending',
    // Still `sending`: whoever began it died before the outcome was known, or never learned it.
    uncertain: uncertain || (current !== undefined && (current.uncertain || current.state === 'sending')),
    tries: (current?.tries ?? 0) + 1,
    startedAt,
    begunAt: at,
    ...(request && { request: { ...request, requestKey: requestKeyOf(commandId, startedAt) } }),
    ...(current?.ifNeverSent && { ifNeverSent: current.ifNeverSent }),
  };
}

/**
 * The step after an attempt that surely had no effect; only the holder of the last attempt may say so. Where its rows
 * are not wanted any more it is over, if no other attempt may have had one.
 */
export function withdrawn(current: CommandStep | undefined, attemptId: string): CommandStep | undefined {
  if (current?.state !== 'sending' || current.attemptId !== attemptId) return undefined;
  if (current.ifNeverSent !== undefined && !current.uncertain) return refused(current, current.ifNeverSent);
  return { ...current, state: 'waiting' };
}

/**
 * The step with what its answer began. Of two tries at the same time the first answer counts, and each then had another
 * try before or beside it: the step that was begun twice is uncertain.
 */
export function answered(current: CommandStep | undefined, answer: Submission): CommandStep | undefined {
  if (current === undefined || isAnswered(current)) return undefined;
  return {
    ...current,
    state: 'answered',
    answer: { ...answer, ...(current.uncertain && { uncertain: true }) },
  };
}

/**
 * The step with what its answer refused for good. It is kept before it is reported, and not sent again, so that a crash
 * in between makes no other outcome of it.
 *
 * @param code why the step was refused whole, if it was.
 */
export function refused(
  current: CommandStep | undefined,
  rejections: readonly Rejection[],
  code?: string,
): CommandStep | undefined {
  if (current === undefined || isAnswered(current)) return undefined;
  return { ...current, state: 'answered', rejections: [...rejections], ...(code !== undefined && { code }) };
}

/**
 * The step of rows that nobody wants sent any more, with what is said of them in place of an answer: at once where surely
 * nothing of them was sent, or if that is found out later. `undefined` where they have their answer.
 */
export function dropped(
  current: CommandStep | undefined,
  next: Try,
  rejections: readonly Rejection[],
): CommandStep | undefined {
  const step = current ?? begun(undefined, next);
  if (step === undefined || isAnswered(step)) return undefined;
  const mayBeSent = step.uncertain || (current !== undefined && current.state !== 'waiting');
  return mayBeSent ? { ...step, ifNeverSent: [...rejections] } : refused(begun(current, next), rejections);
}

/** A row that a request goes without, and what is said of it. */
export interface LeftOutRow {
  /** In the request, from 0. */
  readonly index: number;
  readonly rejection: Rejection;
}

/**
 * The step that says which rows a request goes without, and owes them a report. The first word counts, so that the
 * request holds the same rows whenever it is made: `undefined` where it was said already.
 */
export function sifted(
  current: CommandStep | undefined,
  next: Try,
  rows: readonly LeftOutRow[],
): CommandStep | undefined {
  if (current !== undefined) return undefined;
  const rejections = rows.map(({ rejection }) => rejection);
  const first = begun(undefined, next);
  const step = rows.length === 0 ? done(first, {}, next.at) : refused(first, rejections);
  return step && { ...step, leftOut: rows.map(({ index }) => index) };
}

/** The step of a request that was refused as a whole, and whose rows go on in two others: it owes nobody an answer. */
export function divided(current: CommandStep | undefined): CommandStep | undefined {
  return current === undefined || isAnswered(current) ? undefined : { ...current, state: 'divided' };
}

/** The open step of a command that came again, and has to wait: it is not abandoned. `at`: ISO 8601. */
export function waitedFor(current: CommandStep | undefined, at: string): CommandStep | undefined {
  return current === undefined || isAnswered(current) ? undefined : { ...current, begunAt: at };
}

/** The step with its known outcome. */
export function done(
  current: CommandStep | undefined,
  outcome: StepOutcome,
  at: string,
): CommandStep | undefined {
  if (current === undefined || current.state === 'done') return undefined;
  const { answer: _, rejections: __, ifNeverSent: ___, ...rest } = current;
  return { ...rest, ...outcome, state: 'done', endedAt: at };
}

/** What a batch says of whose rows it has: its command's, or, row by row, those of several. */
export function commandsOf({
  commandId,
  origins,
}: StepRequestFacts): Pick<Submission, 'commandId' | 'origins'> {
  return origins === undefined ? { commandId } : { origins };
}

/** Whether the marketplace has had its say: nothing of the step is sent again. */
function isAnswered({ state }: CommandStep): boolean {
  return state === 'answered' || state === 'divided' || state === 'done';
}

/** Whether what became of the step's rows is still to be recorded: an end that must come even if its command does not. */
export function isOpen({ state, uncertain, request }: CommandStep): boolean {
  if (request === undefined) return false;
  return state === 'sending' || state === 'answered' || (state === 'waiting' && uncertain);
}

/**
 * An abandoned step of which nothing was ever sent: it owes nobody an answer, and may be begun again, unless its rows are
 * not wanted any more.
 */
export function neverSent(current: CommandStep | undefined, seen: CommandStep): CommandStep | undefined {
  if (!isAsSeen(current, seen)) return undefined;
  if (current.ifNeverSent !== undefined) return refused(current, current.ifNeverSent);
  return { ...current, state: 'waiting', uncertain: false };
}

/** An abandoned step with a batch in place of the answer that never came, for its rows to be read back. */
export function abandoned(
  current: CommandStep | undefined,
  seen: CommandStep,
  answer: Submission,
): CommandStep | undefined {
  return isAsSeen(current, seen) ? answered(current, answer) : undefined;
}

/** Whether nobody has touched the step since it was seen. */
function isAsSeen(current: CommandStep | undefined, seen: CommandStep): current is CommandStep {
  return current?.state === seen.state && current.attemptId === seen.attemptId;
}
