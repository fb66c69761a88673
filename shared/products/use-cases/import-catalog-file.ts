import { Packer } from '../../collections/packer.ts';
import type { CatalogPosition, ImportRecord, ImportTable } from '../../imports/model.ts';
import { UNKNOWN_STORE } from '../../rejections/model.ts';
import type { ReportRejectionsPorts } from '../../rejections/use-cases/report-rejections.ts';
import { unknownStore } from '../../stores/model.ts';
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
  /** Epoch ms: no further section is begun from then on. */
  readonly stopAt: number;
  /** Queues the file for a later invocation, which reads the rest. Durable when it resolves. */
  readonly goOn: () => Promise<void>;
  /** Most rows in one section. Must be the same at each reading of a file. Default: 1,000. */
  readonly rowsPerSection?: number;
}

/** The result of one invocation. */
export interface ImportResult {
  readonly importId: string;
  /** Products queued. */
  readonly sent: number;
  /** Messages with these products. */
  readonly messages: number;
  /** Rejected rows, plus one for a fault of the file. */
  readonly rejected: number;
  /** Whether the file was read to its end. Otherwise a later invocation reads the rest. */
  readonly isRead: boolean;
  /** Why the file was not read, or not to its end. */
  readonly fault?: FileFaultCode;
}

/**
 * Streams a catalog file into `catalog.sync.requested` messages. An invalid row is rejected alone; a fault of the file
 * is a rejection too. The file is read in sections. After each one the import's record keeps the position, from which a
 * later invocation continues. The same section always gives the same messages and command IDs: a crash repeats at most
 * one section.
 *
 * @returns `undefined` if an earlier delivery has read the file to its end, or another one is reading it.
 * @throws the errors of the ports.
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
 * Reads section by section until `stopAt`.
 *
 * @returns what ended it before the end of the file, if anything. `overtaken`: another delivery has read further.
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
    if (part.rows === 0) throw new CatalogFileFault('FILE_EMPTY', 'the file has no product');
    return undefined;
  } catch (error) {
    if (error instanceof CatalogFileFault) return error;
    throw error;
  }
}

async function openRows({ stores, files }: ImportCatalogFilePorts, { facts: file, from }: FilePart) {
  const { storeClientId, ...encoding } = readCatalogKey(file.key);
  if ((await stores.get(storeClientId)) === undefined) {
    throw new CatalogFileFault('STORE_UNKNOWN', unknownStore(storeClientId).message);
  }
  const source = await files.open(file, firstByteOf(encoding, from));
  if (source === undefined) {
    throw new CatalogFileFault('FILE_GONE', 'the file was deleted or replaced before it was read to its end');
  }
  return readCatalog(source, encoding, from);
}

const ROWS_PER_SECTION = 1_000;
/** Bytes of products after which a section ends: about as much as fits into one call of SQS. */
const SECTION_BYTES = 1_000_000;

/** The sections that one invocation reads. */
class FilePart {
  readonly facts: FileFacts;
  /** Where the part begins. `undefined`: at the start of the file. */
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

  /** Rows of the file up to now, earlier parts included. */
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

  /** Queues or rejects the rows of the section, then records its end; `false` if another delivery has read further. */
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

  /** Queues or rejects the remaining rows, then records that the file was read to its end, or up to a fault. */
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

  /** Of the file up to now, earlier parts included. */
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

/** Most products in one message. Not a setting: `{importId}/{n}` must always have the same rows. */
const PRODUCTS_PER_MESSAGE = 100;

/**
 * Queues the products of one file; simple products and products with variants in separate messages. The products of a
 * message depend only on the file.
 */
class CatalogChunks {
  /** Products added by this invocation. */
  sent = 0;
  /** Messages of the file up to now, earlier parts included. */
  messages: number;

  readonly #queue: ProductCommandQueue;
  readonly #facts: FileFacts;
  readonly #packers: Readonly<Record<ProductShape, Packer<Product>>>;
  #made: CatalogSyncMessage[] = [];

  /** @param messages of the earlier parts. */
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

  /** Queues the added products. */
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
