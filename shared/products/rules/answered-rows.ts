import type { RejectedRow } from '../../batches/model.ts';
import type { RowError } from '../../marketplace/batch.ts';
import type { CommandRow } from '../model.ts';
import { identifiersOf } from './identifiers.ts';

/**
 * The rows that an answer rejects, each with its index and its identifiers even where the answer names only one of
 * them.
 */
export function rejectedRowsOf(errors: readonly RowError[], sent: readonly CommandRow[]): RejectedRow[] {
  return errors.map((error) => {
    const { code, message, id, sku, externalId, details } = error;
    const rowIndex = error.rowIndex ?? indexOf(error, sent);
    return {
      code,
      message: message ?? code,
      ...(rowIndex === undefined ? {} : { rowIndex, ...identifiersOf(sent[rowIndex]?.product) }),
      ...(id !== undefined && { id }),
      ...(sku !== undefined && { sku }),
      ...(externalId !== undefined && { externalId }),
      ...(details !== undefined && { details }),
    };
  });
}

function indexOf({ sku, externalId }: RowError, sent: readonly CommandRow[]): number | undefined {
  const index = sent.findIndex(({ product }) => {
    const own = identifiersOf(product);
    return externalId === undefined ? sku !== undefined && own.sku === sku : own.externalId === externalId;
  });
  return index < 0 ? undefined : index;
}
