import type * as z from 'zod';
import { cutOff } from '../../collections/cut-off.ts';
import { jsonBytes, packAll } from '../../collections/packer.ts';
import { isStorable } from '../../collections/parse-json.ts';
import type { EventRefusal } from '../../events/parse-incoming-event.ts';
import { targetsOf } from '../../listings/rules/target.ts';
import type { EpochMs } from '../../time/times.ts';
import { type Rejection, UNKNOWN_STORE } from '../model.ts';

/** Most characters of a text of the partner or the marketplace. */
const MAX_TEXT = 300;
/** Most characters of an identifier. */
const MAX_IDENTIFIER = 200;
/** Most broken rules that are reported per row. */
const MAX_PROBLEMS = 10;
/** Most bytes of a rejection's details as JSON: enough for `MAX_PROBLEMS` with the longest texts. */
const MAX_DETAILS_BYTES = 20_000;
/** Most levels in each of the details. DynamoDB allows 32 levels in an item. */
const MAX_DETAILS_LEVELS = 20;

/** Limits for the names of the rows of one rejection. */
const SUBJECTS_LIMITS = { maxItems: 1_000, maxBytes: 100_000 };

/** A rule that a row breaks. */
export interface RowProblem {
  readonly field: string;
  readonly rule: string;
  readonly message: string;
}

/** The text, cut off at `MAX_TEXT`: it may quote input of any length. */
export function boundedText(text: string): string {
  return cutOff(text, MAX_TEXT);
}

/** Whether a value is a valid identifier. */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_IDENTIFIER;
}

/** The broken rule that an issue of a schema reports. */
export function problemOf(issue: z.core.$ZodIssue): RowProblem {
  const rule = issue.code === 'custom' ? issue.params?.rule : undefined;
  return {
    field: issue.path.map(String).join('.'),
    rule: typeof rule === 'string' ? rule : issue.code.toUpperCase(),
    message: issue.message,
  };
}

/** The first ten broken rules, with bounded texts. */
export function boundedProblems(problems: readonly RowProblem[]): RowProblem[] {
  return problems
    .slice(0, MAX_PROBLEMS)
    .map(({ field, rule, message }) => ({ field: boundedText(field), rule, message: boundedText(message) }));
}

/**
 * A rejection with bounded texts, for the limits of a DynamoDB item (400 KB) and of an event (1 MB for 100 rows). If it has no
 * `target`, the first of its names becomes the target.
 */
export function boundedRejection(rejection: Rejection): Rejection {
  const { code, message, field, detailType, details, subjects } = rejection;
  const [target] = targetsOf(rejection);
  return {
    ...(target !== undefined && { target }),
    ...rejection,
    code: boundedText(code),
    message: boundedText(message),
    ...(field !== undefined && { field: boundedText(field) }),
    ...(detailType !== undefined && { detailType: boundedText(detailType) }),
    ...(details !== undefined && { details: boundedDetails(details) }),
    ...(subjects !== undefined && { subjects: packAll(subjects, SUBJECTS_LIMITS)[0] }),
  };
}

/** Details without the fields that exceed the limits; `isCut` says that some were removed. */
export function boundedDetails(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  let room = MAX_DETAILS_BYTES;
  const entries = Object.entries(details);
  const kept = entries.filter((entry) => {
    const bytes = jsonBytes(entry);
    if (bytes > room || !isStorable(entry[1], MAX_DETAILS_LEVELS)) return false;
    room -= bytes;
    return true;
  });
  return kept.length === entries.length ? { ...details } : { ...Object.fromEntries(kept), isCut: true };
}

/**
 * Rejection of an invalid event: its first problem is the reason, its first ten are `details.problems`.
 *
 * @param at when the event's message was sent.
 */
export function rejectionOfEvent(refusal: EventRefusal, at: EpochMs): Rejection {
  const { storeClientId = UNKNOWN_STORE, eventId, issues = [], ...facts } = refusal;
  const problems = boundedProblems(issues.map(problemOf));
  const rejectedAt = new Date(at).toISOString();
  const rejectionId = `${rejectedAt}#${eventId}`;
  const details = problems.length > 0 && { details: { problems } };
  return boundedRejection({ storeClientId, rejectionId, rejectedAt, eventId, ...facts, ...details });
}

/** In an event of at most this many rows, each refused row has its own rejection. */
const MOST_ONE_BY_ONE = 1_000;
/** In a larger event, a rejection covers at most this many neighbouring rows. */
const ROWS_PER_REJECTION = 100;

/**
 * The group of a refused row. Rows of an event with the same group share one rejection. Each row has a group of its own. But in an
 * event of more than 1,000 rows, rows of the same hundred with the same code have one group. The group is a part of the rejection's
 * ID, and depends only on position and code, so that a redelivery gives the same rejections.
 *
 * @param size number of rows in the event.
 */
export function rejectionGroupOf(size: number, rowIndex: number, code: string): string {
  return size <= MOST_ONE_BY_ONE ? `${rowIndex}` : `${Math.floor(rowIndex / ROWS_PER_REJECTION)}#${code}`;
}
