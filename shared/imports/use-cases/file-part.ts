import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Store } from '../../stores/model.ts';
import type { Clock } from '../../time/clock.ts';
import type { FileFault, FileRow } from '../file/row.ts';
import type { FilePosition, FullFile, ImportRecord, ImportTable } from '../model.ts';
import type { FileRowQueue } from '../ports.ts';
import { type CheckedRow, checkRow, namedTarget } from '../rules/check-row.ts';
import { FileMessages } from './file-messages.ts';
import { type FileFacts, FileRejections, type FileRejectionsPorts } from './file-rejections.ts';
import { FullRows, overtaken } from './full-file.ts';

export interface FilePartPorts extends FileRejectionsPorts {
  readonly queue: FileRowQueue;
  readonly imports: Pick<ImportTable, 'update'>;
  readonly clock: Pick<Clock, 'now'>;
}

const ROWS_PER_SECTION = 1_000;
/** Bytes of rows after which a section ends: about as much as fits into one call of SQS. */
const SECTION_BYTES = 1_000_000;

type Counts = Omit<NonNullable<ImportRecord['progress']>, 'position'>;

/** The sections of a file that one invocation reads. */
export class FilePart {
  readonly facts: FileFacts;
  /** Where the part begins. `undefined`: at the start of the file. */
  readonly from: FilePosition | undefined;
  readonly #ports: FilePartPorts;
  readonly #store: Store | undefined;
  readonly #rowsPerSection: number;
  readonly #before: Counts;
  readonly #messages: FileMessages;
  readonly #rejections: FileRejections;
  /** Only of a file under `full/`. */
  readonly #full: FullRows | undefined;
  #sectionRows = 0;
  #sectionBytes = 0;

  constructor(
    ports: FilePartPorts,
    facts: FileFacts,
    {
      store,
      record: { progress, full },
      rowsPerSection = ROWS_PER_SECTION,
    }: {
      readonly store: Store | undefined;
      /** As it was when the part began. */
      readonly record: ImportRecord;
      readonly rowsPerSection?: number | undefined;
    },
  ) {
    this.#ports = ports;
    this.facts = facts;
    this.#store = store;
    this.#rowsPerSection = rowsPerSection;
    this.from = progress?.position;
    this.#before = progress ?? { sent: 0, rejected: {}, commands: 0 };
    this.#messages = new FileMessages(ports.queue, facts, this.#before.commands);
    this.#rejections = new FileRejections(ports, facts, this.#before.reportSize ?? { parts: 0, bytes: 0 });
    this.#full = full && new FullRows(full);
  }

  get isSectionFull(): boolean {
    return this.#sectionRows >= this.#rowsPerSection || this.#sectionBytes >= SECTION_BYTES;
  }

  /** Rows of the file up to now, earlier parts included. */
  get rows(): number {
    const { sent, rejected } = this.#counts();
    return sent + Object.values(rejected).reduce((sum, count) => sum + count, 0);
  }

  get result() {
    const { sent, messages } = this.#messages;
    const commands = messages - this.#before.commands;
    return { importId: this.facts.importId, sent, messages: commands, rejected: this.#rejections.count };
  }

  add(row: FileRow): void {
    this.#sectionRows += 1;
    this.#sectionBytes += 'bytes' in row ? row.bytes : 0;
    const checked = this.#check(row);
    if (!('fault' in checked)) {
      this.#messages.add(checked, row.number, 'bytes' in row ? row.bytes : 0);
      return;
    }
    const value = 'value' in row ? row.value : row.given;
    this.#rejections.addRow(checked.fault, { number: row.number, value });
    this.#full?.spare(this.#store && namedTarget(value, this.#store.names));
  }

  #check(row: FileRow): CheckedRow | { fault: CommandFault } {
    if ('fault' in row) return row;
    const { kind, time } = this.facts;
    const names = this.#store?.names ?? { products: 'sku', orders: 'orderId' };
    const checked = checkRow(row.value, { kind, names, putAt: Date.parse(time) });
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
      if (current === undefined || current.reading !== undefined) return undefined;
      const isFurther = (current.progress?.position.offset ?? 0) >= position.offset;
      return isFurther
        ? undefined
        : { ...current, progress: { position, ...counts }, ...this.#fullOf(current, 'reading') };
    });
    if (record?.progress?.position.offset !== position.offset) throw overtaken(this.facts.importId);
  }

  /**
   * Queues or rejects the remaining rows, then records that the file was read to its end, or up to a fault.
   *
   * @returns the import's record
   */
  async endFile(fault: FileFault | undefined): Promise<ImportRecord | undefined> {
    if (fault) this.#rejections.add(fault, { number: fault.number });
    await this.#flush();
    const report = await this.#rejections.endReport();
    const { rows } = this;
    const counts = this.#counts();
    const why = fault && { fault: { code: fault.code, message: fault.message } };
    const endedAt = new Date(this.#ports.clock.now()).toISOString();
    return this.#ports.imports.update(this.facts.importId, (current) => {
      if (current === undefined || current.reading !== undefined) return undefined;
      const { progress: _, ...record } = current;
      const reading = { endedAt, rows, ...counts, ...why, ...(report !== undefined && { report }) };
      // What a file names is known at its end only.
      const isOver = fault !== undefined || this.facts.isDryRun;
      return { ...record, reading, ...this.#fullOf(current, isOver ? 'ended' : 'waiting') };
    });
  }

  #fullOf({ full }: ImportRecord, state: FullFile['state']): { full?: FullFile } {
    return full && this.#full ? { full: { ...full, ...this.#full.facts, state } } : {};
  }

  /** Of the file up to now, earlier parts included. */
  #counts(): Counts {
    const rejected = { ...this.#before.rejected };
    for (const [code, rows] of Object.entries(this.#rejections.rejectedRows)) {
      rejected[code] = (rejected[code] ?? 0) + rows;
    }
    const { report: reportSize } = this.#rejections;
    return {
      sent: this.#before.sent + this.#messages.sent,
      rejected,
      commands: this.#messages.messages,
      ...(reportSize.parts > 0 && { reportSize }),
    };
  }

  async #flush(): Promise<void> {
    const messages = this.#messages;
    await messages.flush();
    await this.#rejections.flush();
    this.#sectionRows = 0;
    this.#sectionBytes = 0;
  }
}
