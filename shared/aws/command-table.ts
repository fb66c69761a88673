import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { commandStepSchema } from '../commands/model.ts';
import type { CommandTable } from '../commands/ports.ts';
import { expiresAt } from './expiry.ts';
import { updateVersionedItem } from './versioned-item.ts';

/** How long a command is remembered: the same command given later than that is a new one. */
const KEPT_DAYS = 30;

/**
 * The Commands table. An item has the attributes of `CommandStep` by the same names, with `commandId` as its key,
 * `expiresAt` (TTL) counted from `startedAt`, and the guards of a versioned item, `revision` and `writeId`.
 */
export function createCommandTable(client: DynamoDBDocumentClient, tableName: string): CommandTable {
  return {
    update: (commandId, change) =>
      updateVersionedItem(
        {
          client,
          tableName,
          key: { commandId },
          read: (item) => commandStepSchema.parse(item),
          write: (step) => ({ ...step, expiresAt: expiresAt(Date.parse(step.startedAt), KEPT_DAYS) }),
        },
        change,
      ),
  };
}
