import { addCounts } from '../../collections/counts.ts';
import { definedOf } from '../../collections/defined-of.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import { type CommandFault, identifiersIn } from '../../requests/rules/rejection.ts';
import { type FilePlace, typeOfFile } from '../file/announced-file.ts';
import type { ReadRow, RowValue } from '../file/row.ts';
import type { ImportRecord, ReadingCounts } from '../model.ts';
import type { AnnouncedFile, ImportReports } from '../ports.ts';
import { fileKinds } from '../rules/file-kinds.ts';
import { reportLine } from '../rules/report-line.ts';

/** One put of a file, with the facts in its key. */
export interface FileFacts extends AnnouncedFile, FilePlace {
  readonly importId: string;
  readonly storeClientId: string;
}

/** Place of a fault in the file. */
interface PlaceInFile {
  /** Line or position, from 1. Absent for a fault of the whole file. */
  readonly number?: number | undefined;
  readonly value?: RowValue | undefined;
}

export interface FileRejectionsPorts extends ReportRejectionsPorts {
  readonly reports: ImportReports;
}

/** After this many bytes no part is added to a report: the parts are joined in memory. */
export const FULL_REPORT_BYTES = 10_000_000;

/**
 * Collects and reports the rejections of a file. Every reading of the file gives the same IDs. The rejected rows also become a report: a
 * file that can be corrected and imported again. A dry run has only the report.
 */
export class FileRejections {
  /** Rejections of this invocation. */
  count = 0;
  /** Rejected rows of the file up to now by code, earlier parts included. */
  readonly rejected: Record<string, number>;
  /** Size of the report up to now, earlier parts included. */
  reportSize: NonNullable<ReadingCounts['reportSize']>;

  readonly #ports: FileRejectionsPorts;
  readonly #facts: FileFacts;
  readonly #isCsv: boolean;
  #gathered: Rejection[] = [];
  #withdrawn: Rejection[] = [];
  #lines: string[] = [];

  /** @param before counts of the earlier parts. */
  constructor(ports: FileRejectionsPorts, facts: FileFacts, before: ReadingCounts) {
    this.#ports = ports;
    this.#facts = facts;
    this.#isCsv = typeOfFile(facts.key)?.format === 'csv';
    this.rejected = { ...before.rejected };
    this.reportSize = before.reportSize ?? { parts: 0, bytes: 0 };
  }

  addRow(fault: CommandFault, row: ReadRow): void {
    addCounts(this.rejected, { [fault.code]: 1 });
    this.#lines.push(reportLine(row, this.#isCsv, fault));
    this.count += 1;
    this.#gathered.push(rejectionOf(this.#facts, fault, placeOf(row)));
  }

  /** Removes the rejection that the first reading gave a row, unless the second reading gives the same. */
  withdraw(row: ReadRow, fault: CommandFault | undefined): void {
    const { formerFault } = row;
    if (formerFault === undefined || formerFault.code === fault?.code) return;
    this.#withdrawn.push(rejectionOf(this.#facts, formerFault, placeOf(row)));
  }

  /** Stores and publishes the rejections that were added. */
  async flush(): Promise<void> {
    if (!this.#facts.isDryRun) await reportRejections(this.#ports, this.#gathered, this.#withdrawn);
    const { parts, bytes } = this.reportSize;
    if (this.#lines.length > 0 && bytes < FULL_REPORT_BYTES) {
      const text = this.#lines.join('');
      await this.#ports.reports.putPart(this.#facts, parts, text);
      this.reportSize = { parts: parts + 1, bytes: bytes + Buffer.byteLength(text) };
    }
    this.#gathered = [];
    this.#withdrawn = [];
    this.#lines = [];
  }

  /**
   * Joins the parts of the report.
   *
   * @returns the report's key; `undefined` if no row was rejected. A dry run has a report in any case.
   */
  async endReport(): Promise<string | undefined> {
    const { parts } = this.reportSize;
    return parts > 0 || this.#facts.isDryRun ? this.#ports.reports.join(this.#facts, parts) : undefined;
  }
}

/**
 * Reports why a file was not read, or not to its end. The fault is read from the import's record: two deliveries of the file may see
 * different faults, or only one of them a fault.
 */
export async function reportFileFault(
  ports: ReportRejectionsPorts,
  facts: FileFacts,
  { reading }: ImportRecord,
): Promise<void> {
  if (reading?.fault === undefined || facts.isDryRun) return;
  const { number, ...fault } = reading.fault;
  await reportRejections(ports, [rejectionOf(facts, fault, { number })]);
}

function placeOf(row: ReadRow): PlaceInFile {
  return { number: row.number, value: 'value' in row ? row.value : row.given };
}

function rejectionOf(
  { importId, storeClientId, bucket, key, time, eventId, kind }: FileFacts,
  { code, message, field, details }: CommandFault,
  { number, value }: PlaceInFile,
): Rejection {
  const place = number === undefined ? '' : `#${number}`;
  return boundedRejection({
    storeClientId,
    // A row and the file may have faults at the same place: the code distinguishes them.
    rejectionId: `${time}#${importId}${place}#${code}`,
    rejectedAt: time,
    code,
    message,
    ...definedOf({ field, details }),
    ...identifiersIn(value, ['sku', 'id', 'externalId']),
    eventId,
    commandId: importId,
    detailType: fileKinds[kind].detailType,
    origin: `s3://${bucket}/${key}${place}`,
  });
}
