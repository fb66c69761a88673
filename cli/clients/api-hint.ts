import * as z from 'zod';
import type { ApiFailure, Changed } from '../errors.ts';

const texts = z.array(z.string()).optional().catch(undefined);
const detailsSchema = z
  .looseObject({
    columns: texts,
    errors: z
      .array(z.looseObject({ rowIndex: z.number(), code: z.string(), message: z.string() }))
      .optional()
      .catch(undefined),
    marketplace: z
      .looseObject({
        outcome: z.string().optional(),
        context: z
          .looseObject({
            allowedSubstatuses: texts,
            validationErrors: z.record(z.string(), z.unknown()).optional().catch(undefined),
          })
          .optional()
          .catch(undefined),
      })
      .optional()
      .catch(undefined),
  })
  .catch({});

/** Most errors of rows or fields in a hint; `--json` has all. */
const MOST_LISTED = 5;
/** Another request may be in flight: about as long as its lifetime. */
const BUSY_HINT = 'Try again in two minutes.';

/** Said of a call without an effect. */
export const NOTHING_CHANGED = 'Nothing was changed.';

/** Whether anything was changed by a call that failed. */
export function changedBy({ method, status, details }: ApiFailure): Changed | undefined {
  if (method === 'GET') return undefined;
  const { marketplace } = detailsSchema.parse(details ?? {});
  if (marketplace?.outcome === 'unknown' || status === 504) return 'unknown';
  if (status < 500 || marketplace?.outcome === 'refused') return 'nothing';
  return 'unknown';
}

/** What the answer says of what is allowed, whether anything was changed, and when to try again. */
export function hintOf(failure: ApiFailure): string | undefined {
  const parts = [...allowedIn(failure.details), ...effectOf(failure), ...againAfter(failure)];
  return parts.length === 0 ? undefined : parts.join(' ');
}

function allowedIn(details: unknown): string[] {
  const { columns, errors = [], marketplace } = detailsSchema.parse(details ?? {});
  const { allowedSubstatuses, validationErrors = {} } = marketplace?.context ?? {};
  const fields = Object.entries(validationErrors).map(([field, why]) => `${field}: ${textOf(why)}`);
  const rows = errors.map(({ rowIndex, code, message }) => `row ${rowIndex}: ${code}: ${message}`);
  return [
    ...(allowedSubstatuses
      ? [`The order must be in one of these states: ${allowedSubstatuses.join(', ')}.`]
      : []),
    ...(columns ? [`The columns are ${columns.join(', ')}.`] : []),
    ...listed(fields),
    // One row has the message of the error itself.
    ...(rows.length > 1 ? listed(rows) : []),
  ];
}

function listed(all: readonly string[]): string[] {
  if (all.length === 0) return [];
  const more = all.length > MOST_LISTED ? `; and ${all.length - MOST_LISTED} more (--json has all)` : '';
  return [`${all.slice(0, MOST_LISTED).join('; ')}${more}.`];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function effectOf(failure: ApiFailure): string[] {
  const changed = changedBy(failure);
  if (changed === undefined) return [];
  if (changed === 'nothing') return [NOTHING_CHANGED];
  // The ID of a call's command is that of its request.
  const { requestId } = failure;
  return [`It may have taken effect${requestId === undefined ? '' : `: trace ${requestId} tells`}.`];
}

function againAfter({ status, code, retryAfter }: ApiFailure): string[] {
  if (retryAfter !== undefined) return [`Try again in ${retryAfter} s.`];
  if (code.endsWith('_BUSY')) return [BUSY_HINT];
  return status === 503 || status === 429 ? ['Try again in a minute.'] : [];
}
