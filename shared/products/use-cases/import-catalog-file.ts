import { definedOf } from '../../collections/defined-of.ts';
import { Packer } from '../../collections/packer.ts';
import type { ImportRecord, ImportTable } from '../../imports/model.ts';
import { type Rejection, UNKNOWN_STORE } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import { type CommandFault, identifiersIn } from '../../requests/rules/rejection.ts';
import { unknownStore } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { Clock } from '../../time/clock.ts';
import { importIdOf, readCatalogKey, storeOfKey } from '../catalog-file/announced-file.ts';
import { CatalogFileFault, type FileFaultCode } from '../catalog-file/model.ts';
import { readCatalog } from '../catalog-file/read-catalog.ts';
import { MAX_PRODUCT_BYTES, type Product, type ProductShape, shapeOf } from '../model.ts';
import type { AnnouncedFile, CatalogFiles, ProductCommandQueue } from '../ports.ts';
import { checkProduct } from '../rules/check-product.ts';

export interface ImportCatalogFilePorts extends ReportRejectionsPorts {
  readonly files: CatalogFiles;
  readonly stores: Pick<StoreTable, 'get'>;
  readonly queue: ProductCommandQueue;
  readonly imports: Pick<ImportTable, 'update'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface ImportResult {
  readonly importId: string;
  /** Products queued. */
  readonly sent: number;
  /** Messages with these products. */
  readonly messages: number;
  /** Rejected rows, plus one for a fault of the file. */
  readonly rejected: number;
  /** Why the file was not read, or not to its end. */
  readonly fault?: FileFaultCode;
}

/**
 * Streams a catalog file into `catalog.sync.requested` messages. An invalid row is rejected alone; a fault of the file
 * is a rejection too. The same put always gives the same messages and command IDs: a stopped import restarts from the
 * beginning. The import's record has the counts.
 *
 * @returns `undefined` if an earlier delivery has read the file to its end.
 * @throws the errors of the ports.
 */
export async function importCatalogFile(
  ports: ImportCatalogFilePorts,
  file: AnnouncedFile,
): Promise<ImportResult | undefined> {
  const facts = { ...file, importId: importIdOf(file), storeClientId: storeOfKey(file.key) ?? UNKNOWN_STORE };
  const begun = await begin(ports, facts);
  if (begun?.reading !== undefined) return undefined;
  const chunks = new CatalogChunks(ports, facts);
  const rejections = new FileRejections(ports, facts);
  const fault = await readRows(ports, file, chunks, rejections);
  if (fault) await rejections.add(fault, { number: fault.number });
  await chunks.flush();
  await rejections.flush();
  const { sent, messages } = chunks;
  await ports.imports.update(facts.importId, (current) => {
    if (current === undefined || current.reading !== undefined) return undefined;
    const { rejectedRows: rejected } = rejections;
    const rows = sent + Object.values(rejected).reduce((sum, count) => sum + count, 0);
    const why = fault && { fault: { code: fault.code, message: fault.message } };
    return {
      ...current,
      reading: { endedAt: nowOf(ports), rows, sent, rejected, commands: messages, ...why },
    };
  });
  return {
    importId: facts.importId,
    sent,
    messages,
    rejected: rejections.count,
    ...(fault && { fault: fault.code }),
  };
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

/** Reads the rows; returns the fault that ended it early, if any. */
async function readRows(
  ports: ImportCatalogFilePorts,
  file: AnnouncedFile,
  chunks: CatalogChunks,
  rejections: FileRejections,
): Promise<CatalogFileFault | undefined> {
  try {
    let rows = 0;
    for await (const row of await openRows(ports, file)) {
      rows += 1;
      const fault = 'fault' in row ? row.fault : checkProduct(row.product);
      if (fault) await rejections.addRow(fault, row);
      else if ('product' in row) await chunks.add(row.product, row.bytes);
    }
    if (rows === 0) throw new CatalogFileFault('FILE_EMPTY', 'the file has no product');
    return undefined;
  } catch (error) {
    if (error instanceof CatalogFileFault) return error;
    throw error;
  }
}

async function openRows({ stores, files }: ImportCatalogFilePorts, file: AnnouncedFile) {
  const { storeClientId, ...encoding } = readCatalogKey(file.key);
  if ((await stores.get(storeClientId)) === undefined) {
    throw new CatalogFileFault('STORE_UNKNOWN', unknownStore(storeClientId).message);
  }
  const source = await files.open(file);
  if (source === undefined) {
    throw new CatalogFileFault('FILE_GONE', 'the file was deleted or replaced before it was read');
  }
  return readCatalog(source, encoding);
}

interface FileFacts extends AnnouncedFile {
  readonly importId: string;
  readonly storeClientId: string;
}

/** Most products in one message. Not a setting: `{importId}/{n}` must always have the same rows. */
const PRODUCTS_PER_MESSAGE = 100;

/**
 * Queues the products of one file; simple products and products with variants in separate messages. The products of a
 * message depend only on the file.
 */
class CatalogChunks {
  /** Products queued. */
  sent = 0;
  /** Messages with these products. */
  messages = 0;

  readonly #queue: ProductCommandQueue;
  readonly #facts: FileFacts;
  readonly #packers: Readonly<Record<ProductShape, Packer<Product>>>;

  constructor(ports: { queue: ProductCommandQueue }, facts: FileFacts) {
    this.#queue = ports.queue;
    this.#facts = facts;
    const limits = { maxItems: PRODUCTS_PER_MESSAGE, maxBytes: MAX_PRODUCT_BYTES };
    this.#packers = { simple: new Packer(limits), variants: new Packer(limits) };
  }

  async add(product: Product, bytes: number): Promise<void> {
    await this.#send(this.#packers[shapeOf(product)].add(product, bytes));
  }

  async flush(): Promise<void> {
    await this.#send(this.#packers.simple.flush());
    await this.#send(this.#packers.variants.flush());
  }

  async #send(products: readonly Product[] | undefined): Promise<void> {
    if (products === undefined) return;
    const { importId, storeClientId, time } = this.#facts;
    const commandId = `${importId}/${this.messages}`;
    await this.#queue.sendSync({ storeClientId, commandId, time, products });
    this.messages += 1;
    this.sent += products.length;
  }
}

/** Where a fault is in the file. */
interface Place {
  /** Line or position, from 1. Absent for a fault of the whole file. */
  readonly number?: number | undefined;
  readonly product?: Product;
}

/** Rejections reported at a time: as many as fit into one event. */
const AT_A_TIME = 100;

/** Reports the rejections of a file in batches. Every reading of the file gives the same IDs. */
class FileRejections {
  count = 0;
  /** Number of rejected rows, by code. */
  readonly rejectedRows: Record<string, number> = {};

  readonly #ports: ReportRejectionsPorts;
  readonly #facts: FileFacts;
  #gathered: Rejection[] = [];

  constructor(ports: ReportRejectionsPorts, facts: FileFacts) {
    this.#ports = ports;
    this.#facts = facts;
  }

  async addRow(fault: CommandFault, row: Place): Promise<void> {
    this.rejectedRows[fault.code] = (this.rejectedRows[fault.code] ?? 0) + 1;
    await this.add(fault, row);
  }

  async add(fault: CommandFault, place: Place): Promise<void> {
    this.count += 1;
    this.#gathered.push(this.#rejectionOf(fault, place));
    if (this.#gathered.length >= AT_A_TIME) await this.flush();
  }

  async flush(): Promise<void> {
    await reportRejections(this.#ports, this.#gathered);
    this.#gathered = [];
  }

  #rejectionOf({ code, message, field, details }: CommandFault, { number, product }: Place): Rejection {
    const { importId, storeClientId, bucket, key, time, eventId } = this.#facts;
    const place = number === undefined ? '' : `#${number}`;
    return boundedRejection({
      storeClientId,
      // A row and the file may have faults at the same place: the code distinguishes them.
      rejectionId: `${time}#${importId}${place}#${code}`,
      rejectedAt: time,
      code,
      message,
      ...definedOf({ field, details: details && { ...details } }),
      ...identifiersIn(product, ['sku', 'externalId']),
      eventId,
      commandId: importId,
      detailType: 'catalog.sync.requested',
      origin: `s3://${bucket}/${key}${place}`,
    });
  }
}
