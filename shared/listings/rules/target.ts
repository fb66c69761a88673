/** The fields of a row that name its target; exactly one of them is set. */
export interface TargetNames {
  readonly sku?: string | undefined;
  readonly id?: string | undefined;
  readonly externalId?: string | undefined;
}

const names = ['sku', 'id', 'externalId'] as const;

/** Writes a target as `sku:…`, `id:…` or `externalId:…` (design §4); throws `RangeError` where none is named. */
export function targetOf(row: TargetNames): string {
  const name = names.find((candidate) => row[candidate] !== undefined);
  if (name === undefined) throw new RangeError('the row names no target');
  return `${name}:${row[name]}`;
}

/** Every name that a row of an answer gives, as a target: the sku first, then the id and the externalId. */
export function targetsOf(row: TargetNames): string[] {
  return names
    .filter((name) => row[name] !== undefined && row[name] !== '')
    .map((name) => `${name}:${row[name]}`);
}

/** Reads a target back into the field that names it in a row; throws `RangeError` on anything else. */
export function fieldsOfTarget(target: string): { sku: string } | { id: string } | { externalId: string } {
  const name = names.find((candidate) => target.startsWith(`${candidate}:`));
  if (name === undefined) throw new RangeError(`not a target: ${target}`);
  const value = target.slice(name.length + 1);
  if (name === 'sku') return { sku: value };
  return name === 'id' ? { id: value } : { externalId: value };
}
