import { readEach } from '../../shared/aws/records.ts';
import {
  type CommandPlan,
  type CommandWait,
  type LockRecord,
  planKey,
  type RequestRecord,
  requestSchema,
} from '../../shared/requests/model.ts';
import type { Alias, LockTable, RequestTable } from '../../shared/requests/ports.ts';
import { isOpen } from '../../shared/requests/rules/states.ts';
import { compareText, pageOf } from './page-of.ts';
import { validatingReader } from './record-reader.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

const read = validatingReader('Requests', 'recordId', requestSchema);

/** Why commands wait, by the key of their plan, and further IDs. */
interface RequestNotes {
  readonly waits: Map<string, CommandWait>;
  readonly aliases: Map<string, Alias>;
}

/** The Requests table in memory; tables over the same items are one table. */
export function inMemoryRequestTable(
  step: Step = directly,
  items: VersionedItems<RequestRecord> = new VersionedItems(),
  plans: VersionedItems<CommandPlan> = new VersionedItems(),
  { waits, aliases }: RequestNotes = { waits: new Map(), aliases: new Map() },
): RequestTable {
  const written = new Map();
  return {
    get: (recordId) =>
      step(`requests.get ${recordId}`, () => {
        const found = items.read(recordId);
        return found && read(found.value);
      }),

    update: (recordId, change) =>
      updateItem({ items, key: recordId, step, name: 'requests', written }, (current) =>
        change(current && read(current)),
      ),

    add: async (record) => {
      const added = { items, key: record.recordId, step, name: 'requests', written };
      await updateItem(added, (current) => (current === undefined ? record : undefined), 'none');
    },

    listOpen: ({ touchedBefore, ...query }) =>
      step('requests.open', () => {
        const open = items
          .all()
          .filter((found) => isOpen(found) && found.touchedAt < touchedBefore)
          .sort((a, b) => compareText(a.touchedAt, b.touchedAt));
        const { page, ...cursor } = pageOf(open, ({ recordId }) => recordId, query);
        const { readable, unreadable } = readEach(page, read);
        return { requests: readable, unreadable, ...cursor };
      }),

    getPlans: (keys) =>
      step(`plans.get ${keys.length}`, () => {
        const found = keys.flatMap((key): [string, CommandPlan][] => {
          const plan = plans.read(key);
          return plan === undefined ? [] : [[key, plan.value]];
        });
        return new Map(found);
      }),

    putWaits: (given) =>
      step(`waits.put ${given.length}`, () => {
        for (const wait of given) waits.set(planKey(wait), wait);
      }),

    getWaits: (keys) =>
      step(`waits.get ${keys.length}`, () => {
        const found = keys.flatMap((key): [string, CommandWait][] => {
          const wait = waits.get(key);
          return wait === undefined ? [] : [[key, wait]];
        });
        return new Map(found);
      }),

    putAliases: (given) =>
      step(`aliases.put ${given.length}`, () => {
        for (const alias of given) aliases.set(alias.id, alias);
      }),

    aliasOf: (id) => step(`aliases.get ${id}`, () => aliases.get(id)),

    putPlan: async (key, plan) => {
      const first = (current: CommandPlan | undefined) => (current === undefined ? plan : undefined);
      return (await updateItem({ items: plans, key, step, name: 'plans' }, first, 'none')) ?? plan;
    },

    markReported: async (key, at) => {
      await updateItem({ items: plans, key, step, name: 'plans' }, (current) =>
        current && current.reportedAt === undefined ? { ...current, reportedAt: at } : undefined,
      );
    },
  };
}

/** The locks of products and documents in memory; tables over the same items are one table. */
export function inMemoryLockTable(
  step: Step = directly,
  items: VersionedItems<LockRecord> = new VersionedItems(),
): LockTable {
  return { update: (thing, change) => updateItem({ items, key: thing, step, name: 'locks' }, change) };
}
