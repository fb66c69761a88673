import type { RejectedRow } from '../../batches/model.ts';
import type { RowError } from '../../marketplace/batch.ts';
import type { CommandRow } from '../model.ts';
import { identifiersOf } from './identifiers.ts';

/** A product with this externalId exists already (§4.5). */
const ALREADY_EXISTS = 'PRD_002';

/**
 * The rows that an answer rejects, each with its identifiers even where the answer names only its index.
 *
 * @param uncertain whether an earlier try of the same rows may have had its effect: "exists already" then means that
 * it had (design §5.1).
 */
export function rejectedRowsOf(
  errors: readonly RowError[],
  sent: readonly CommandRow[],
  uncertain: boolean,
): RejectedRow[] {
  return errors
    .filter(({ code }) => !(uncertain && code === ALREADY_EXISTS))
    .map(({ rowIndex, code, message, id, sku, externalId, details }) => ({
      code,
      message: message ?? code,
      ...(rowIndex === undefined ? {} : { rowIndex, ...identifiersOf(sent[rowIndex]?.product) }),
      ...(id !== undefined && { id }),
      ...(sku !== undefined && { sku }),
      ...(externalId !== undefined && { externalId }),
      ...(details !== undefined && { details }),
    }));
}
