import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { lockedThingSchema } from '../requests/model.ts';
import type { LockTable } from '../requests/ports.ts';
import { expiresAt } from './expiry.ts';
import { updateVersionedItem } from './versioned-item.ts';

/** Longer than any command waits in its queue. */
const KEPT_DAYS = 30;

/** The locks of products and documents, in the Requests table: `recordId` holds `lock#` + the thing. */
export function createLockTable(client: DynamoDBDocumentClient, tableName: string): LockTable {
  return {
    update: (thing, change) =>
      updateVersionedItem(
        {
          client,
          tableName,
          key: { recordId: `lock#${thing}` },
          read: (item) => lockedThingSchema.parse(item),
          write: (locked) => ({ ...locked, expiresAt: expiresAt(Date.parse(locked.updatedAt), KEPT_DAYS) }),
        },
        change,
      ),
  };
}
