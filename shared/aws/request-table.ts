import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type CommandPlan, commandPlanSchema, type RequestRecord, requestSchema } from '../requests/model.ts';
import type { RequestTable } from '../requests/ports.ts';
import { isOpen } from '../requests/rules/states.ts';
import { expiresAt } from './expiry.ts';
import { cursorOf, pageOptions } from './page.ts';
import { namingRecord, readEach } from './read-record.ts';
import { getItems } from './until-processed.ts';
import { getVersionedItem, packed, unpacked, updateVersionedItem } from './versioned-item.ts';

/** How long requests and plans are remembered: the same command given later than that is a new one. */
const KEPT_DAYS = 90;

/** The one partition of the index: few requests are open at a time. */
const OPEN = 'yes';

/**
 * The Requests table. A request has the attributes of `RequestRecord` by the same names, with `recordId` as its key,
 * `expiresAt` (TTL) counted from `createdAt`, and the guards of a versioned item, `revision` and `writeId`. Open requests
 * are in its sparse index `open`, in the order of `touchedAt`. A command's plan is an item with the `recordId`
 * `plan#` + `planKey`.
 */
export function createRequestTable(client: DynamoDBDocumentClient, tableName: string): RequestTable {
  const read = namingRecord(tableName, 'recordId', (item) => requestSchema.parse(unpacked(item)));
  const optionsOf = (recordId: string) => ({
    client,
    tableName,
    key: { recordId },
    read,
    write: writeRequest,
  });
  const planOptionsOf = (key: string) => ({
    client,
    tableName,
    key: { recordId: planId(key) },
    read: (item: Record<string, unknown>) => commandPlanSchema.parse(item),
    write: (plan: CommandPlan) => ({ ...plan, expiresAt: expiresAt(Date.parse(plan.plannedAt), KEPT_DAYS) }),
  });
  return {
    get: async (recordId) => (await getVersionedItem(optionsOf(recordId)))?.value,

    update: (recordId, change) => updateVersionedItem(optionsOf(recordId), change),

    listOpen: async ({ touchedBefore, ...page }) => {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'open',
          KeyConditionExpression: '#open = :open AND touchedAt < :touchedBefore',
          ExpressionAttributeNames: { '#open': 'open' },
          ExpressionAttributeValues: { ':open': OPEN, ':touchedBefore': touchedBefore },
          ...pageOptions(page),
        }),
      );
      const { readable, unreadable } = readEach(Items, read);
      return { requests: readable, unreadable, ...cursorOf(LastEvaluatedKey) };
    },

    getPlans: async (keys) => {
      const items = await getItems(
        client,
        tableName,
        [...new Set(keys)].map((key) => ({ recordId: planId(key) })),
      );
      return new Map(
        items.map((item) => [String(item.recordId).slice(PLAN.length), commandPlanSchema.parse(item)]),
      );
    },

    putPlan: async (key, plan) => {
      const first = (current: CommandPlan | undefined) => (current === undefined ? plan : undefined);
      return (await updateVersionedItem(planOptionsOf(key), first, 'none')) ?? plan;
    },
  };
}

/** What the `recordId` of a plan begins with. */
const PLAN = 'plan#';

function planId(key: string): string {
  return `${PLAN}${key}`;
}

function writeRequest(request: RequestRecord) {
  return {
    ...packed(request, ['commands', 'rows', 'note', 'answer', 'fault']),
    expiresAt: expiresAt(Date.parse(request.createdAt), KEPT_DAYS),
    ...(isOpen(request) && { open: OPEN }),
  };
}
