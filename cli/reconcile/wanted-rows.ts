import { createReadStream } from 'node:fs';
import { FILE_TYPES, typeOfFile } from '../../shared/imports/file/announced-file.ts';
import { isRow } from '../../shared/imports/file/cut-rows.ts';
import { inspectFile, type RowLayout, readRows } from '../../shared/imports/file/read-rows.ts';
import { FileFault, type FileRow, type RowValue } from '../../shared/imports/file/row.ts';
import { unlikelyFault } from '../../shared/imports/rules/check-row.ts';
import { readHints } from '../../shared/imports/rules/file-hints.ts';
import { fileKinds } from '../../shared/imports/rules/file-kinds.ts';
import { targetOf } from '../../shared/listings/rules/target.ts';
import { usageError } from '../errors.ts';
import { sizeOfFile } from '../files.ts';

/** A row of a file of what should be live. */
export interface WantedRow {
  /** Its first line; in a `.json` file its position in the array. From 1. */
  readonly line: number;
  readonly item: RowValue;
  /** Absent in a row that names no product. */
  readonly target?: string;
}

/** A row that cannot be compared. */
export interface InvalidRow {
  /** Absent for a fault of the whole file. */
  readonly line?: number;
  readonly target?: string;
  readonly field?: string;
  readonly message: string;
}

export interface WantedFile {
  readonly rows: readonly WantedRow[];
  /** Rows that could not be read, and the fault of a file that could not be read to its end. */
  readonly invalid: readonly InvalidRow[];
}

/** What a stack compares has no version: it is compared with what is live now. */
const VERSIONS = ['occurredAt', 'version'];
const columns = [...fileKinds.prices.columns, ...fileKinds.stock.columns];
const LAYOUT: RowLayout = {
  ...fileKinds.stock,
  columns: new Map(columns.filter(([name]) => !VERSIONS.includes(name))),
};

/**
 * Reads the rows of a `.csv`, `.ndjson` or `.json` file, each also as `.gz`. A row that cannot be read does not affect the others.
 *
 * @param given how the file is written, as the metadata of an imported file says it
 * @throws CliError if not one row can be read
 */
export async function readWantedFile(
  file: string,
  given: Readonly<Record<string, string>> = {},
): Promise<WantedFile> {
  const named = typeOfFile(file);
  if (named === undefined) throw usageError(`${file} must end in ${FILE_TYPES}`);
  await sizeOfFile(file);
  const rows: WantedRow[] = [];
  const invalid: InvalidRow[] = [];
  try {
    const { encoding, notation } = readHints(given);
    const type = { ...named, encoding };
    await inspectFile(createReadStream(file), LAYOUT, type);
    for await (const group of readRows(createReadStream(file), { ...LAYOUT, notation }, type)) {
      for (const row of group) {
        if (!isRow(row)) continue;
        const read = readRow(row);
        if ('message' in read) invalid.push(read);
        else rows.push(read);
      }
    }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    if (rows.length + invalid.length === 0) throw usageError(`${file}: ${textOf(error)}`, hintOf(error));
    const line = error.number === undefined ? {} : { line: error.number };
    invalid.push({ ...line, message: `${textOf(error)}; the rest of the file was not read` });
  }
  if (rows.length + invalid.length === 0) throw usageError(`${file} has no row`);
  return { rows, invalid };
}

function readRow(row: FileRow): WantedRow | InvalidRow {
  const { number: line } = row;
  const value = 'fault' in row ? row.given : row.value;
  const fault = 'fault' in row ? row.fault : unlikelyFault(row.value);
  if (fault === undefined) return { line, item: value ?? {}, ...targetIn(value) };
  const { code, message, field } = fault;
  return { line, ...targetIn(value), ...(field !== undefined && { field }), message: `${code}: ${message}` };
}

function targetIn(row: RowValue = {}): { target?: string } {
  const names = { sku: textIn(row.sku), id: textIn(row.id), externalId: textIn(row.externalId) };
  return Object.values(names).some(Boolean) ? { target: targetOf(names) } : {};
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textOf({ code, message }: FileFault): string {
  return `${code}: ${message}`;
}

function hintOf({ details }: FileFault): string | undefined {
  return Array.isArray(details?.columns) ? `The columns are ${details.columns.join(', ')}.` : undefined;
}
