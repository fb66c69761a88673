import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import * as z from 'zod';
import { toDotPath } from 'zod/v4/core';
import { isStorable } from '../collections/parse-json.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import type { Item } from './items.ts';

type ReadItem<T> = (item: Item) => T;

/**
 * A reader whose errors can be logged. ConnectorError `RECORD_UNREADABLE` names the item's table, its key and the first invalid field. It
 * quotes no other value of the item.
 *
 * @param keyName the table's key attribute
 */
export function recordReader<T>(tableName: string, keyName: string, read: ReadItem<T>): ReadItem<T> {
  return (item) => {
    try {
      return read(item);
    } catch (error) {
      const key = JSON.stringify({ [keyName]: item[keyName] });
      // The error has no `cause`: a JSON parser's error quotes the text.
      throw new ConnectorError(`${tableName} ${key} can not be read: ${faultOf(error)}`, {
        code: 'RECORD_UNREADABLE',
      });
    }
  };
}

/** Reads items one by one, so that an unreadable one does not hide the others. */
export function readEach<T>(
  items: readonly Item[],
  read: ReadItem<T>,
): { readable: T[]; unreadable: unknown[] } {
  const readable: T[] = [];
  const unreadable: unknown[] = [];
  for (const item of items) {
    try {
      readable.push(read(item));
    } catch (error) {
      unreadable.push(error);
    }
  }
  return { readable, unreadable };
}

function faultOf(error: unknown): string {
  const [issue] = error instanceof z.ZodError ? error.issues : [];
  return issue === undefined ? 'its packed part' : `${toDotPath(issue.path)}: ${issue.message}`;
}

/** An item with this many bytes of JSON is packed: DynamoDB bills each started KB, and an item has at most 400 KB. */
const PACK_FROM_BYTES = 900;
/** This quality makes lists of similar rows ten times smaller; a higher one takes much longer. */
const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** An item with more levels is packed. DynamoDB takes 32 levels. */
const MAX_ITEM_LEVELS = 30;

/** The item to write. The attributes in `names` are compressed into one, unless the item is small and can be stored unchanged. */
export function packed(item: Readonly<Item>, names: readonly string[]): Item {
  const isSmall = Buffer.byteLength(JSON.stringify(item)) < PACK_FROM_BYTES;
  if (isSmall && isStorable(item, MAX_ITEM_LEVELS)) return { ...item };
  const isPacked = ([name]: [string, unknown]) => names.includes(name);
  const entries = Object.entries(item);
  const plain = Object.fromEntries(entries.filter((entry) => !isPacked(entry)));
  const large = JSON.stringify(Object.fromEntries(entries.filter(isPacked)));
  return { ...plain, packed: brotliCompressSync(large, OPTIONS) };
}

/** Reverses `packed`. */
export function unpacked(item: Item): Item {
  const { packed: bytes, ...plain } = item;
  if (!(bytes instanceof Uint8Array)) return item;
  return { ...plain, ...JSON.parse(brotliDecompressSync(bytes).toString()) };
}
