import type { ImportView } from '../../shared/imports/model.ts';
import type { Terminal } from '../terminal.ts';
import { fields, table } from './table.ts';
import { time } from './words.ts';

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

/** An import with its rejected rows by code, and its batches. */
export function describeImport(view: ImportView): string {
  const { importId, key, rows, fault, full, report, batches } = view;
  return fields([
    ['import', importId],
    ['file', key],
    ['rows', progressText(view)],
    ...Object.entries(rows?.rejected ?? {}).map(([code, count]) => [code, String(count)] as const),
    ['fault', fault && `${fault.code}: ${fault.message}`],
    ['full', full && fullText(full)],
    ['held', full?.hold?.reason],
    ['report', report],
    ...batches.map(({ batchId, state }) => ['batch', `${batchId} ${state}`] as const),
  ]);
}

function rowsText({ read, sent, accepted, rejected, open }: NonNullable<ImportView['rows']>): string {
  const refused = Object.values(rejected).reduce((sum, count) => sum + count, 0);
  return `read ${read}, sent ${sent}, accepted ${accepted}, rejected ${refused}, open ${open}`;
}

function fullText({ state, known, missing, zeroed }: NonNullable<ImportView['full']>): string {
  return `${state}: ${missing} of ${known} listings are not named, ${zeroed} set to 0`;
}
