import * as z from 'zod';
import { REJECTION_FIELD } from '../../shared/batches/model.ts';
import { sumOf } from '../../shared/collections/counts.ts';
import { cutOff } from '../../shared/collections/cut-off.ts';
import { isObject } from '../../shared/collections/parse-json.ts';
import type { ImportView } from '../../shared/imports/view.ts';
import type { Warning } from '../../shared/warnings/model.ts';
import type { Terminal } from '../terminal.ts';
import { fields, table } from './table.ts';
import { counted, tally, time } from './words.ts';

/** Imports as a table, one per line. */
export function importTable(imports: readonly ImportView[], terminal: Pick<Terminal, 'width' | 'style'>) {
  const rows = imports.map(({ importId, key, since, rows, state, ...view }) => [
    importId,
    time(since),
    state,
    rows === undefined ? '' : rowsText(rows),
    view.fault === undefined ? key : `${key}: ${view.fault.code}`,
  ]);
  return table(terminal, ['IMPORT', 'SINCE', 'STATE', 'ROWS', 'FILE'], rows);
}

/** One line about an import: its state, and how many rows were read, sent, accepted and rejected. */
export function progressText({ rows, state }: ImportView): string {
  return rows === undefined ? 'reading the file' : `${state}: ${rowsText(rows)}`;
}

/**
 * An import with its rejected rows by code, and its batches by state.
 *
 * @param rejected the first of its rejected rows, as lines of a file to import again
 */
export function describeImport(
  view: ImportView,
  rejected: readonly string[],
  terminal: Pick<Terminal, 'width' | 'style'>,
): string {
  const { importId, key, rows, fault, full, hold, report, warnings = [], batches } = view;
  const states = [...tally(batches.map(({ state }) => state))].map(([state, count]) => `${count} ${state}`);
  const facts = fields([
    ['import', importId],
    ['file', key],
    ['rows', progressText(view)],
    ...Object.entries(rows?.rejected ?? {}).map(([code, count]) => [code, String(count)] as const),
    ['fault', fault && `${fault.code}: ${fault.message}`],
    ['columns', Array.isArray(fault?.details?.columns) ? fault.details.columns.join(', ') : undefined],
    ...warnings.map((warning) => ['warning', warningText(warning)] as const),
    ['full', full && fullText(full)],
    ['held', hold?.reason],
    ['report', report],
    ['batches', states.join(', ')],
  ]);
  return rejected.length === 0 ? facts : `${facts}\n\n${rejectionTable(rejected, terminal)}`;
}

const rejectedRowSchema = z.looseObject({
  [REJECTION_FIELD]: z.object({
    code: z.string(),
    message: z.string().default(''),
    field: z.string().optional(),
    number: z.number().optional(),
    text: z.string().optional(),
  }),
});

/** Why rows were rejected: where each is in the file, and what it has there. */
function rejectionTable(lines: readonly string[], terminal: Pick<Terminal, 'width' | 'style'>): string {
  const rows = lines.map((line) => {
    const { [REJECTION_FIELD]: reason, ...row } = rejectedRowSchema.parse(JSON.parse(line));
    const { code, message, field = '', number, text = '' } = reason;
    const value = valueAt(row, field) ?? row.sku ?? row.externalId ?? row.id ?? text;
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    return [String(number ?? ''), field, cutOff(shown, MOST_OF_VALUE), `${code}: ${message}`];
  });
  return table(terminal, ['LINE', 'COLUMN', 'VALUE', 'REASON'], rows);
}

/** Most characters of a value. */
const MOST_OF_VALUE = 40;

function valueAt(row: unknown, path: string): unknown {
  if (path === '') return undefined;
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isObject(value) || Array.isArray(value) ? (value as never)[name] : undefined),
      row,
    );
}

function rowsText({
  read,
  sent,
  accepted,
  superseded,
  rejected,
  open,
}: NonNullable<ImportView['rows']>): string {
  const replaced = superseded === undefined ? '' : `superseded ${superseded}, `;
  return `read ${read}, sent ${sent}, accepted ${accepted}, ${replaced}rejected ${sumOf(rejected)}, open ${open}`;
}

function warningText({ code, message, rows, numbers }: Warning): string {
  const more = rows > numbers.length ? ', …' : '';
  return `${code}: ${message} · ${counted(rows, 'row')}: ${numbers.join(', ')}${more}`;
}

function fullText({ state, known, missing, zeroed }: NonNullable<ImportView['full']>): string {
  return `${state}: ${missing} of ${known} listings are not named, ${zeroed} set to 0`;
}
