import type { CatalogPosition } from '../../imports/model.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import { MAX_PRODUCT_BYTES, type Product } from '../model.ts';

/** Longest row that is read, in bytes. */
export const MAX_ROW_LENGTH = MAX_PRODUCT_BYTES;

/** How a catalog file is written, by its extension. */
export type CatalogFormat = 'ndjson' | 'json' | 'csv';

/** One product of a catalog file, or why it is none. */
export type CatalogRow = {
  /** Line that it begins on in `.ndjson` and `.csv` files, position in the array of `.json` files; from 1. */
  readonly number: number;
} & ({ readonly product: Product; readonly bytes: number } | { readonly fault: CommandFault });

/** A row as it is read from a file, with the position behind it. */
export type ReadRow = CatalogRow & { readonly end: CatalogPosition };

/** Why a file, or the rest of it, can not be read; the rows before the fault count. */
export type FileFaultCode =
  | 'FILE_KEY_INVALID'
  | 'FILE_TYPE_UNKNOWN'
  | 'STORE_UNKNOWN'
  | 'FILE_GONE'
  | 'FILE_EMPTY'
  | 'FILE_NOT_GZIP'
  | 'FILE_NOT_JSON'
  | 'FILE_TRUNCATED'
  | 'FILE_NOT_CSV'
  | 'FILE_COLUMNS_UNKNOWN'
  | 'FILE_COLUMNS_REPEATED';

/** A fault of the file as a whole, which is the partner's to correct: reading it again does not help. */
export class CatalogFileFault extends Error {
  readonly code: FileFaultCode;
  /** Where the fault is, as a row's number; absent when it concerns the file from its first byte. */
  readonly number: number | undefined;
  /** Further facts, such as all that is allowed. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: FileFaultCode,
    message: string,
    number?: number,
    details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'CatalogFileFault';
    this.code = code;
    this.number = number;
    this.details = details;
  }
}
