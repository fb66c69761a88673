import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  type CommandPlan,
  commandPlanSchema,
  type LockRecord,
  lockRecordSchema,
  type RequestRecord,
  requestSchema,
} from '../requests/model.ts';
import type { LockTable, RequestTable } from '../requests/ports.ts';
import { isOpen } from '../requests/rules/states.ts';
import { expiresAt, getItems, type Item } from './items.ts';
import { partition, queryPage } from './query.ts';
import { packed, readEach, recordReader, unpacked } from './records.ts';
import { createRequestNotes } from './request-notes.ts';
import { versionedItems } from './versioned-items.ts';

/** The index has only this partition: few requests are open at a time. */
const OPEN = 'yes';

/**
 * The Requests table. A request has the attributes of `RequestRecord`, the key `recordId`, and `expiresAt` (TTL), counted
 * from `createdAt`. After `keptDays` the same command counts as a new one. Its sparse index `open` contains open requests in
 * the order of `touchedAt`. A command's plan has the `recordId` `plan#` + `planKey`.
 */
export function createRequestTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): RequestTable {
  const table = { client, tableName };
  const read = recordReader(tableName, 'recordId', (item) => requestSchema.parse(unpacked(item)));
  const requests = versionedItems<RequestRecord>({
    ...table,
    read,
    isChangedNext: true,
    write: (request) => writeRequest(request, keptDays),
  });
  const plans = versionedItems<CommandPlan>({
    ...table,
    read: (item) => commandPlanSchema.parse(item),
    write: (plan) => ({ ...plan, expiresAt: expiresAt(Date.parse(plan.plannedAt), keptDays) }),
  });
  return {
    get: (recordId) => requests.get({ recordId }),

    update: (recordId, change) => requests.update({ recordId }, change),

    add: async (record) => {
      const { recordId } = record;
      await requests.update({ recordId }, (current) => (current === undefined ? record : undefined), 'none');
    },

    listOpen: async ({ touchedBefore, ...page }) => {
      const query = {
        IndexName: 'open',
        ...partition('open', OPEN, 'touchedAt', { below: touchedBefore }),
      };
      const { items: entries, ...rest } = await queryPage(table, query, page);
      const keys = entries.map(({ recordId }) => ({ recordId }));
      const items = (await getItems(table, keys)).filter((item) => item.open === OPEN);
      const { readable, unreadable } = readEach(items.sort(byTouchedAt), read);
      return { requests: readable, unreadable, ...rest };
    },

    getPlans: async (keys) => {
      const planIds = [...new Set(keys)].map((key) => ({ recordId: `${PLAN}${key}` }));
      // An eventually consistent read may miss a plan. The plan is not replaced then: `putPlan` returns it.
      const items = await getItems(table, planIds, { consistent: false });
      return new Map(
        items.map((item) => [String(item.recordId).slice(PLAN.length), commandPlanSchema.parse(item)]),
      );
    },

    ...createRequestNotes(table, keptDays),

    putPlan: async (key, plan) =>
      (await plans.update(
        { recordId: `${PLAN}${key}` },
        (current) => (current ? undefined : plan),
        'none',
      )) ?? plan,

    markReported: async (key, at) => {
      await plans.update({ recordId: `${PLAN}${key}` }, (current) =>
        current && current.reportedAt === undefined ? { ...current, reportedAt: at } : undefined,
      );
    },
  };
}

function byTouchedAt(a: Item, b: Item): number {
  return String(a.touchedAt) < String(b.touchedAt) ? -1 : 1;
}

/** Prefix of a plan's `recordId`. */
const PLAN = 'plan#';

function writeRequest(request: RequestRecord, keptDays: number) {
  return {
    ...packed(request, ['commands', 'rows', 'note', 'answer', 'fault', 'attempts']),
    expiresAt: expiresAt(Date.parse(request.createdAt), keptDays),
    ...(isOpen(request) && { open: OPEN }),
  };
}

/** The locks of products and documents in the Requests table, under the `recordId` `lock#` + the thing. */
export function createLockTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): LockTable {
  const locks = versionedItems<LockRecord>({
    client,
    tableName,
    read: (item) => lockRecordSchema.parse(item),
    write: (locked) => ({ ...locked, expiresAt: expiresAt(Date.parse(locked.updatedAt), keptDays) }),
  });
  return { update: (thing, change) => locks.update({ recordId: `lock#${thing}` }, change) };
}
