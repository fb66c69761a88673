import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { commandClaimSchema } from '../commands/model.ts';
import type { ClaimTable } from '../commands/ports.ts';
import { claimed } from '../commands/rules/claim.ts';
import { expiresAt } from './expiry.ts';
import { updateVersionedItem } from './versioned-item.ts';

/** As long as a command's steps are remembered. */
const KEPT_DAYS = 30;

/** The claims of commands, in the Commands table: `commandId` holds `{storeClientId}#{commandId}#claim#{detailType}`. */
export function createClaimTable(client: DynamoDBDocumentClient, tableName: string): ClaimTable {
  return {
    claim: async (key, claim) => {
      const options = {
        client,
        tableName,
        key: { commandId: key },
        read: (item: Record<string, unknown>) => commandClaimSchema.parse(item),
        write: () => ({ ...claim, expiresAt: expiresAt(Date.parse(claim.claimedAt), KEPT_DAYS) }),
      };
      const first = await updateVersionedItem(options, (current) => claimed(current, claim), 'none');
      return first ?? claim;
    },
  };
}
