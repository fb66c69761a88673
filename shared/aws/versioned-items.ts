import { randomUUID } from 'node:crypto';
import { ConnectorError } from '../errors/connector-error.ts';
import { getItem, type Item, putItem, type Table } from './items.ts';

/** Most attempts of a write that meets concurrent writes. */
const MAX_TRIES = 20;
/** Most own writes that are kept in memory: the orders of two requests of default size. */
const MOST_WRITTEN = 200;

export interface VersionedItemsOptions<T> extends Table {
  /** Parses an item of the table; throws for an item that breaks the schema. */
  readonly read: (item: Item) => T;
  /** The item's attributes without its key, `revision` and `writeId`. Default: the value's fields. */
  readonly write?: (value: T) => Item;
  /**
   * Whether the process that writes an item usually also makes the next change. That change then needs no read. Changes must not throw,
   * as the remembered item may be old.
   */
  readonly isChangedNext?: boolean;
}

type Key = Readonly<Record<string, string>>;

export interface VersionedItems<T> {
  /** Parses an item that was read elsewhere, for example by a query. */
  read(item: Item): T;
  /** Strongly consistent. */
  get(key: Key): Promise<T | undefined>;
  /**
   * Applies `change` to an item, and stores the result if no other write came between. Otherwise reads the item again and retries. The
   * first try needs no read if it gets `known`, a value that was read or written here (`none`: no item exists). `change` returns
   * `undefined` for no change. `finish` may change the item once more before it is written.
   *
   * @returns the stored item
   * @throws ConnectorError `WRITE_CONTENTION` (retryable) when other writes came between each time
   */
  update(
    key: Key,
    change: (current: T | undefined) => T | undefined,
    known?: T | 'none',
    finish?: (next: T) => Promise<T>,
  ): Promise<T | undefined>;
  /** The condition that an item has not changed since `known` was read or written here. */
  isUnchanged(known: T): object;
}

/** Items with optimistic locking: a write is conditional on the item's `revision`, and `writeId` identifies the last write. */
export function versionedItems<T extends object>(options: VersionedItemsOptions<T>): VersionedItems<T> {
  /** The revision of each value that was read or written. The value's next write is conditional on it. */
  const revisions = new WeakMap<T, number>();
  const read = (item: Item) => {
    const value = options.read(item);
    revisions.set(value, typeof item.revision === 'number' ? item.revision : 0);
    return value;
  };
  const get = async (key: Key) => {
    const item = await getItem(options, key);
    return item && read(item);
  };
  /** The last writes of this process, by key. */
  const written = new Map<string, T>();
  return {
    read,
    get,
    isUnchanged: (known) => hasRevision(revisions.get(known)),
    update: async (key, change, known, finish = async (next) => next) => {
      const name = JSON.stringify(key);
      let own = written.get(name);
      written.delete(name);
      const start = known !== 'none' && known && revisions.has(known) ? known : own;
      let current = known === 'none' ? undefined : (start ?? (await get(key)));
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const next = change(current);
        if (next === undefined && own === undefined) return current;
        const value = next && (await finish(next));
        const revision = current && revisions.get(current);
        if (value !== undefined && (await putIfUnchanged(options, key, value, revision))) {
          revisions.set(value, (revision ?? 0) + 1);
          if (options.isChangedNext) written.set(name, value);
          for (const oldest of written.keys()) if (written.size > MOST_WRITTEN) written.delete(oldest);
          return value;
        }
        own = undefined;
        current = await get(key);
      }
      const message = `${options.tableName} ${name} has too many concurrent writes`;
      throw new ConnectorError(message, { code: 'WRITE_CONTENTION', retryable: true });
    },
  };
}

/** The condition that an item has this revision. If the revision is unknown, the condition holds for no item. */
function hasRevision(revision = -1) {
  return {
    ConditionExpression: '#revision = :revision',
    ExpressionAttributeNames: { '#revision': 'revision' },
    ExpressionAttributeValues: { ':revision': revision },
  };
}

async function putIfUnchanged<T>(
  options: VersionedItemsOptions<T>,
  key: Key,
  value: T,
  revision: number | undefined,
): Promise<boolean> {
  const writeId = randomUUID();
  const [keyName = ''] = Object.keys(key);
  const condition =
    revision === undefined
      ? { ConditionExpression: 'attribute_not_exists(#key)', ExpressionAttributeNames: { '#key': keyName } }
      : hasRevision(revision);
  const Item = { ...(options.write?.(value) ?? value), ...key, revision: (revision ?? 0) + 1, writeId };
  if (await putItem(options, Item, condition)) return true;
  // After a lost answer the SDK retries the write, and the condition fails against our own first write.
  return (await getItem(options, key))?.writeId === writeId;
}
