import { isDeepStrictEqual } from 'node:util';
import { itemSize, type StoredItem } from './item-size.ts';

interface KeySchema {
  readonly AttributeName: string;
}

interface Index {
  readonly KeySchema: readonly KeySchema[];
  readonly Projection: { readonly ProjectionType?: string; readonly NonKeyAttributes?: readonly string[] };
}

/** A table as `DescribeTable` gives it. */
export interface DescribedTable {
  readonly KeySchema: readonly KeySchema[];
  readonly LocalSecondaryIndexes?: readonly Index[];
  readonly GlobalSecondaryIndexes?: readonly Index[];
}

const UNIT_BYTES = 1024;

function unitsOf(item: StoredItem | undefined): number {
  return item === undefined ? 0 : Math.ceil(itemSize(item) / UNIT_BYTES);
}

/** Write units of a write whose condition did not hold. */
export function refusedWriteUnits(before: StoredItem | undefined): number {
  return Math.max(1, unitsOf(before));
}

/**
 * Write units of one write: by the larger of the item before and after, and the same for the item's entry in each
 * index, where that changed. An entry whose key changed is deleted and written.
 */
export function writeUnits(
  table: DescribedTable,
  before: StoredItem | undefined,
  after: StoredItem | undefined,
): number {
  const indexes = [...(table.LocalSecondaryIndexes ?? []), ...(table.GlobalSecondaryIndexes ?? [])];
  const ofIndexes = indexes.map((index) =>
    indexUnits(entryOf(table, index, before), entryOf(table, index, after), index),
  );
  return Math.max(1, unitsOf(before), unitsOf(after)) + ofIndexes.reduce((sum, units) => sum + units, 0);
}

function indexUnits(before: StoredItem | undefined, after: StoredItem | undefined, index: Index): number {
  if (before === undefined || after === undefined) return unitsOf(before ?? after);
  if (isDeepStrictEqual(before, after)) return 0;
  const isSameKey = index.KeySchema.every(({ AttributeName: name }) =>
    isDeepStrictEqual(before[name], after[name]),
  );
  return isSameKey ? Math.max(unitsOf(before), unitsOf(after)) : unitsOf(before) + unitsOf(after);
}

/** The projection of an item into an index; `undefined` where it lacks one of the index's keys. */
function entryOf(table: DescribedTable, index: Index, item: StoredItem | undefined): StoredItem | undefined {
  const keys = index.KeySchema.map(({ AttributeName }) => AttributeName);
  if (item === undefined || keys.some((name) => item[name] === undefined)) return undefined;
  const { ProjectionType = 'ALL', NonKeyAttributes = [] } = index.Projection;
  if (ProjectionType === 'ALL') return item;
  const names = [...keys, ...table.KeySchema.map(({ AttributeName }) => AttributeName), ...NonKeyAttributes];
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}
