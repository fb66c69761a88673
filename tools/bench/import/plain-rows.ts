import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse';
import { cpuMs } from '../interleaved.ts';

/** Reads and parses a catalog file, and does nothing with its rows. Prints what it took as JSON. */
const [, , format = '', path = ''] = process.argv;

/** The least code that splits lines: readline of Node takes longer. */
async function readLines(): Promise<number> {
  let rows = 0;
  let rest = '';
  for await (const piece of createReadStream(path, 'utf8')) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (JSON.parse(line) !== null) rows += 1;
  }
  return rest === '' ? rows : rows + 1;
}

async function readCsv(): Promise<number> {
  let rows = 0;
  for await (const _ of createReadStream(path).pipe(parse({ columns: true }))) rows += 1;
  return rows;
}

/** It holds the whole file and all of its rows. */
async function readArray(): Promise<number> {
  return JSON.parse(await readFile(path, 'utf8')).length;
}

const readers: Readonly<Record<string, () => Promise<number>>> = {
  ndjson: readLines,
  csv: readCsv,
  json: readArray,
};
const before = cpuMs();
const rows = await readers[format]?.();
console.log(
  JSON.stringify({
    rows,
    cpuMs: Math.round(cpuMs() - before),
    peakResidentMb: Math.round(process.resourceUsage().maxRSS / 1000),
  }),
);
