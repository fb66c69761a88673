import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type FileReceiptTable, fileReceiptSchema } from '../changes/file-receipts.ts';
import { expiresAt, putItems } from './items.ts';
import { partition, queryAll } from './query.ts';

/** Digits of the number of a message in its key. */
const DIGITS = 12;

/** Receipts in the ChangeEvents table for as long as the records of imports, those of a file under the `shard` `file#` + `importId`. */
export function createFileReceiptTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): FileReceiptTable {
  const table = { client, tableName };
  const shardOf = (importId: string) => `file#${importId}`;
  return {
    putAll: (receipts, now) =>
      putItems(
        table,
        receipts.map((receipt) => ({
          ...receipt,
          shard: shardOf(receipt.importId),
          takenAt: String(receipt.message).padStart(DIGITS, '0'),
          expiresAt: expiresAt(now, keptDays),
        })),
      ),

    list: async (importId) => {
      const items = await queryAll(table, { ConsistentRead: true, ...partition('shard', shardOf(importId)) });
      return items.map((item) => fileReceiptSchema.parse(item));
    },
  };
}
