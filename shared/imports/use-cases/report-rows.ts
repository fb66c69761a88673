import type { RejectedLine } from '../../changes/file-receipts.ts';
import { fieldsOfTarget } from '../../listings/rules/target.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import { placeOfKey, readImportKey } from '../file/announced-file.ts';
import { isRow } from '../file/cut-rows.ts';
import { readRows } from '../file/read-rows.ts';
import { FileFault, type ReadRow } from '../file/row.ts';
import type { ImportRecord } from '../model.ts';
import type { ImportFiles, ImportReports } from '../ports.ts';
import { readHints } from '../rules/file-hints.ts';
import { fileKinds } from '../rules/file-kinds.ts';
import { reportLine } from '../rules/report-line.ts';
import { FULL_REPORT_BYTES } from './file-rejections.ts';

export interface ReportRowsPorts {
  readonly files: ImportFiles;
  readonly reports: ImportReports;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Adds to a file's report the rows that were rejected after it was read. They are added as they are in the file, which is read again to
 * find them. If a row is not found by `stopAt` (epoch ms), or the file is gone, the report has only the product's name.
 *
 * @returns the key of the report
 */
export async function reportRows(
  ports: ReportRowsPorts,
  record: ImportRecord,
  rejected: readonly RejectedLine[],
  stopAt: EpochMs,
): Promise<string> {
  const { parts = 0, bytes = 0 } = record.reading?.reportSize ?? {};
  const left = new Map(rejected.map((one) => [one.line, one]));
  const isCsv = readImportKey(record.key).format === 'csv';
  const lines: string[] = [];
  for await (const row of rowsOf(ports, record)) {
    const reason = left.get(row.number);
    if (reason !== undefined) lines.push(reportLine(row, isCsv, reason));
    left.delete(row.number);
    if (left.size === 0 || ports.clock.now() >= stopAt) break;
  }
  for (const { line: number, target, ...reason } of left.values()) {
    const value = target === undefined ? {} : fieldsOfTarget(target);
    lines.push(reportLine({ number, raw: '', value }, false, reason));
  }
  await ports.reports.putPart(record, parts, upTo(FULL_REPORT_BYTES - bytes, lines).join(''));
  return ports.reports.join(record, parts + 1);
}

async function* rowsOf({ files }: ReportRowsPorts, record: ImportRecord): AsyncGenerator<ReadRow> {
  const { key, announced, reading } = record;
  if (announced === undefined) return;
  const file = { ...record, etag: announced.etag };
  try {
    const metadata = await files.metadata(file);
    const source = await files.open(file, 0);
    if (metadata === undefined || source === undefined) return;
    const { encoding } = readHints(metadata);
    const layout = { ...fileKinds[placeOfKey(key).kind], notation: reading?.notation };
    for await (const group of readRows(source, layout, { ...readImportKey(key), encoding })) {
      for (const row of group) if (isRow(row)) yield row;
    }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
  }
}

/** The first lines that fit into this many bytes. */
function upTo(bytes: number, lines: readonly string[]): string[] {
  let room = bytes;
  return lines.filter((line) => {
    room -= Buffer.byteLength(line);
    return room >= 0;
  });
}
