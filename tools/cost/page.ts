import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from '../describe/pages/markdown.ts';
import type { MeasuredRow } from './cost-table.ts';
import { type Meter, meters } from './prices.ts';

const file = join(import.meta.dirname, '..', '..', 'docs', 'cost.md');
const SECTION = /(?<=<!-- cost: npm run cost -- --write -->\n).*?(?=<!-- \/cost -->)/s;

/** Meters with a column of their own; all others are in `USD` only. */
const shown: readonly Meter[] = ['writeUnit', 'readUnit', 'event', 'queueRequest', 'put', 'invocation'];

/** USD of a million, and units of one; both of the whole time, where the case has one. */
export function figuresOf({ per, bill }: MeasuredRow): Record<string, number> {
  const one = per === 'million' ? bill.times(1e-6) : bill;
  const units = shown.map((meter) => [meters[meter].title, rounded(one.units(meter))]);
  return { USD: rounded(bill.usd), ...Object.fromEntries(units) };
}

/** Writes the table into docs/cost.md. */
export function writePage(rows: readonly MeasuredRow[]): void {
  const header = ['case', 'USD', ...shown.map((meter) => meters[meter].title)];
  const table = markdownTable(
    header,
    rows.map((row) => [row.title, ...Object.values(figuresOf(row)).map(String)]),
  );
  writeFileSync(file, readFileSync(file, 'utf8').replace(SECTION, `\n${table}\n\n`));
}

/** The USD of each case, by its title, as docs/cost.md has them. */
export function readUsd(): Map<string, number> {
  const [section = ''] = SECTION.exec(readFileSync(file, 'utf8')) ?? [];
  const lines = section.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return new Map(
    lines.flatMap(([, title = '', usd = '']) => (Number(usd) > 0 ? [[title, Number(usd)]] : [])),
  );
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
