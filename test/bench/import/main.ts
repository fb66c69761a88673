import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const script = join(import.meta.dirname, 'import-rows.ts');

/** What the import of a generated file took. */
export interface ImportFigures {
  readonly fileBytes: number;
  readonly rowsSent: number;
  readonly commands: number;
  readonly parts: number;
  readonly reading: { readonly rows: number; readonly sent: number; readonly commands: number };
  readonly peakHeapMb: number;
  readonly peakResidentMb: number;
  readonly rowsPerSecond: number;
}

/**
 * Imports a generated file in parts, in a process whose heap is limited to `heapMb`.
 *
 * @throws Error if the process ended, as it does when the heap is full.
 */
export async function importRows(options: {
  /** Default: `catalog`. */
  readonly kind?: 'catalog' | 'stock';
  readonly format: 'ndjson' | 'csv' | 'json';
  readonly rows: number;
  readonly heapMb: number;
}): Promise<ImportFigures> {
  const { kind = 'catalog', format, rows, heapMb } = options;
  const { stdout } = await promisify(execFile)(process.execPath, [
    `--max-old-space-size=${heapMb}`,
    script,
    `--kind=${kind}`,
    `--rows=${rows}`,
    `--format=${format}`,
  ]);
  return JSON.parse(stdout);
}

/** A function of 512 MB has more: what the process needs beside its heap is counted in as well. */
const HEAP_MB = 64;

/** Imports a million rows of each format. */
export async function benchImport(rows: number): Promise<void> {
  console.log(`${rows} rows of a catalog file, in parts, with a heap of ${HEAP_MB} MB at most`);
  const results: [string, Omit<ImportFigures, 'reading'>][] = [];
  for (const format of ['ndjson', 'csv', 'json'] as const) {
    const { reading: _, ...figures } = await importRows({ format, rows, heapMb: HEAP_MB });
    results.push([format, figures]);
  }
  console.table(Object.fromEntries(results));
}
