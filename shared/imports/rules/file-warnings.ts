import { unknownFields } from '../../products/rules/unknown-fields.ts';
import { type RowWarning, type Warning, Warnings } from '../../warnings/model.ts';
import { unseenCharacters } from '../../warnings/unseen-characters.ts';
import type { CheckedRow } from './check-row.ts';

/** Most names that are remembered. They take about 100 MB. */
const MOST_NAMES = 1 << 19;

/** The warnings about rows that are sent, each with the first rows that it is about. */
export class FileWarnings {
  readonly #warnings: Warnings;
  /** Names that this invocation has seen. A repeated name is not noticed if two invocations read its rows. */
  readonly #seen = new Set<string>();

  /** @param before the warnings of the earlier parts. */
  constructor(before?: readonly Warning[]) {
    this.#warnings = new Warnings(before);
  }

  get all(): Warning[] {
    return this.#warnings.all;
  }

  add(checked: CheckedRow, number: number): void {
    for (const warning of warningsOf(checked, this.#seen)) this.#warnings.add(warning, number);
  }
}

/** The warnings about a valid row. */
function warningsOf({ row, group, version }: CheckedRow, seen: Set<string>): RowWarning[] {
  const warnings = [...unseenCharacters(row), ...(version === undefined ? unknownFields(row) : [])];
  for (const name of ['sku', 'id', 'externalId'] as const) {
    const value = row[name];
    if (typeof value !== 'string') continue;
    const text = name === 'sku' ? value : value.toLowerCase();
    const key = `${name}:${text}\n${group}`;
    if (seen.has(key)) warnings.push(repeated(name, value));
    else if (seen.size < MOST_NAMES) seen.add(key);
  }
  return warnings;
}

function repeated(name: string, value: string): RowWarning {
  return {
    code: name === 'externalId' ? 'EXTERNAL_ID_REPEATED' : `${name.toUpperCase()}_REPEATED`,
    message: `the ${name} ${JSON.stringify(value)} is in an earlier row too, with the same version: of prices and stock the smaller one counts`,
  };
}
