import type { RowError } from '../../marketplace/batch.ts';
import { type RejectedRow, rejectedRowSchema } from '../model.ts';

/** A row error of the marketplace's (§2) as a batch keeps it. */
export function rejectedRowOf(error: RowError): RejectedRow {
  return rejectedRowSchema.parse({ ...error, message: error.message ?? error.code });
}
