import * as z from 'zod';

/** A UUID of any version, as the specification says no more than "UUID". */
export const uuid = z.guid();

export const timestamp = z.iso.datetime();

/** A field-to-message map as in `details.context.validationErrors`: the first message of each field. */
export function validationErrorsOf(error: z.ZodError): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const issue of error.issues) errors[issue.path.join('.') || 'body'] ??= issue.message;
  return errors;
}

/**
 * A bulk request's body: a list under one name. The endpoint checks the rows one by one, as an invalid row is a row error
 * and does not fail the request.
 */
export function bulkBody<Name extends string>(name: Name) {
  const rows = z.array(z.unknown()).min(1, `${name} must not be empty`);
  return z.looseObject({ [name]: rows } as Record<Name, typeof rows>);
}

const pageNumber = z.coerce.number<string>().int().min(1);

/** The specification shows no default and no limit of the page size. Here the default is 20, without a limit. */
export const paging = { page: pageNumber.default(1), limit: pageNumber.default(20) };

/** A boolean in a query string. */
export const booleanQuery = z.enum(['true', 'false']).transform((value) => value === 'true');

const acceptedRow = z
  .object({
    rowIndex: z.int(),
    externalId: z.string().optional(),
    sku: z.string().optional(),
    id: z.string().optional(),
    target: z.enum(['product', 'variant']).optional(),
  })
  .meta({ id: 'AcceptedRow' });

export const rowError = z
  .object({
    code: z.string(),
    message: z.string(),
    rowIndex: z.int(),
    id: z.string().optional(),
    sku: z.string().optional(),
    externalId: z.string().optional(),
    details: z.object({ retryable: z.boolean(), context: z.looseObject({ reason: z.string() }) }),
  })
  .meta({ id: 'RowError' });

/** The answer of an ASYNC endpoint in the shape of §4.5. */
export const batchAnswer = z
  .object({
    batchId: uuid,
    summary: z.object({ total: z.int(), failed: z.int(), pending: z.int() }),
    acceptedRows: z.array(acceptedRow),
    errors: z.array(rowError),
  })
  .meta({ id: 'BatchAnswer' });
