import { jsonBytes } from '../../collections/packer.ts';
import type { EventRefusal } from '../../events/parse-incoming-event.ts';
import { type Rejection, UNKNOWN_STORE } from '../model.ts';

/** Longest text that is taken over from others, in characters. */
const MAX_TEXT = 300;
/** Longest identifier that is reported, in characters. A longer text is not an identifier. */
const MAX_IDENTIFIER = 200;
/** Most broken rules that are reported of one row. */
const MAX_PROBLEMS = 10;
/** Most that the details of a rejection take, in bytes of JSON: room for as many problems of the longest texts. */
const MAX_DETAILS_BYTES = 20_000;

/** A rule that a row breaks. */
export interface RowProblem {
  readonly field: string;
  readonly rule: string;
  readonly message: string;
}

/** As much of a text as a rejection takes: it may quote what the partner or the marketplace wrote, of any length. */
export function boundedText(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed();
}

/** Whether a value can be reported as the identifier that its field names. */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_IDENTIFIER;
}

/** The first ten broken rules, with as much of their words as a rejection takes. */
export function boundedProblems(problems: readonly RowProblem[]): RowProblem[] {
  return problems
    .slice(0, MAX_PROBLEMS)
    .map(({ field, rule, message }) => ({ field: boundedText(field), rule, message: boundedText(message) }));
}

/**
 * A rejection with as much of its words as an item of DynamoDB (400 KB) and an event (1 MB, of up to 100 rows) have room
 * for.
 */
export function boundedRejection(rejection: Rejection): Rejection {
  const { code, message, field, detailType, details } = rejection;
  return {
    ...rejection,
    code: boundedText(code),
    message: boundedText(message),
    ...(field !== undefined && { field: boundedText(field) }),
    ...(detailType !== undefined && { detailType: boundedText(detailType) }),
    ...(details !== undefined && { details: boundedDetails(details) }),
  };
}

/** Details without those that are too large for a rejection, left out one by one; `isCut` among them says so. */
export function boundedDetails(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  let room = MAX_DETAILS_BYTES;
  const entries = Object.entries(details);
  const kept = entries.filter((entry) => {
    const bytes = jsonBytes(entry);
    if (bytes > room) return false;
    room -= bytes;
    return true;
  });
  return kept.length === entries.length ? { ...details } : { ...Object.fromEntries(kept), isCut: true };
}

/** An event that was not understood, as rejected. `at` is epoch ms: when its message was sent. */
export function rejectionOfEvent(refusal: EventRefusal, at: number): Rejection {
  const { storeClientId = UNKNOWN_STORE, eventId, ...facts } = refusal;
  const rejectedAt = new Date(at).toISOString();
  const rejectionId = `${rejectedAt}#${eventId}`;
  return boundedRejection({ storeClientId, rejectionId, rejectedAt, eventId, ...facts });
}
