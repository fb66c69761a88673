import { sumOf } from '../../shared/collections/counts.ts';
import type { Comparison, RowDifference } from '../reconcile/reconcile-rows.ts';
import type { InvalidRow } from '../reconcile/wanted-rows.ts';
import type { Terminal } from '../terminal.ts';
import { valueText } from './drift.ts';
import { table } from './table.ts';

/** Rows of a table on the terminal: `--out` and `--json` have all. */
const MOST_SHOWN = 50;

/** Rows by their outcome. */
export type Counts = Readonly<
  Record<'rows' | 'equal' | 'different' | 'missing' | 'unread' | 'invalid' | 'sent', number>
>;

export function countsOf({ equal, differences, missing, unread, invalid, sent }: Comparison): Counts {
  const counts = {
    equal: equal.length,
    different: new Set(differences.map(({ line }) => line)).size,
    missing: missing.length,
    unread: unread.length,
    invalid: invalid.length,
  };
  return { rows: sumOf(counts), ...counts, sent };
}

/** `rows 5, equal 2, different 1, missing 1, unread 0, invalid 1, sent 0`. */
export function countsText(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

/** The report for a person: differences, rows that were not compared, and the counts. */
export function renderComparison(
  comparison: Comparison,
  terminal: Pick<Terminal, 'width' | 'style'>,
  saved: string | undefined,
): string {
  const { differences, missing, unread, invalid } = comparison;
  const left: InvalidRow[] = [
    ...missing.map((row) => ({ ...row, message: 'the marketplace has no such product' })),
    ...unread.map((row) => ({ ...row, message: 'it was not read' })),
    ...invalid,
  ];
  return [
    ...cut(terminal, ['LINE', 'PRODUCT', 'VALUE', 'WANTED', 'LIVE'], differences.map(differenceCells)),
    ...cut(
      terminal,
      ['LINE', 'PRODUCT', 'NOT COMPARED'],
      left.sort((one, other) => (one.line ?? Infinity) - (other.line ?? Infinity)).map(leftCells),
    ),
    countsText(countsOf(comparison)),
    ...(saved === undefined ? [] : [saved]),
  ].join('\n');
}

function cut(
  terminal: Pick<Terminal, 'width' | 'style'>,
  head: readonly string[],
  rows: readonly string[][],
): string[] {
  if (rows.length === 0) return [];
  const more = rows.length - MOST_SHOWN;
  return [
    table(terminal, head, rows.slice(0, MOST_SHOWN)),
    ...(more > 0 ? [`and ${more} more: --json has all`] : []),
    '',
  ];
}

function differenceCells({ line, target, register, wanted, live }: RowDifference): string[] {
  return [
    String(line),
    target,
    register,
    valueText(wanted),
    live === undefined ? 'not shown' : valueText(live),
  ];
}

function leftCells({ line, target = '', message }: InvalidRow): string[] {
  return [String(line ?? ''), target, message];
}
