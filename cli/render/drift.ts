import type { DriftEntry } from '../../shared/drift/rules/view.ts';
import type { OpenDifference, StoreDrift } from '../drift/read-drift.ts';
import type { Terminal } from '../terminal.ts';
import { table } from './table.ts';
import { counted, time } from './words.ts';

/** How far the verification of each store is, and below it the entries of all stores. */
export function renderDrift(stores: readonly StoreDrift[], terminal: Pick<Terminal, 'width' | 'style'>) {
  const verified = stores.map(({ storeClientId, verification: { lastCycle, verified: share } }) => [
    storeClientId,
    lastCycle === undefined ? 'none yet' : time(lastCycle.endedAt),
    share === undefined ? '' : `${share.percent} % in ${share.hours} h`,
    String(lastCycle?.missingProducts ?? ''),
    String(lastCycle?.unknownProducts ?? ''),
  ]);
  const head = ['STORE', 'LAST FULL CYCLE', 'VERIFIED', 'MISSING', 'UNKNOWN'];
  const found = stores.flatMap(({ storeClientId, entries }) =>
    entries.map((entry) => ({ storeClientId, entry })),
  );
  const { title, columns, cells } = layoutOf(found[0]?.entry);
  const rows = found.map(({ storeClientId, entry }) => [storeClientId, ...cells(entry)]);
  return [
    table(terminal, head, verified),
    rows.length === 0
      ? '\nNothing was found.'
      : `\n${table(terminal, ['STORE', ...columns], rows)}\n${counted(rows.length, title)}`,
  ].join('\n');
}

interface Layout {
  readonly title: string;
  readonly columns: readonly string[];
  readonly cells: (entry: DriftEntry) => string[];
}

const DIFFERENCES: Layout = {
  title: 'difference',
  columns: ['PRODUCT', 'VALUE', 'WANTED', 'LIVE', 'STATE'],
  cells: (entry) =>
    'register' in entry
      ? [entry.target, entry.register, valueText(entry.wanted), valueText(entry.live), stateOf(entry)]
      : [],
};
const MISSING: Layout = {
  title: 'missing product',
  columns: ['PRODUCT', 'MISSING SINCE'],
  cells: (entry) => ('target' in entry ? [entry.target, time(entry.since)] : []),
};
const UNKNOWN: Layout = {
  title: 'unknown product',
  columns: ['ID', 'SKU', 'EXTERNAL ID'],
  cells: (entry) => ('id' in entry ? [entry.id, entry.sku ?? '', entry.externalId ?? ''] : []),
};

/** One list has entries of one layout: the kinds are listed one at a time. */
function layoutOf(entry: DriftEntry | undefined): Layout {
  if (entry?.kind === 'missing-product') return MISSING;
  return entry?.kind === 'unknown-product' ? UNKNOWN : DIFFERENCES;
}

/** A value of a register; `null` is a special price that is cleared. */
export function valueText(value: number | null): string {
  return value === null ? 'none' : String(value);
}

function stateOf({ since, repairBegunAt, contestedSince }: OpenDifference): string {
  if (contestedSince !== undefined) return `contested since ${time(contestedSince)}`;
  return repairBegunAt === undefined
    ? `since ${time(since)}`
    : `since ${time(since)}, repair begun ${time(repairBegunAt)}`;
}
