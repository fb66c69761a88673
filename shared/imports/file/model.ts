import { MAX_PRODUCT_BYTES } from '../../products/model.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { FilePosition } from '../model.ts';

/** A row as the partner wrote it. */
export type RowValue = Readonly<Record<string, unknown>>;

/** Bytes of the longest valid row. */
export const MAX_ROW_LENGTH = MAX_PRODUCT_BYTES;

/** Format of a file, by its extension. */
export type FileFormat = 'ndjson' | 'json' | 'csv';

/** One row of a file, or its fault. */
export type FileRow = {
  /** First line of the row in `.ndjson` and `.csv` files, position in the array of `.json` files; from 1. */
  readonly number: number;
} & (
  | { readonly value: RowValue; readonly bytes: number }
  | { readonly fault: CommandFault; readonly given?: RowValue }
);

/** A row with the position at its end. */
export type ReadRow = FileRow & { readonly end: FilePosition };

/** Why a file can't be read, or not to its end. The rows before the fault count. */
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

/** A fault of the whole file. The partner must correct it: a retry does not help. */
export class FileFault extends Error {
  readonly code: FileFaultCode;
  /** Number of the row with the fault. Absent if no row could be read. */
  readonly number: number | undefined;
  /** Further facts, such as the allowed values. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: FileFaultCode,
    message: string,
    number?: number,
    details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'FileFault';
    this.code = code;
    this.number = number;
    this.details = details;
  }
}
