import { Packer } from '../../collections/packer.ts';
import type { CatalogPosition, ImportRecord, ImportTable } from '../../imports/model.ts';
import { UNKNOWN_STORE } from '../../rejections/model.ts';
import type { ReportRejectionsPorts } from '../../rejections/use-cases/report-rejections.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import { importIdOf, readCatalogKey, storeOfKey } from '../catalog-file/announced-file.ts';
import { CatalogFileFault, type CatalogRow, type FileFaultCode } from '../catalog-file/model.ts';
import { firstByteOf, readCatalog } from '../catalog-file/read-catalog.ts';
import { MAX_PRODUCT_BYTES, type Product, type ProductShape, shapeOf } from '../model.ts';
import type { AnnouncedFile, CatalogFiles, CatalogSyncMessage, ProductCommandQueue } from '../ports.ts';
import { checkProduct } from '../rules/check-product.ts';
import { type FileFacts, FileRejections } from './file-rejections.ts';

export interface ImportCatalogFilePorts extends ReportRejectionsPorts {
  readonly files: CatalogFiles;
  readonly stores: Pick<StoreTable, 'get'>;
  readonly queue: ProductCommandQueue;
  readonly imports: Pick<ImportTable, 'update'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface ImportOptions {
  /** Epoch ms from which no further section of the file is begun. */
  readonly stopAt: number;
  /** Has the file announced again, for a later invocation to go on with it. Durable when it resolves. */
  readonly goOn: () => Promise<void>;
  /** Rows of one section at most; the same at each reading of a file. Default: 1,000. */
  readonly rowsPerSection?: number;
}

/** What one invocation read of a file. */
export interface ImportResult {
  readonly importId: string;
  /** Products handed on to the product commands queue. */
  readonly sent: number;
  /** Messages that they went in. */
  readonly messages: number;
  /** Rows rejected, the file itself included if it is at fault. */
  readonly rejected: number;
  /** Whether the file was read to its end; if not, a later invocation goes on with it. */
  readonly isRead: boolean;
  /** Why the file, or the rest of it, was not read. */
  readonly fault?: FileFaultCode;
}

/**
 * Streams a catalog file into `catalog.sync.requested` messages. A bad row is
 * rejected by itself, as is a fault of the file. The file is read in sections; behind each one the import's record keeps
 * how far it was read, and a later invocation goes on from there. A section that is read again, after a crash, makes the
 * same messages with the same command IDs.
 *
 * @returns `undefined` for a put that was read to its end before, or that another delivery is reading.
 * @throws what the ports throw.
 */
export async function importCatalogFile(
  ports: ImportCatalogFilePorts,
  file: AnnouncedFile,
  { stopAt, goOn, rowsPerSection = ROWS_PER_SECTION }: ImportOptions,
): Promise<ImportResult | undefined> {
  const facts = { ...file, importId: importIdOf(file), storeClientId: storeOfKey(file.key) ?? UNKNOWN_STORE };
  const begun = await begin(ports, facts);
  if (begun?.reading !== undefined) return undefined;
  const part = new FilePart(ports, facts, rowsPerSection, begun?.progress);
  const end = await readPart(ports, part, stopAt);
  if (end === 'overtaken') return undefined;
  if (end === 'out of time') {
    await goOn();
    return { ...part.result, isRead: false };
  }
  await part.endFile(end);
  return { ...part.result, isRead: true, ...(end && { fault: end.code }) };
}

/** The import's current record; the first delivery creates it. */
function begin(
  ports: ImportCatalogFilePorts,
  { importId, storeClientId, bucket, key, time }: FileFacts,
): Promise<ImportRecord | undefined> {
  const startedAt = nowOf(ports);
  return ports.imports.update(importId, (current) =>
    current === undefined ? { importId, storeClientId, bucket, key, putAt: time, startedAt } : undefined,
  );
}

function nowOf({ clock }: Pick<ImportCatalogFilePorts, 'clock'>): string {
  return new Date(clock.now()).toISOString();
}

/**
 * Reads section by section until `stopAt`, as far as the file can be read.
 *
 * @returns what ended the reading before the end of the file: `overtaken`: another delivery of the same put is further on.
 */
async function readPart(
  ports: ImportCatalogFilePorts,
  part: FilePart,
  stopAt: number,
): Promise<'out of time' | 'overtaken' | CatalogFileFault | undefined> {
  try {
    for await (const row of await openRows(ports, part)) {
      part.add(row);
      if (!part.isSectionFull) continue;
      if (!(await part.endSection(row.end))) return 'overtaken';
      if (ports.clock.now() >= stopAt) return 'out of time';
    }
    if (part.rows === 0) throw new CatalogFileFault('FILE_EMPTY', 'the file holds no product');
    return undefined;
  } catch (error) {
    if (error instanceof CatalogFileFault) return error;
    throw error;
  }
}

async function openRows({ stores, files }: ImportCatalogFilePorts, { facts: file, from }: FilePart) {
  const { storeClientId, ...encoding } = readCatalogKey(file.key);
  if ((await stores.get(storeClientId)) === undefined) {
    throw new CatalogFileFault('STORE_UNKNOWN', `no store ${storeClientId} is known`);
  }
  const source = await files.open(file, firstByteOf(encoding, from));
  if (source === undefined) {
    throw new CatalogFileFault('FILE_GONE', 'the file was deleted or replaced before it was read to its end');
  }
  return readCatalog(source, encoding, from);
}

const ROWS_PER_SECTION = 1_000;
/** Bytes of products after which a section ends: about what one call of the queue takes. */
const SECTION_BYTES = 1_000_000;

/** What one invocation reads of a file: sections that follow on what was read before. */
class FilePart {
  readonly facts: FileFacts;
  /** Where the part begins; `undefined` at the start of the file. */
  readonly from: CatalogPosition | undefined;
  readonly #ports: ImportCatalogFilePorts;
  readonly #rowsPerSection: number;
  readonly #before: Omit<NonNullable<ImportRecord['progress']>, 'position'>;
  readonly #chunks: CatalogChunks;
  readonly #rejections: FileRejections;
  #sectionRows = 0;
  #sectionBytes = 0;

  constructor(
    ports: ImportCatalogFilePorts,
    facts: FileFacts,
    rowsPerSection: number,
    before: ImportRecord['progress'],
  ) {
    this.#ports = ports;
    this.facts = facts;
    this.#rowsPerSection = rowsPerSection;
    this.from = before?.position;
    this.#before = before ?? { sent: 0, rejected: {}, commands: 0 };
    this.#chunks = new CatalogChunks(ports, facts, this.#before.commands);
    this.#rejections = new FileRejections(ports, facts);
  }

  get isSectionFull(): boolean {
    return this.#sectionRows >= this.#rowsPerSection || this.#sectionBytes >= SECTION_BYTES;
  }

  /** Rows that were read of the file up to now. */
  get rows(): number {
    const { sent, rejected } = this.#counts();
    return sent + Object.values(rejected).reduce((sum, count) => sum + count, 0);
  }

  get result(): Omit<ImportResult, 'isRead' | 'fault'> {
    const { sent, messages } = this.#chunks;
    const commands = messages - this.#before.commands;
    return { importId: this.facts.importId, sent, messages: commands, rejected: this.#rejections.count };
  }

  add(row: CatalogRow): void {
    this.#sectionRows += 1;
    const fault = 'fault' in row ? row.fault : checkProduct(row.product);
    if (fault) this.#rejections.addRow(fault, row);
    else if ('product' in row) {
      this.#sectionBytes += row.bytes;
      this.#chunks.add(row.product, row.bytes);
    }
  }

  /** Hands the section on, and keeps that the file was read up to `position`; `false` where more of it was read already. */
  async endSection(position: CatalogPosition): Promise<boolean> {
    await this.#flush();
    const counts = this.#counts();
    const record = await this.#ports.imports.update(this.facts.importId, (current) => {
      if (current === undefined || current.reading !== undefined) return undefined;
      const isFurther = (current.progress?.position.offset ?? 0) >= position.offset;
      return isFurther ? undefined : { ...current, progress: { position, ...counts } };
    });
    return record?.progress?.position.offset === position.offset;
  }

  /** Hands on what is left, and keeps that the file was read to its end, or up to a fault. */
  async endFile(fault: CatalogFileFault | undefined): Promise<void> {
    if (fault) this.#rejections.add(fault, { number: fault.number });
    await this.#flush();
    const { rows } = this;
    const counts = this.#counts();
    const why = fault && { fault: { code: fault.code, message: fault.message } };
    await this.#ports.imports.update(this.facts.importId, (current) => {
      if (current === undefined || current.reading !== undefined) return undefined;
      const { progress: _, ...record } = current;
      return { ...record, reading: { endedAt: nowOf(this.#ports), rows, ...counts, ...why } };
    });
  }

  /** Of the file up to now. */
  #counts(): Omit<NonNullable<ImportRecord['progress']>, 'position'> {
    const rejected = { ...this.#before.rejected };
    for (const [code, rows] of Object.entries(this.#rejections.rejectedRows)) {
      rejected[code] = (rejected[code] ?? 0) + rows;
    }
    return { sent: this.#before.sent + this.#chunks.sent, rejected, commands: this.#chunks.messages };
  }

  async #flush(): Promise<void> {
    const chunks = this.#chunks;
    await chunks.flush();
    await this.#rejections.flush();
    this.#sectionRows = 0;
    this.#sectionBytes = 0;
  }
}

/** The most products in one message. Not a setting, so that `{importId}/{n}` always means the same rows. */
const PRODUCTS_PER_MESSAGE = 100;

/**
 * Hands the products of one file on to the product commands queue; simple products and those with variants in messages
 * of their own. Which products a message has follows from the file alone.
 */
class CatalogChunks {
  /** Products that this invocation added. */
  sent = 0;
  /** Messages of the file up to now. */
  messages: number;

  readonly #queue: ProductCommandQueue;
  readonly #facts: FileFacts;
  readonly #packers: Readonly<Record<ProductShape, Packer<Product>>>;
  #made: CatalogSyncMessage[] = [];

  /** @param messages of the file that were sent before. */
  constructor(ports: { queue: ProductCommandQueue }, facts: FileFacts, messages: number) {
    this.#queue = ports.queue;
    this.#facts = facts;
    this.messages = messages;
    const limits = { maxItems: PRODUCTS_PER_MESSAGE, maxBytes: MAX_PRODUCT_BYTES };
    this.#packers = { simple: new Packer(limits), variants: new Packer(limits) };
  }

  add(product: Product, bytes: number): void {
    this.sent += 1;
    this.#make(this.#packers[shapeOf(product)].add(product, bytes));
  }

  /** Hands on what was added. */
  async flush(): Promise<void> {
    this.#make(this.#packers.simple.flush());
    this.#make(this.#packers.variants.flush());
    await this.#queue.sendSyncs(this.#made);
    this.#made = [];
  }

  #make(products: readonly Product[] | undefined): void {
    if (products === undefined) return;
    const { importId, storeClientId, time } = this.#facts;
    const commandId = `${importId}/${this.messages}`;
    this.#made.push({ storeClientId, commandId, time, products });
    this.messages += 1;
  }
}
