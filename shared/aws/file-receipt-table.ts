import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type FileReceiptTable, fileReceiptSchema } from '../changes/file-receipts.ts';
import { expiresAt, putItems } from './items.ts';
import { partition, queryPages } from './query.ts';
import { packed, unpacked } from './records.ts';

/** Digits of the number of a message in its key. */
const DIGITS = 12;

/**
 * Receipts in the ChangeEvents table. The receipts of a file have the `shard` `file#` + `importId`, and are kept as long as records of
 * imports.
 */
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
        receipts.map((receipt) =>
          packed(
            {
              ...receipt,
              shard: shardOf(receipt.importId),
              takenAt: String(receipt.message).padStart(DIGITS, '0'),
              expiresAt: expiresAt(now, keptDays),
            },
            ['open', 'rejectedLines'],
          ),
        ),
      ),

    pages: async function* (importId) {
      const pages = queryPages(table, { ConsistentRead: true, ...partition('shard', shardOf(importId)) });
      for await (const { Items = [] } of pages) {
        yield Items.map((item) => fileReceiptSchema.parse(unpacked(item)));
      }
    },
  };
}
