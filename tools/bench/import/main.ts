import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { csvCatalog, ndjsonCatalog } from '../../../local/run/catalog.ts';
import { markdownTable } from '../../describe/pages/markdown.ts';
import { bundleScript } from '../cold-start/bundles.ts';
import { barOf, interleaved, spread } from '../interleaved.ts';
import type { Section } from '../page.ts';
import type { Bar } from '../plot.ts';

const formats = ['ndjson', 'csv', 'json'] as const;
type Format = (typeof formats)[number];

/** What the import of a file took. */
export interface ImportFigures {
  readonly fileBytes: number;
  readonly rowsSent: number;
  readonly commands: number;
  /** Calls of SQS, and the messages in all of them. */
  readonly calls: number;
  readonly messages: number;
  readonly parts: number;
  readonly reading: { readonly rows: number; readonly sent: number; readonly commands: number };
  readonly cpuMs: number;
  readonly peakHeapMb: number;
  readonly peakResidentMb: number;
  readonly rowsPerSecond: number;
}

export interface ImportOptions {
  /** Default: `catalog`. */
  readonly kind?: 'catalog' | 'stock';
  readonly format: Format;
  readonly rows: number;
  /** Limit of the heap. Default: none, and little time is spent on keeping it small. */
  readonly heapMb?: number;
  /** Default: one is generated while it is read. */
  readonly file?: string;
  /** Default: the source. */
  readonly script?: string;
}

/**
 * Imports a file in parts, in a process of its own.
 *
 * @throws Error if the process ended, as it does when the heap is full.
 */
export async function importRows({
  kind = 'catalog',
  format,
  rows,
  heapMb,
  file,
  script = join(import.meta.dirname, 'import-rows.ts'),
}: ImportOptions): Promise<ImportFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    // The young generation grows as long as nothing limits it, with what is garbage already.
    ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=4']),
    script,
    `--kind=${kind}`,
    `--rows=${rows}`,
    `--format=${format}`,
    ...(file === undefined ? [] : [`--file=${file}`]),
  ]);
  return JSON.parse(stdout);
}

const ROWS = 100_000;
const MANY_ROWS = 1_000_000;
const ROUNDS = 5;
/** A function of 512 MB has more: what the process needs beside its heap is counted in as well. */
const HEAP_MB = 64;

function writeFiles(directory: string): Record<Format, string> {
  const ndjson = ndjsonCatalog(ROWS);
  const contents = {
    ndjson,
    csv: csvCatalog(ROWS),
    json: `[${ndjson.trimEnd().replaceAll('\n', ',\n')}]`,
  };
  const pathOf = (format: Format) => join(directory, `catalog.${format}`);
  for (const format of formats) writeFileSync(pathOf(format), contents[format]);
  return { ndjson: pathOf('ndjson'), csv: pathOf('csv'), json: pathOf('json') };
}

/** CPU of the import of a file beside reading and parsing it alone; calls and memory. As a table. */
export async function benchImport(): Promise<Section> {
  const directory = mkdtempSync(join(tmpdir(), 'connector-bench-'));
  try {
    const script = join(directory, 'import-rows.mjs');
    const plain = join(directory, 'plain-rows.mjs');
    await bundleScript(join(import.meta.dirname, 'import-rows.ts'), script);
    await bundleScript(join(import.meta.dirname, 'plain-rows.ts'), plain);
    const files = writeFiles(directory);
    const rows: string[][] = [];
    const bars: Bar[] = [];
    for (const format of formats) {
      const file = files[format];
      const all: ImportFigures[] = [];
      const [base, own] = await interleaved(
        {
          plain: async () =>
            JSON.parse((await promisify(execFile)(process.execPath, [plain, format, file])).stdout).cpuMs,
          connector: async () => {
            all.push(await importRows({ format, rows: ROWS, file, script }));
            return all.at(-1)?.cpuMs ?? Number.NaN;
          },
        },
        ROUNDS,
      );
      if (base === undefined || own === undefined) continue;
      const { calls = 0, messages = 0 } = all[0] ?? {};
      const many = await importRows({ format, rows: MANY_ROWS, heapMb: HEAP_MB, script });
      rows.push([
        format.toUpperCase(),
        spread(base.values, 0),
        spread(own.values, 0),
        spread(own.ratios),
        `${calls} for ${messages} messages`,
        many.peakResidentMb.toFixed(0),
      ]);
      bars.push(barOf(format.toUpperCase(), own.ratios));
    }
    const header = [
      '100,000 rows',
      'reading and parsing alone, ms of CPU',
      'connector, ms of CPU',
      'of reading and parsing',
      'calls of SQS',
      'MB of memory for 1,000,000 rows',
    ];
    return {
      text: markdownTable(header, rows),
      plot: { title: 'Import of a catalog file', unit: 'CPU, of reading and parsing alone', bars, goal: 2.5 },
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
