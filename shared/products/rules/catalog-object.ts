/** How a catalog file is written, by its extension. */
export type CatalogFormat = 'ndjson' | 'json' | 'csv';

export interface CatalogObjectName {
  readonly storeClientId: string;
  readonly format: CatalogFormat;
  readonly gzip: boolean;
}

/** Why a key of the import bucket names no catalog file. */
export interface CatalogNameFault {
  readonly code: 'FILE_KEY_INVALID' | 'FILE_TYPE_UNKNOWN';
  readonly message: string;
  readonly storeClientId?: string;
}

const KEY = /^catalog\/(?<storeClientId>[^/]{1,200})\/(?<path>.*[^/])$/s;
const EXTENSION = /\.(?<format>ndjson|json|csv)(?<gzip>\.gz)?$/i;

/**
 * Reads `catalog/{storeClientId}/….{ndjson,json,csv}[.gz]` (design §6.1).
 *
 * @param key the object's key as EventBridge gives it, which is not URL-encoded.
 */
export function readCatalogKey(key: string): CatalogObjectName | { readonly fault: CatalogNameFault } {
  const { storeClientId, path } = KEY.exec(key)?.groups ?? {};
  if (storeClientId === undefined || path === undefined) {
    const message = 'a catalog file belongs under catalog/{storeClientId}/';
    return { fault: { code: 'FILE_KEY_INVALID', message } };
  }
  const extension = EXTENSION.exec(path)?.groups;
  if (extension === undefined) {
    const message = 'a catalog file ends in .ndjson, .json or .csv, or one of these with .gz';
    return { fault: { code: 'FILE_TYPE_UNKNOWN', message, storeClientId } };
  }
  const format = extension.format?.toLowerCase() as CatalogFormat;
  return { storeClientId, format, gzip: extension.gzip !== undefined };
}
