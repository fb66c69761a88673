import { REJECTION_FIELD } from '../../batches/model.ts';
import { jsonBytes } from '../../collections/packer.ts';
import { isObject, parseJsonOrThrow } from '../../collections/parse-json.ts';
import { MAX_PRODUCT_BYTES } from '../../products/model.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { FilePosition } from '../model.ts';

/** A row as the partner wrote it. */
export type RowValue = Readonly<Record<string, unknown>>;

/** Most bytes of the reason that the connector adds to a returned row. The reason's details have at most 20,000 of them. */
const MAX_REJECTION_BYTES = 30_000;
/** Bytes of the longest row that is read. */
export const MAX_ROW_LENGTH = MAX_PRODUCT_BYTES + MAX_REJECTION_BYTES;

/** Format of a file, by its extension. */
export type FileFormat = 'ndjson' | 'json' | 'csv';

/** One row of a file, or its fault. */
export type FileRow = {
  /** First line of the row in `.ndjson` and `.csv` files, position in the array of `.json` files; from 1. */
  readonly number: number;
  /** The row's fault in the first reading, when the notation of the file's numbers was unknown. */
  readonly formerFault?: CommandFault | undefined;
} & (
  | {
      readonly value: RowValue;
      readonly bytes: number;
      /** The row was sent in the first reading, when the notation of the file's numbers was unknown. */
      readonly wasTaken?: boolean;
    }
  | {
      readonly fault: CommandFault;
      readonly given?: RowValue;
      /** The first column with a cell that only a file with decimal commas can have. */
      readonly signOfComma?: string | undefined;
    }
);

/** A row with the position at its end. */
export type ReadRow = FileRow & {
  readonly end: FilePosition;
  /** The row as raw text of the file, cut off after `MAX_TEXT` bytes. */
  readonly raw: string;
};

/** Why a file can't be read, or not to its end. The rows before the fault count. */
export type FileFaultCode =
  | 'FILE_KEY_INVALID'
  | 'FILE_TYPE_UNKNOWN'
  | 'STORE_UNKNOWN'
  | 'FILE_GONE'
  | 'FILE_EMPTY'
  | 'FILE_STUCK'
  | 'FILE_ROWS_UNREADABLE'
  | 'FILE_NOT_GZIP'
  | 'FILE_NOT_JSON'
  | 'FILE_TRUNCATED'
  | 'FILE_NOT_CSV'
  | 'FILE_NOT_UTF8'
  | 'FILE_NOT_TEXT'
  | 'FILE_NOT_ENCODED'
  | 'FILE_HINT_INVALID'
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

/** The place in the parser's message. It is left out, as the parser counts lines from the start of the row. */
const PLACE = / \(line \d+ column \d+\)$/;

/** Parses a row's JSON, given as raw text, as an object. Its fields are not checked. */
export function readRow(number: number, raw: string): FileRow {
  if (raw.length > MAX_ROW_LENGTH) return tooLarge(number);
  const text = utf8Of(raw);
  let value: unknown;
  try {
    value = parseJsonOrThrow(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not valid';
    return faulty(number, 'ROW_NOT_JSON', `the row is not valid JSON: ${reason.replace(PLACE, '')}`);
  }
  if (!isObject(value)) return faulty(number, 'ROW_NOT_OBJECT', 'the row is not a JSON object');
  if (value[REJECTION_FIELD] === undefined) return sizedRow(number, value, raw.length);
  // A row that the connector returned also has the reason of its rejection, which is no field of a row.
  delete value[REJECTION_FIELD];
  return sizedRow(number, value);
}

/**
 * A row with its size, or its fault if it is too large.
 *
 * @param bytes the row's size as JSON; default: counted
 */
export function sizedRow(number: number, value: RowValue, bytes = jsonBytes(value)): FileRow {
  return bytes > MAX_PRODUCT_BYTES ? tooLarge(number) : { number, value, bytes };
}

export function tooLarge(number: number): FileRow {
  return faulty(number, 'ROW_TOO_LARGE', `the row is larger than ${MAX_PRODUCT_BYTES} bytes`);
}

/** A rejected row is returned as it is in the file up to this many bytes. */
export const MAX_TEXT = 20_000;

export function faulty(number: number, code: string, message: string): FileRow {
  return { number, fault: { code, message } };
}

/**
 * A file is split as raw text, with one character per byte: a position in it is a number of bytes. All delimiters of rows
 * are ASCII, and no other UTF-8 character contains an ASCII byte.
 */
export function rawTextOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The UTF-8 byte order mark in raw text. */
export const BYTE_ORDER_MARK = '\u00EF\u00BB\u00BF';

const BEYOND_ASCII = /[\u0080-\u00FF]/;

/** Decodes raw text as UTF-8. Invalid bytes become U+FFFD. */
export function utf8Of(raw: string): string {
  return BEYOND_ASCII.test(raw) ? Buffer.from(raw, 'latin1').toString('utf8') : raw;
}
