import type { RejectedRow } from '../../batches/model.ts';
import type { RowError } from '../../marketplace/batch.ts';
import type { CommandRow } from '../model.ts';
import { identifiersOf } from './identifiers.ts';

/** The rows that an answer rejects, each with its identifiers even where the answer names only its index. */
export function rejectedRowsOf(errors: readonly RowError[], sent: readonly CommandRow[]): RejectedRow[] {
  return errors.map(({ rowIndex, code, message, id, sku, externalId, details }) => ({
    code,
    message: message ?? code,
    ...(rowIndex === undefined ? {} : { rowIndex, ...identifiersOf(sent[rowIndex]?.product) }),
    ...(id !== undefined && { id }),
    ...(sku !== undefined && { sku }),
    ...(externalId !== undefined && { externalId }),
    ...(details !== undefined && { details }),
  }));
}
