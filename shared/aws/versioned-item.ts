import { randomUUID } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ConnectorError } from '../errors/connector-error.ts';

/** How often a writer that meets another one tries anew. */
const MAX_TRIES = 20;

/** An item together with what guards its next write. */
export interface VersionedItem<T> {
  readonly value: T;
  readonly revision: number;
}

export interface VersionedItemOptions<T> {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly key: Record<string, string>;
  /** Reads an item of the table; throws on one that is none of ours. */
  readonly read: (item: Record<string, unknown>) => T;
  /** The item's attributes but its key and its guards. */
  readonly write: (value: T) => Record<string, unknown>;
}

/**
 * Applies `change` to an item and stores the result under the condition that nobody wrote in between; reads anew and
 * tries again when somebody did. Begins with `known` instead of a read where it is given (`none`: there was no item).
 * `change` returns `undefined` to leave the item as it is.
 *
 * @throws ConnectorError `WRITE_CONTENTION` (retryable) when others kept coming between
 */
export async function updateVersionedItem<T>(
  options: VersionedItemOptions<T>,
  change: (current: T | undefined) => T | undefined,
  known?: VersionedItem<T> | 'none',
): Promise<T | undefined> {
  let current = known === 'none' ? undefined : (known ?? (await getVersionedItem(options)));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const value = change(current?.value);
    if (value === undefined) return current?.value;
    if (await putIfUnchanged(options, value, current?.revision)) return value;
    current = await getVersionedItem(options);
  }
  throw new ConnectorError(`${options.tableName} ${JSON.stringify(options.key)} was written too often`, {
    code: 'WRITE_CONTENTION',
    retryable: true,
  });
}

/** Strongly consistent. */
export async function getVersionedItem<T>(
  options: VersionedItemOptions<T>,
): Promise<VersionedItem<T> | undefined> {
  const item = await getItem(options);
  return item === undefined ? undefined : { value: options.read(item), revision: revisionOf(item) };
}

/** The guard of an item as read by another call, a query for instance. */
export function revisionOf(item: Record<string, unknown>): number {
  return typeof item.revision === 'number' ? item.revision : 0;
}

async function getItem<T>({ client, tableName, key }: VersionedItemOptions<T>) {
  const answer = await client.send(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
  return answer.Item;
}

async function putIfUnchanged<T>(
  options: VersionedItemOptions<T>,
  value: T,
  revision: number | undefined,
): Promise<boolean> {
  const { client, tableName, key, write } = options;
  const writeId = randomUUID();
  const [keyName] = Object.keys(key);
  try {
    await client.send(
      new PutCommand({
        TableName: tableName,
        Item: { ...write(value), ...key, revision: (revision ?? 0) + 1, writeId },
        ConditionExpression: revision === undefined ? 'attribute_not_exists(#key)' : '#revision = :revision',
        ExpressionAttributeNames:
          revision === undefined ? { '#key': keyName ?? '' } : { '#revision': 'revision' },
        ...(revision === undefined ? {} : { ExpressionAttributeValues: { ':revision': revision } }),
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The SDK repeats a write whose answer was lost: the condition then fails against our own write.
    return (await getItem(options))?.writeId === writeId;
  }
}

/** Bytes of JSON from which on an item is packed: an item of DynamoDB holds 400 KB. */
const PACK_FROM_BYTES = 200_000;
/** Lists that say the same of many rows shrink tenfold even so; a better quality takes far longer. */
const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** The item as it is to be written: where it is too large for plain attributes, those of `names` are compressed in one. */
export function packed(
  item: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  if (Buffer.byteLength(JSON.stringify(item)) < PACK_FROM_BYTES) return { ...item };
  const isPacked = ([name]: [string, unknown]) => names.includes(name);
  const entries = Object.entries(item);
  const plain = Object.fromEntries(entries.filter((entry) => !isPacked(entry)));
  const large = JSON.stringify(Object.fromEntries(entries.filter(isPacked)));
  return { ...plain, packed: brotliCompressSync(large, OPTIONS) };
}

/** The item as it was before `packed`. */
export function unpacked(item: Record<string, unknown>): Record<string, unknown> {
  const { packed: bytes, ...plain } = item;
  if (!(bytes instanceof Uint8Array)) return item;
  return { ...plain, ...JSON.parse(brotliDecompressSync(bytes).toString()) };
}
