import type * as z from 'zod';
import type { PendingRow, RowError } from '../batches/batch.ts';
import { type ErrorCode, messageOf } from '../errors.ts';
import { validationErrorsOf } from '../schemas/common.ts';
import type { Violation } from './violation.ts';

/** The names that a row has. */
export interface RowIdentity {
  id?: string | undefined;
  sku?: string | undefined;
  externalId?: string | undefined;
}

/** A row error in the shape of §2. */
export function rowError(
  code: ErrorCode,
  rowIndex: number,
  { id, sku, externalId }: RowIdentity,
  context: { reason: string; validationErrors?: Record<string, string> },
): RowError {
  return {
    code,
    message: messageOf(code),
    rowIndex,
    ...(id === undefined ? {} : { id }),
    ...(sku === undefined ? {} : { sku }),
    ...(externalId === undefined ? {} : { externalId }),
    details: { retryable: false, context },
  };
}

export function violationError(rowIndex: number, row: RowIdentity, violation: Violation): RowError {
  return rowError('VAL_001', rowIndex, row, { ...violation });
}

/** Parses and plans each row. A row that does not parse is a row error VAL_001. */
export function planRows<Row extends z.ZodType>(
  schema: Row,
  rows: readonly unknown[],
  plan: (row: z.output<Row>, rowIndex: number) => PendingRow | RowError,
): { pending: PendingRow[]; errors: RowError[] } {
  const pending: PendingRow[] = [];
  const errors: RowError[] = [];
  for (const [rowIndex, row] of rows.entries()) {
    const parsed = schema.safeParse(row);
    if (!parsed.success) {
      const validationErrors = validationErrorsOf(parsed.error);
      errors.push(violationError(rowIndex, identityOf(row), { reason: 'INVALID_ROW', validationErrors }));
      continue;
    }
    const planned = plan(parsed.data, rowIndex);
    if ('apply' in planned) pending.push(planned as PendingRow);
    else errors.push(planned);
  }
  return { pending, errors };
}

function identityOf(row: unknown): RowIdentity {
  if (typeof row !== 'object' || row === null) return {};
  const text = (name: string) => {
    const value: unknown = Reflect.get(row, name);
    return typeof value === 'string' ? value : undefined;
  };
  return { id: text('id'), sku: text('sku'), externalId: text('externalId') };
}
