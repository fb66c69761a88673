import { Readable } from 'node:stream';
import type { FilePlace, FileType } from '../../../../shared/imports/file/announced-file.ts';
import { isRow } from '../../../../shared/imports/file/cut-rows.ts';
import { type RowLayout, readRows } from '../../../../shared/imports/file/read-rows.ts';
import { type FileRow, MAX_ROW_LENGTH, type ReadRow } from '../../../../shared/imports/file/row.ts';
import { fileKinds } from '../../../../shared/imports/rules/file-kinds.ts';

type FileEncoding = FileType & Pick<FilePlace, 'kind'> & Pick<RowLayout, 'notation'>;

/** Reads a file that arrives in pieces of `pieceBytes`. */
export async function readFile(
  file: string | Uint8Array,
  encoding: Partial<FileEncoding> = {},
  pieceBytes = 65_536,
): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  for await (const row of openFile(file, encoding, pieceBytes)) rows.push(row);
  return rows;
}

/** The rows of a file that arrives in pieces of `pieceBytes`, one by one. */
export async function* openFile(
  file: string | Uint8Array,
  encoding: Partial<FileEncoding> = {},
  pieceBytes = 65_536,
): AsyncGenerator<ReadRow> {
  const bytes = Buffer.from(file);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const { kind = 'catalog', format = 'ndjson', gzip = false, notation } = encoding;
  const source = Readable.from(pieces, { objectMode: false });
  for await (const group of readRows(source, { ...fileKinds[kind], notation }, { format, gzip })) {
    for (const part of group) if (isRow(part)) yield part;
  }
}

/** The rows before the fault of a file, and the fault, if any. */
export async function readToFault(
  ...file: Parameters<typeof openFile>
): Promise<{ rows: ReadRow[]; fault?: unknown }> {
  const rows: ReadRow[] = [];
  try {
    for await (const row of openFile(...file)) rows.push(row);
    return { rows };
  } catch (fault) {
    return { rows, fault };
  }
}

/** The product of each row, or the code of its fault. */
export const products = (rows: readonly FileRow[]) =>
  rows.map((row) => ('value' in row ? row.value : row.fault.code));

export const numbers = (rows: readonly FileRow[]) => rows.map((row) => row.number);

/** As long as the longest row that is read. */
export const tooLong = 'x'.repeat(MAX_ROW_LENGTH);

/** JSON so deep that a recursive walk overflows the stack. */
export const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
