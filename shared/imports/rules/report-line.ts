import { REJECTION_FIELD } from '../../batches/model.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { boundedText } from '../../rejections/rules/bounded.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import { type ReadRow, type RowValue, utf8Of } from '../file/row.ts';

/**
 * A rejected row in a report: the row with the reason of its rejection. An import of the report ignores the reason. If the row is not a
 * JSON object, the reason also has the row's text.
 */
export function reportLine(
  row: Pick<ReadRow, 'number' | 'raw'> & { readonly value?: RowValue; readonly given?: RowValue },
  isCsv: boolean,
  { code, message, field }: Pick<CommandFault, 'code' | 'message' | 'field'>,
): string {
  const { number, raw, value } = row;
  const text = isCsv || value === undefined ? utf8Of(raw).trimEnd() : undefined;
  const reason = { code, message: boundedText(message), ...definedOf({ field, number, text }) };
  return `${JSON.stringify({ ...(value ?? row.given), [REJECTION_FIELD]: reason })}\n`;
}
