import type { CheckedRow } from './check-row.ts';
import type { SeenNames } from './seen-names.ts';

export interface RowWarning {
  readonly code: string;
  readonly message: string;
}

/** White space that a reader does not see, and characters without a width. */
const UNSEEN = /^\s|\s$|\s{2}|[^\S ]|[\p{Cc}\p{Cf}]/u;
const ALL_UNSEEN = /[\p{Cc}\p{Cf}]/gu;

/** What a partner should look at in a valid row. */
export function warningsOf({ row, group }: CheckedRow, seen: SeenNames): RowWarning[] {
  const { sku } = row;
  const warnings: RowWarning[] = [];
  if (typeof sku === 'string' && UNSEEN.test(sku)) warnings.push(unseen(sku));
  for (const name of ['sku', 'id', 'externalId'] as const) {
    const value = row[name];
    if (typeof value !== 'string') continue;
    const text = name === 'sku' ? value : value.toLowerCase();
    if (seen.add(`${name}:${text}\n${group}`)) warnings.push(repeated(name, value));
  }
  return warnings;
}

function unseen(sku: string): RowWarning {
  const plain = sku.replaceAll(ALL_UNSEEN, '').replaceAll(/\s+/g, ' ').trim();
  return {
    code: 'SKU_WHITE_SPACE',
    message: `${JSON.stringify(sku)} has white space or characters that are not seen: it is another SKU than ${JSON.stringify(plain)}`,
  };
}

function repeated(name: string, value: string): RowWarning {
  return {
    code: name === 'externalId' ? 'EXTERNAL_ID_REPEATED' : `${name.toUpperCase()}_REPEATED`,
    message: `the ${name} ${JSON.stringify(value)} is in an earlier row too, with the same version: of prices and stock the smaller one counts`,
  };
}
