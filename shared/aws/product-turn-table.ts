import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ProductTurnTable } from '../products/ports.ts';
import { productTurnSchema } from '../products/turn.ts';
import { expiresAt } from './expiry.ts';
import { updateVersionedItem } from './versioned-item.ts';

/** Longer than any command waits in its queue. */
const KEPT_DAYS = 30;

/** The turns of products, in the Commands table: `commandId` holds `{storeClientId}#product#{productId}`. */
export function createProductTurnTable(client: DynamoDBDocumentClient, tableName: string): ProductTurnTable {
  return {
    update: (key, change) =>
      updateVersionedItem(
        {
          client,
          tableName,
          key: { commandId: key },
          read: (item) => productTurnSchema.parse(item),
          write: (turn) => ({ ...turn, expiresAt: expiresAt(Date.parse(turn.updatedAt), KEPT_DAYS) }),
        },
        change,
      ),
  };
}
