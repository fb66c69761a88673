import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { boundedText } from '../../rejections/rules/bounded.ts';
import { MAX_PRODUCT_BYTES } from '../model.ts';
import { productOfRecord, unknownColumns } from '../rules/csv-columns.ts';
import { CatalogFileFault } from './file-fault.ts';
import { type CatalogRow, sizedRow } from './row.ts';

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number; readonly error?: CsvError };
}

/**
 * Reads simple products from CSV (RFC 4180) with a header row of `CSV_COLUMNS`; a row's number is the line it ends
 * on. A quote that is never closed makes everything after it one row: reading ends there.
 *
 * @throws {CatalogFileFault} FILE_COLUMNS_UNKNOWN, FILE_NOT_CSV
 */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<CatalogRow, void, undefined> {
  const records = Readable.from(chunks).compose(csvParser()) as AsyncIterable<CsvRecord>;
  try {
    for await (const { record, info } of records) yield rowOf(record, info);
  } catch (error) {
    throw error instanceof CsvError ? faultOfCsv(error) : error;
  }
}

function csvParser() {
  return parse({
    columns: checkedHeader,
    info: true,
    trim: true,
    skip_empty_lines: true,
    // Bare quotes inside a cell are common in product names: 12" shelf.
    relax_quotes: true,
    // A row with too few or too many cells is rejected by itself, below.
    relax_column_count: true,
    max_record_size: MAX_PRODUCT_BYTES,
  });
}

function checkedHeader(header: string[]): string[] {
  const unknown = unknownColumns(header);
  if (unknown.length === 0) return header;
  throw new CatalogFileFault('FILE_COLUMNS_UNKNOWN', `unknown columns: ${boundedText(unknown.join(', '))}`);
}

function rowOf(record: CsvRecord['record'], { lines: number, error }: CsvRecord['info']): CatalogRow {
  if (error) {
    return {
      number,
      fault: { code: 'ROW_CELLS', message: 'the row has more or fewer cells than the header' },
    };
  }
  const product = productOfRecord(record);
  if ('fault' in product) return { number, fault: product.fault };
  return sizedRow(number, product.product, Object.values(record).join(''), MAX_PRODUCT_BYTES);
}

function faultOfCsv(error: CsvError): CatalogFileFault {
  const line = Number(error.lines) || undefined;
  return new CatalogFileFault('FILE_NOT_CSV', `the file is not CSV from here on: ${error.message}`, line);
}
