import { UNKNOWN_STORE } from '../../rejections/model.ts';
import type { ReportRejectionsPorts } from '../../rejections/use-cases/report-rejections.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { importIdOf, readCatalogKey, storeOfKey } from '../catalog-file/announced-file.ts';
import { CatalogFileFault, type FileFaultCode } from '../catalog-file/model.ts';
import { readCatalog } from '../catalog-file/read-catalog.ts';
import type { AnnouncedFile, CatalogFiles, ProductCommandQueue } from '../ports.ts';
import { checkProduct } from '../rules/check-product.ts';
import { CatalogChunks } from './catalog-chunks.ts';
import { FileRejections } from './file-rejections.ts';

export interface ImportCatalogFilePorts extends ReportRejectionsPorts {
  readonly files: CatalogFiles;
  readonly stores: Pick<StoreTable, 'get'>;
  readonly queue: ProductCommandQueue;
}

export interface ImportResult {
  readonly importId: string;
  /** Products handed on to the product commands queue. */
  readonly sent: number;
  /** Messages that they went in. */
  readonly messages: number;
  /** Rows rejected, the file itself included if it is at fault. */
  readonly rejected: number;
  /** Why the file, or the rest of it, was not read. */
  readonly fault?: FileFaultCode;
}

/**
 * Streams a catalog file into `catalog.sync.requested` messages (design §6.1). A bad row is
 * rejected by itself, as is a fault of the file. The same put read again makes the same messages with the same
 * command IDs, so an import that died is simply done again from the start.
 *
 * @throws what the ports throw.
 */
export async function importCatalogFile(
  ports: ImportCatalogFilePorts,
  file: AnnouncedFile,
): Promise<ImportResult> {
  const facts = { ...file, importId: importIdOf(file), storeClientId: storeOfKey(file.key) ?? UNKNOWN_STORE };
  const chunks = new CatalogChunks(ports, facts);
  const rejections = new FileRejections(ports, facts);
  const fault = await readRows(ports, file, chunks, rejections);
  if (fault) await rejections.add({ code: fault.code, message: fault.message }, { number: fault.number });
  await chunks.flush();
  await rejections.flush();
  return {
    importId: facts.importId,
    sent: chunks.sent,
    messages: chunks.messages,
    rejected: rejections.count,
    ...(fault && { fault: fault.code }),
  };
}

/** Reads as far as the file can be read; returns what ended the reading early. */
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
      if (fault) await rejections.add(fault, row);
      else if ('product' in row) await chunks.add(row.product, row.bytes);
    }
    if (rows === 0) throw new CatalogFileFault('FILE_EMPTY', 'the file holds no product');
    return undefined;
  } catch (error) {
    if (error instanceof CatalogFileFault) return error;
    throw error;
  }
}

async function openRows({ stores, files }: ImportCatalogFilePorts, file: AnnouncedFile) {
  const { storeClientId, ...encoding } = readCatalogKey(file.key);
  if ((await stores.get(storeClientId)) === undefined) {
    throw new CatalogFileFault('STORE_UNKNOWN', `no store ${storeClientId} is known`);
  }
  const source = await files.open(file);
  if (source === undefined) {
    throw new CatalogFileFault('FILE_GONE', 'the file was deleted or replaced before it was read');
  }
  return readCatalog(source, encoding);
}
