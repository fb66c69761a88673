import type * as z from 'zod';
import { inputErrors } from '../../shared/errors/input-errors.ts';
import { ApiError, CliError, explain, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

/** An error as the page shows it. */
export interface ConsoleError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The error of a failed call, in words, with the HTTP status that fits. */
export function errorAnswer(error: unknown): {
  status: 400 | 404 | 409 | 502;
  body: { error: ConsoleError };
} {
  const { code, message, hint, exitCode } = explain(error);
  const body = { error: { code, message, ...(hint !== undefined && { hint }) } };
  if (error instanceof ApiError && error.status < 500)
    return { status: error.status === 404 || error.status === 409 ? error.status : 400, body };
  return { status: exitCode === EXIT.usage ? 400 : 502, body };
}

export function readOnlyError(): CliError {
  return new CliError('this console is read-only', {
    code: 'READ_ONLY',
    exitCode: EXIT.usage,
    hint: 'Start it with --write to change things.',
  });
}

/** @throws CliError that names each field at fault */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body, { error: inputErrors });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw usageError(faults.join('; '));
}
