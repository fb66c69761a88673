import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type CommandStep, commandStepSchema } from '../commands/model.ts';
import type { CommandTable } from '../commands/ports.ts';
import { isOpen } from '../commands/rules/steps.ts';
import { expiresAt } from './expiry.ts';
import { cursorOf, pageOptions } from './page.ts';
import { namingRecord, readEach } from './read-record.ts';
import { packed, unpacked, updateVersionedItem } from './versioned-item.ts';

/** How long a command is remembered: the same command given later than that is a new one. */
const KEPT_DAYS = 30;

/**
 * The Commands table. An item has the attributes of `CommandStep` by the same names, with `commandId` as its key,
 * `expiresAt` (TTL) counted from `startedAt`, and the guards of a versioned item, `revision` and `writeId`. Open steps
 * are in its sparse index `open`, in the order of `begunAt`.
 */
export function createCommandTable(client: DynamoDBDocumentClient, tableName: string): CommandTable {
  const read = namingRecord(tableName, 'commandId', readStep);
  return {
    update: (commandId, change) =>
      updateVersionedItem({ client, tableName, key: { commandId }, read, write: writeStep }, change),

    listOpen: async ({ begunBefore, ...page }) => {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'open',
          KeyConditionExpression: '#open = :open AND begunAt < :begunBefore',
          ExpressionAttributeNames: { '#open': 'open' },
          ExpressionAttributeValues: { ':open': OPEN, ':begunBefore': begunBefore },
          ...pageOptions(page),
        }),
      );
      const { readable, unreadable } = readEach(Items, read);
      return { steps: readable, unreadable, ...cursorOf(LastEvaluatedKey) };
    },
  };
}

/** The one partition of the index: what is open is little. */
const OPEN = 'yes';

function readStep(item: Record<string, unknown>): CommandStep {
  return commandStepSchema.parse(unpacked(item));
}

function writeStep(step: CommandStep) {
  return {
    ...packed(step, ['request', 'answer', 'rejections', 'ifNeverSent']),
    expiresAt: expiresAt(Date.parse(step.startedAt), KEPT_DAYS),
    ...(isOpen(step) && { open: OPEN }),
  };
}
