import { z } from 'zod';

/** UUID format of any version: the spec says no more than "UUID". */
export const uuid = z.guid();

export const timestamp = z.iso.datetime();

/** A field-to-message map as in `details.context.validationErrors`: the first message of each field. */
export function validationErrorsOf(error: z.ZodError): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const issue of error.issues) errors[issue.path.join('.') || 'body'] ??= issue.message;
  return errors;
}

/**
 * A bulk request's body: a list under one name. Its rows are checked one by one by the endpoint, since a row that
 * breaks a rule is a row error and no failure of the request; `row` describes them in the OpenAPI document.
 */
export function bulkBody<Name extends string>(name: Name, row: z.ZodType) {
  const rows = z
    .array(z.unknown().meta({ description: name, ...embeddedSchema(row) }))
    .min(1, `${name} must not be empty`);
  return z.looseObject({ [name]: rows } as Record<Name, typeof rows>);
}

function embeddedSchema(row: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(row, { io: 'input' });
  return schema;
}

const pageNumber = z.coerce.number<string>().int().min(1);

/** The spec shows neither a default nor a greatest page size; the sandbox's default is 20, and any size is served. */
export const paging = { page: pageNumber.default(1), limit: pageNumber.default(20) };

/** A boolean as it travels in a query string. */
export const booleanQuery = z.enum(['true', 'false']).transform((value) => value === 'true');

/** The answer of an ASYNC endpoint in the shape of spec §4.5. */
export function batchAnswer() {
  return z.object({
    batchId: uuid,
    summary: z.object({ total: z.int(), failed: z.int(), pending: z.int() }),
    acceptedRows: z.array(acceptedRow),
    errors: z.array(rowError),
  });
}

const acceptedRow = z.object({
  rowIndex: z.int(),
  externalId: z.string().optional(),
  sku: z.string().optional(),
  id: z.string().optional(),
  target: z.enum(['product', 'variant']).optional(),
});

export const rowError = z.object({
  code: z.string(),
  message: z.string(),
  rowIndex: z.int(),
  id: z.string().optional(),
  sku: z.string().optional(),
  externalId: z.string().optional(),
  details: z.object({
    retryable: z.boolean(),
    context: z.looseObject({ reason: z.string() }),
  }),
});
