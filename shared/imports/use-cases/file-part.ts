import { sumOf } from '../../collections/counts.ts';
import { definedOf } from '../../collections/defined-of.ts';
import { jsonBytes } from '../../collections/packer.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Store } from '../../stores/model.ts';
import type { Clock } from '../../time/clock.ts';
import type { RowLayout } from '../file/read-rows.ts';
import { FileFault, type FileRow, type ReadRow } from '../file/row.ts';
import {
  type FilePosition,
  type FullFile,
  type ImportRecord,
  notFollowed,
  type ReadingCounts,
} from '../model.ts';
import type { FileRowQueue, ImportTable } from '../ports.ts';
import { type CheckedRow, checkRow, namedTarget } from '../rules/check-row.ts';
import type { FileHints } from '../rules/file-hints.ts';
import { fileKinds } from '../rules/file-kinds.ts';
import { FileNotation } from '../rules/file-notation.ts';
import { FileWarnings } from '../rules/file-warnings.ts';
import { FullRows } from '../rules/full-rows.ts';
import { FileMessages } from './file-messages.ts';
import { type FileFacts, FileRejections, type FileRejectionsPorts } from './file-rejections.ts';
import { overtaken } from './full-file.ts';

export interface FilePartPorts extends FileRejectionsPorts {
  readonly queue: FileRowQueue;
  readonly imports: Pick<ImportTable, 'get' | 'update'>;
  readonly clock: Pick<Clock, 'now'>;
}

const ROWS_PER_SECTION = 1_000;
/** A section ends after this many bytes of rows: about what fits into one call of SQS. */
const SECTION_BYTES = 1_000_000;
/** A section ends after this many bytes of the file, blank lines included. */
const SECTION_SPAN = 16_000_000;

/** Codes of text that could not be read as a row. */
const UNREADABLE = ['ROW_NOT_JSON', 'ROW_NOT_OBJECT', 'ROW_NOT_CSV', 'ROW_CELLS', 'ROW_TOO_LARGE'];
/** A file is given up once its first sections, this many, have only unreadable rows: a few kilobytes of gzip may have millions. */
const UNREADABLE_SECTIONS = 100;

/** The sections of a file that one invocation reads. */
export class FilePart {
  readonly facts: FileFacts;
  /** Where the part begins. `undefined`: the start of the file. */
  readonly from: FilePosition | undefined;
  readonly #ports: FilePartPorts;
  readonly #rowsPerSection: number;
  /** Counts of the earlier parts. */
  readonly #before: ReadingCounts;
  readonly #messages: FileMessages;
  readonly #rejections: FileRejections;
  /** Present only for a file under `full/`. */
  readonly #full: FullRows | undefined;
  readonly #warnings: FileWarnings;
  readonly #notation: FileNotation;
  #sectionRows = 0;
  #sectionBytes = 0;
  /** Where the section begins. */
  #sectionStart: number;

  /** @param record as it was when the part began. */
  constructor(
    ports: FilePartPorts,
    facts: FileFacts,
    record: ImportRecord,
    rowsPerSection = ROWS_PER_SECTION,
  ) {
    const { progress, full, numbers } = record;
    this.#ports = ports;
    this.facts = facts;
    this.#rowsPerSection = rowsPerSection;
    this.from = progress?.position;
    this.#sectionStart = progress?.position.offset ?? 0;
    this.#before = progress ?? { sent: 0, commands: 0, ...numbers?.sentBefore, rejected: {} };
    this.#notation = new FileNotation(record, facts.isDryRun);
    this.#warnings = new FileWarnings(this.#before.warnings);
    this.#messages = new FileMessages(ports.queue, facts, this.#before);
    this.#rejections = new FileRejections(ports, facts, this.#before);
    this.#full = full && new FullRows(full);
  }

  /** Whether a section has ended. */
  get hasProgressed(): boolean {
    return this.#sectionStart > (this.from?.offset ?? 0);
  }

  /** Whether the section ends with a row that ends at this byte. */
  isSectionFull(offset: number): boolean {
    return (
      this.#sectionRows >= this.#rowsPerSection ||
      this.#sectionBytes >= SECTION_BYTES ||
      offset - this.#sectionStart >= SECTION_SPAN
    );
  }

  /** Rows of the file up to now, earlier parts included. */
  get rows(): number {
    return this.#messages.sent + sumOf(this.#rejections.rejected);
  }

  get result() {
    return {
      importId: this.facts.importId,
      sent: this.#messages.sent - this.#before.sent,
      messages: this.#messages.messages - this.#before.commands,
      rejected: this.#rejections.count,
    };
  }

  /** @throws {FileFault} FILE_ROWS_UNREADABLE if the file begins with very many rows, and none of them can be read. */
  checkRows({ number }: FilePosition): void {
    const { rejected } = this.#rejections;
    const unreadable = UNREADABLE.reduce((sum, code) => sum + (rejected[code] ?? 0), 0);
    if (unreadable < UNREADABLE_SECTIONS * this.#rowsPerSection || unreadable < this.rows) return;
    const message = `none of the first ${unreadable} rows can be read: it is a file of another kind`;
    throw new FileFault('FILE_ROWS_UNREADABLE', message, number);
  }

  /** How the rows of the file are written. */
  layoutOf(hints: FileHints, store: Pick<Store, 'numbers'>): RowLayout {
    return { ...fileKinds[this.facts.kind], ...this.#notation.decide(hints, store) };
  }

  add(row: ReadRow, store: Pick<Store, 'names' | 'negativeStock'>): void {
    const bytes = 'bytes' in row ? row.bytes : jsonBytes(row.given) + row.raw.length;
    this.#sectionRows += 1;
    this.#sectionBytes += bytes;
    const checked = this.#check(row, store);
    this.#rejections.withdraw(row, 'fault' in checked ? checked.fault : undefined);
    if (!('fault' in checked)) {
      if ('wasTaken' in row && row.wasTaken) return;
      this.#messages.add(checked, row.number, bytes);
      this.#warnings.add(checked, row.number);
      return;
    }
    const value = 'value' in row ? row.value : row.given;
    this.#notation.noteSign(row, checked.fault);
    this.#rejections.addRow(checked.fault, row);
    this.#full?.spare(namedTarget(value, store.names));
  }

  #check(
    row: FileRow,
    { names, negativeStock }: Pick<Store, 'names' | 'negativeStock'>,
  ): CheckedRow | { fault: CommandFault } {
    if ('fault' in row) return row;
    const { kind, time } = this.facts;
    const checked = checkRow(row.value, { kind, names, negativeStock, time: Date.parse(time) });
    if ('fault' in checked) return checked;
    const fault = this.#full?.faultOf(checked.version);
    return fault ? { fault } : checked;
  }

  /**
   * Queues or rejects the rows of the section, then records its end.
   *
   * @throws ConnectorError `IMPORT_OVERTAKEN` if another invocation has read further.
   */
  async endSection(position: FilePosition): Promise<void> {
    await this.#flush();
    const counts = this.#counts();
    const record = await this.#ports.imports.update(this.facts.importId, (current) => {
      const readTo = current?.progress?.position.offset ?? 0;
      if (current === undefined || current.reading !== undefined || readTo >= position.offset)
        return undefined;
      const { spentTries: _, ...before } = current;
      return { ...before, progress: { position, ...counts }, ...this.#fullOf(current, 'reading') };
    });
    if (record?.progress?.position.offset !== position.offset) throw overtaken(this.facts.importId);
    this.#sectionStart = position.offset;
  }

  /**
   * Queues or rejects the remaining rows, then records that the file was read to its end, or up to a fault.
   *
   * @returns the import's record
   */
  async endFile(fault: FileFault | undefined): Promise<ImportRecord | undefined> {
    await this.#flush();
    const report = await this.#rejections.endReport();
    const { rows } = this;
    const counts = this.#counts();
    const why = fault && {
      fault: definedOf({
        code: fault.code,
        message: fault.message,
        number: fault.number,
        details: fault.details,
      }),
    };
    const endedAt = new Date(this.#ports.clock.now()).toISOString();
    const { kind, isDryRun } = this.facts;
    // Rows of catalogs are followed through their requests.
    const isFollowed = kind !== 'catalog' && !isDryRun && counts.sent > 0;
    return this.#ports.imports.update(this.facts.importId, (current) => {
      if (current === undefined || current.reading !== undefined) return undefined;
      const { progress: _, spentTries: __, ...record } = current;
      const reading = { endedAt, rows, ...counts, ...why, ...(report !== undefined && { report }) };
      // Which listings a file does not name is known only at its end.
      const isOver = fault !== undefined || isDryRun;
      const full = this.#fullOf(current, isOver ? 'ended' : 'waiting');
      const hold = this.#notation.holdOf(current, endedAt);
      return { ...record, reading, ...full, ...hold, ...(isFollowed && { followed: notFollowed }) };
    });
  }

  #fullOf({ full }: ImportRecord, state: FullFile['state']): { full?: FullFile } {
    return full && this.#full ? { full: { ...full, ...this.#full.facts, state } } : {};
  }

  /** Counts of the file up to now, earlier parts included. */
  #counts(): ReadingCounts {
    const { sent, messages: commands } = this.#messages;
    const { reportSize, rejected } = this.#rejections;
    const warnings = this.#warnings.all;
    return {
      sent,
      rejected: { ...rejected },
      commands,
      ...(warnings.length > 0 && { warnings }),
      ...this.#notation.facts,
      ...(reportSize.parts > 0 && { reportSize }),
    };
  }

  async #flush(): Promise<void> {
    await this.#messages.flush();
    await this.#rejections.flush();
    this.#sectionRows = 0;
    this.#sectionBytes = 0;
  }
}
