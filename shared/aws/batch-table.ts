import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { type BatchRecord, type BatchState, batchRecordSchema, listedBatchSchema } from '../batches/model.ts';
import type { BatchTable } from '../batches/ports.ts';
import { dueSince } from '../batches/rules/announcements.ts';
import { listBatchItems } from './batch-list.ts';
import { packed, unpacked } from './packed-item.ts';
import { cursorOf, pageOptions } from './page.ts';
import { namingRecord, readEach } from './read-record.ts';
import { getVersionedItem, updateVersionedItem, type VersionedItemOptions } from './versioned-item.ts';

const linkSchema = z.object({ linkedBatchId: z.string() });

const LINK_PREFIX = 'request:';

/** A link is an item beside the batches: without their attributes it is in none of the indexes. */
function linkKey(requestId: string) {
  return { batchId: `${LINK_PREFIX}${requestId}` };
}

/**
 * The Batches table, with its global indexes `byStore` and `byState`, both in the order of `submittedAt`, and
 * `unannounced`, which only has batches of which an event is due.
 */
export function createBatchTable(client: DynamoDBDocumentClient, tableName: string): BatchTable {
  const read = namingRecord(tableName, 'batchId', (item) => batchRecordSchema.parse(unpacked(item)));
  // What is packed would fill a page's answer many times over.
  const readListed = namingRecord(tableName, 'batchId', (item) => listedBatchSchema.parse(item));
  const optionsOf = (batchId: string): VersionedItemOptions<BatchRecord> => ({
    client,
    tableName,
    key: { batchId },
    read,
    write: writeBatch,
  });
  return {
    // No batch is kept under the key of a link.
    get: async (batchId) =>
      batchId.startsWith(LINK_PREFIX) ? undefined : (await getVersionedItem(optionsOf(batchId)))?.value,
    update: (batchId, change) => updateVersionedItem(optionsOf(batchId), change),
    link: async (requestId, linkedBatchId) => {
      const Item = { ...linkKey(requestId), linkedBatchId };
      await client.send(new PutCommand({ TableName: tableName, Item }));
    },
    linkedTo: async (requestId) => {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: linkKey(requestId), ConsistentRead: true }),
      );
      return Item === undefined ? undefined : linkSchema.parse(Item).linkedBatchId;
    },
    list: async (query) => {
      const { items, ...page } = await listBatchItems({ client, tableName }, query);
      return { batches: items.map(readListed), ...page };
    },
    listOpen: async (page) => {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'byState',
          KeyConditionExpression: '#state = :submitted',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':submitted': 'submitted' satisfies BatchState },
          ...pageOptions(page),
        }),
      );
      const { readable, unreadable } = readEach(Items, readListed);
      return { batches: readable, unreadable, ...cursorOf(LastEvaluatedKey) };
    },
    listUnannounced: async ({ dueBefore, ...page }) => {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'unannounced',
          KeyConditionExpression: 'unannounced = :yes AND dueSince < :dueBefore',
          ExpressionAttributeValues: { ':yes': UNANNOUNCED, ':dueBefore': dueBefore },
          ...pageOptions(page),
        }),
      );
      return { batchIds: Items.map(({ batchId }) => String(batchId)), ...cursorOf(LastEvaluatedKey) };
    },
  };
}

/** The one partition of the index: batches leave it as soon as they are announced. */
const UNANNOUNCED = 'yes';

function writeBatch(batch: BatchRecord) {
  const since = dueSince(batch);
  return {
    ...packed(batch, ROWS_AND_FACTS),
    ...(since !== undefined && { unannounced: UNANNOUNCED, dueSince: since }),
  };
}

/** Attributes that grow with the rows that failed; no index has them in its key. */
const ROWS_AND_FACTS = [
  'commandIds',
  'rejectedRows',
  'unknownRows',
  'submission',
  'finalSummary',
  'resolution',
  'contradictions',
] as const satisfies (keyof BatchRecord)[];
