import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClaimSchema } from '../documents/model.ts';
import type { DocumentClaimTable } from '../documents/ports.ts';
import { expiresAt } from './expiry.ts';
import { updateVersionedItem } from './versioned-item.ts';

/** Days after which nobody has a use for a claim any more: far longer than it holds. */
const KEPT_DAYS = 1;

/** The claims of documents, in the Commands table: see `documentClaimKey`. */
export function createDocumentClaimTable(
  client: DynamoDBDocumentClient,
  tableName: string,
): DocumentClaimTable {
  return {
    update: (key, change) =>
      updateVersionedItem(
        {
          client,
          tableName,
          key: { commandId: key },
          read: (item) => documentClaimSchema.parse(item),
          write: (claim) => ({ ...claim, expiresAt: expiresAt(claim.until, KEPT_DAYS) }),
        },
        change,
      ),
  };
}
