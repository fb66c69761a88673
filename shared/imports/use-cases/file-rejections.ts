import { REJECTION_FIELD } from '../../batches/model.ts';
import { definedOf } from '../../collections/defined-of.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection, boundedText } from '../../rejections/rules/bounded.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import { type CommandFault, identifiersIn } from '../../requests/rules/rejection.ts';
import type { FilePlace } from '../file/announced-file.ts';
import type { RowValue } from '../file/row.ts';
import type { AnnouncedFile, ImportReports } from '../ports.ts';
import { fileKinds } from '../rules/file-kinds.ts';

/** One put of a file, and what its key says. */
export interface FileFacts extends AnnouncedFile, FilePlace {
  readonly importId: string;
  readonly storeClientId: string;
}

/** Place of a fault in the file. */
interface Place {
  /** Line or position, from 1. Absent for a fault of the whole file. */
  readonly number?: number | undefined;
  readonly value?: RowValue | undefined;
}

export interface FileRejectionsPorts extends ReportRejectionsPorts {
  readonly reports: ImportReports;
}

/** Bytes of a report after which no part is added: its parts are joined in memory. */
const FULL_REPORT_BYTES = 10_000_000;

/** The parts of a report that were written. */
export interface ReportSize {
  readonly parts: number;
  readonly bytes: number;
}

/**
 * Collects and reports the rejections of a file. Every reading of the file gives the same IDs. The rejected rows also become
 * a report: a file of the format of imports, to correct and to import again. A dry run has the report alone.
 */
export class FileRejections {
  count = 0;
  /** Number of rejected rows, by code. */
  readonly rejectedRows: Record<string, number> = {};

  /** Of the report up to now, what earlier invocations wrote included. */
  report: ReportSize;

  readonly #ports: FileRejectionsPorts;
  readonly #facts: FileFacts;
  #gathered: Rejection[] = [];
  #lines: string[] = [];

  /** @param report what earlier invocations wrote. */
  constructor(ports: FileRejectionsPorts, facts: FileFacts, report: ReportSize) {
    this.#ports = ports;
    this.#facts = facts;
    this.report = report;
  }

  addRow(fault: CommandFault, row: Place): void {
    this.rejectedRows[fault.code] = (this.rejectedRows[fault.code] ?? 0) + 1;
    const { code, message, field } = fault;
    const reason = { code, message: boundedText(message), ...definedOf({ field }), number: row.number };
    this.#lines.push(`${JSON.stringify({ ...row.value, [REJECTION_FIELD]: reason })}\n`);
    this.add(fault, row);
  }

  add(fault: CommandFault, place: Place): void {
    this.count += 1;
    this.#gathered.push(this.#rejectionOf(fault, place));
  }

  /** Makes what was added durable. */
  async flush(): Promise<void> {
    if (!this.#facts.isDryRun) await reportRejections(this.#ports, this.#gathered);
    const { parts, bytes } = this.report;
    if (this.#lines.length > 0 && bytes < FULL_REPORT_BYTES) {
      const text = this.#lines.join('');
      await this.#ports.reports.putPart(this.#facts, parts, text);
      this.report = { parts: parts + 1, bytes: bytes + Buffer.byteLength(text) };
    }
    this.#gathered = [];
    this.#lines = [];
  }

  /**
   * Joins the parts of the report.
   *
   * @returns its key; `undefined` if no row was rejected, but for a dry run.
   */
  async endReport(): Promise<string | undefined> {
    const { parts } = this.report;
    return parts > 0 || this.#facts.isDryRun ? this.#ports.reports.join(this.#facts, parts) : undefined;
  }

  #rejectionOf({ code, message, field, details }: CommandFault, { number, value }: Place): Rejection {
    const { importId, storeClientId, bucket, key, time, eventId, kind } = this.#facts;
    const place = number === undefined ? '' : `#${number}`;
    return boundedRejection({
      storeClientId,
      // A row and the file may have faults at the same place: the code distinguishes them.
      rejectionId: `${time}#${importId}${place}#${code}`,
      rejectedAt: time,
      code,
      message,
      ...definedOf({ field, details: details && { ...details } }),
      ...identifiersIn(value, ['sku', 'externalId']),
      eventId,
      commandId: importId,
      detailType: fileKinds[kind].detailType,
      origin: `s3://${bucket}/${key}${place}`,
    });
  }
}
