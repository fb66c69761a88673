import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  type Rejection,
  type RejectionKey,
  type RejectionTable,
  rejectionSchema,
} from '../rejections/model.ts';
import { keyedRejections, keyText } from '../rejections/rules/keys.ts';
import { deleteItems, expiresAt, type Item, putItems } from './items.ts';
import { partition, queryPage, queryPages } from './query.ts';

/** Most rejections listed of one command or event. */
const MOST_OF_SOURCE = 1_000;

/** Later than each time in a `rejectionId`. */
const END = '~';
/** Of DynamoDB's 2,048 for a partition key. A longer key comes from no row that was sent. */
const MOST_KEY_BYTES = 2_000;

/**
 * The Rejections table. A rejection is one item in the partition of its store, and one in a partition of its store for each thing
 * that it is about or comes from: no global index is needed, and a read after the write finds it. The global index `bySource` has
 * only the first, by the command, or else the event, that was rejected.
 */
export function createRejectionTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): RejectionTable {
  const table = { client, tableName };
  return {
    putAll: async (rejections, withdrawn = []) => {
      await putItems(
        table,
        itemsOf(rejections).map((item) => ({
          ...item,
          // Not from `rejectedAt`, which may be the time of a command: that may be long past.
          expiresAt: expiresAt(Date.now(), keptDays),
        })),
      );
      const keys = itemsOf(withdrawn).map(({ storeClientId, rejectionId }) => ({
        storeClientId,
        rejectionId,
      }));
      await deleteItems(table, keys);
    },

    listOf: async (sourceId) => {
      const rejections: Rejection[] = [];
      const pages = queryPages(table, {
        IndexName: 'bySource',
        ...partition('sourceId', sourceId),
        Limit: MOST_OF_SOURCE,
      });
      for await (const { Items = [] } of pages) {
        rejections.push(...Items.map((item) => rejectionSchema.parse(item)));
        if (rejections.length >= MOST_OF_SOURCE) break;
      }
      return rejections.slice(0, MOST_OF_SOURCE);
    },

    list: async (storeClientId, { about, code, since, newestFirst = false, ...page } = {}) => {
      const range = since === undefined ? undefined : { from: since, to: END };
      const query = partition('storeClientId', partitionOf(storeClientId, about), 'rejectionId', range);
      const { items, ...rest } = await queryPage(
        table,
        {
          ...query,
          ...(code !== undefined && {
            FilterExpression: '#code = :code',
            ExpressionAttributeNames: { ...query.ExpressionAttributeNames, '#code': 'code' },
            ExpressionAttributeValues: { ...query.ExpressionAttributeValues, ':code': code },
          }),
          ScanIndexForward: !newestFirst,
          ConsistentRead: true,
        },
        page,
      );
      return { rejections: items.map((item) => rejectionSchema.parse({ ...item, storeClientId })), ...rest };
    },
  };
}

/** The length keeps a store with `#` in its ID from another's partition. */
function partitionOf(storeClientId: string, about: RejectionKey | undefined): string {
  return about === undefined
    ? storeClientId
    : `about#${storeClientId.length}#${storeClientId}#${keyText(about)}`;
}

/** The items of rejections, once each: DynamoDB refuses a batch write with the same key twice. */
function itemsOf(rejections: readonly Rejection[]): Item[] {
  const items = rejections.flatMap((rejection) => [itemOf(rejection), ...keyedItemsOf(rejection)]);
  return [...new Map(items.map((item) => [`${item.storeClientId}\n${item.rejectionId}`, item])).values()];
}

function keyedItemsOf(of: Rejection): Item[] {
  return keyedRejections(of).flatMap(({ key, rejection }) => {
    const storeClientId = partitionOf(of.storeClientId, key);
    return Buffer.byteLength(storeClientId) > MOST_KEY_BYTES ? [] : [{ ...rejection, storeClientId }];
  });
}

function itemOf(rejection: Rejection): Item {
  const { commandId, eventId } = rejection;
  const sourceId = commandId ?? eventId;
  return { ...rejection, ...(sourceId !== undefined && { sourceId }) };
}
