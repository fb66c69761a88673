import { randomUUID } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { ConnectorError } from '../errors/connector-error.ts';
import { getItem, type Item, type Table } from './items.ts';

/** How often a writer that meets another one tries anew. */
const MAX_TRIES = 20;

export interface VersionedItemsOptions<T> extends Table {
  /** Reads an item of the table; throws on one that is none of ours. */
  readonly read: (item: Item) => T;
  /** The item's attributes but its key and its guards. */
  readonly write: (value: T) => Item;
}

/** An item together with what guards its next write. */
interface VersionedItem<T> {
  readonly value: T;
  readonly revision: number;
}

type Key = Readonly<Record<string, string>>;

export interface VersionedItems<T> {
  /** Strongly consistent. */
  get(key: Key): Promise<T | undefined>;
  /**
   * Applies `change` to an item and stores the result under the condition that no other write came in between; else
   * reads anew and tries again. Begins with `known` instead of a read where it is given (`none`: there was no item).
   * `change` returns `undefined` to leave the item as it is.
   *
   * @returns the item as it then stands
   * @throws ConnectorError `WRITE_CONTENTION` (retryable) when others kept coming between
   */
  update(
    key: Key,
    change: (current: T | undefined) => T | undefined,
    known?: VersionedItem<T> | 'none',
  ): Promise<T | undefined>;
}

/** The items of a table that several writers change, each guarded by its `revision` and the ID of its last write. */
export function versionedItems<T>(options: VersionedItemsOptions<T>): VersionedItems<T> {
  const read = async (key: Key): Promise<VersionedItem<T> | undefined> => {
    const item = await getItem(options, key);
    return item && { value: options.read(item), revision: revisionOf(item) };
  };
  return {
    get: async (key) => (await read(key))?.value,

    update: async (key, change, known) => {
      let current = known === 'none' ? undefined : (known ?? (await read(key)));
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const value = change(current?.value);
        if (value === undefined) return current?.value;
        if (await putIfUnchanged(options, key, value, current?.revision)) return value;
        current = await read(key);
      }
      throw new ConnectorError(`${options.tableName} ${JSON.stringify(key)} was written too often`, {
        code: 'WRITE_CONTENTION',
        retryable: true,
      });
    },
  };
}

/** The guard of an item as read by another call, a query for instance. */
export function revisionOf(item: Item): number {
  return typeof item.revision === 'number' ? item.revision : 0;
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
      : {
          ConditionExpression: '#revision = :revision',
          ExpressionAttributeNames: { '#revision': 'revision' },
          ExpressionAttributeValues: { ':revision': revision },
        };
  const Item = { ...options.write(value), ...key, revision: (revision ?? 0) + 1, writeId };
  try {
    await options.client.send(new PutCommand({ TableName: options.tableName, Item, ...condition }));
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The SDK repeats a write whose answer was lost: the condition then fails against our own write.
    return (await getItem(options, key))?.writeId === writeId;
  }
}

/** Bytes of JSON from which on an item is packed: an item of DynamoDB holds 400 KB. */
const PACK_FROM_BYTES = 200_000;
/** Lists that say the same of many rows shrink tenfold even so; a better quality takes far longer. */
const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** The item as it is to be written: where it is too large for plain attributes, those of `names` are compressed in one. */
export function packed(item: Readonly<Item>, names: readonly string[]): Item {
  if (Buffer.byteLength(JSON.stringify(item)) < PACK_FROM_BYTES) return { ...item };
  const isPacked = ([name]: [string, unknown]) => names.includes(name);
  const entries = Object.entries(item);
  const plain = Object.fromEntries(entries.filter((entry) => !isPacked(entry)));
  const large = JSON.stringify(Object.fromEntries(entries.filter(isPacked)));
  return { ...plain, packed: brotliCompressSync(large, OPTIONS) };
}

/** The item as it was before `packed`. */
export function unpacked(item: Item): Item {
  const { packed: bytes, ...plain } = item;
  if (!(bytes instanceof Uint8Array)) return item;
  return { ...plain, ...JSON.parse(brotliDecompressSync(bytes).toString()) };
}
