import { CatalogFileFault } from '../catalog-file/file-fault.ts';

/** How a catalog file is written, by its extension. */
export type CatalogFormat = 'ndjson' | 'json' | 'csv';

export interface CatalogObjectName {
  readonly storeClientId: string;
  readonly format: CatalogFormat;
  readonly gzip: boolean;
}

const KEY = /^catalog\/(?<storeClientId>[^/]{1,200})\/.*[^/]$/s;
const EXTENSION = /\.(?<format>ndjson|json|csv)(?<gzip>\.gz)?$/i;

/**
 * Reads `catalog/{storeClientId}/….{ndjson,json,csv}[.gz]` (design §6.1).
 *
 * @param key the object's key as EventBridge gives it, which is not URL-encoded.
 * @throws {CatalogFileFault} FILE_KEY_INVALID, FILE_TYPE_UNKNOWN
 */
export function readCatalogKey(key: string): CatalogObjectName {
  const storeClientId = storeOfKey(key);
  if (storeClientId === undefined) {
    throw new CatalogFileFault('FILE_KEY_INVALID', 'a catalog file belongs under catalog/{storeClientId}/');
  }
  const extension = EXTENSION.exec(key)?.groups;
  if (extension === undefined) {
    const message = 'a catalog file ends in .ndjson, .json or .csv, or one of these with .gz';
    throw new CatalogFileFault('FILE_TYPE_UNKNOWN', message);
  }
  const format = extension.format?.toLowerCase() as CatalogFormat;
  return { storeClientId, format, gzip: extension.gzip !== undefined };
}

/** The store whose catalog a key belongs to, whatever the file is; `undefined` for a key elsewhere. */
export function storeOfKey(key: string): string | undefined {
  return KEY.exec(key)?.groups?.storeClientId;
}
