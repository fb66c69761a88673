import * as z from 'zod';
import { failedRequestSchema } from '../attempts/model.ts';
import { commandWaitSchema, planKey } from '../requests/model.ts';
import type { Alias, RequestTable } from '../requests/ports.ts';
import { expiresAt, getItems, putItems, type Table } from './items.ts';

/** Prefixes of the `recordId` of two kinds of notes: why a command waits, and a further ID. */
const WAIT = 'wait#';
const ALIAS = 'alias#';

const aliasSchema = z.object({
  of: z.union([
    z.object({
      command: z.object({ storeClientId: z.string(), commandId: z.string(), detailType: z.string() }),
    }),
    z.object({ recordId: z.string() }),
    z.object({ failed: failedRequestSchema }),
  ]),
});

/** DynamoDB refuses a batch write with the same key twice. The last item counts. */
function distinct<T extends { readonly recordId: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.recordId, item])).values()];
}

/** Notes about commands and requests in the Requests table, besides their records. No other item depends on a note. */
export function createRequestNotes(
  table: Table,
  keptDays: number,
): Pick<RequestTable, 'putWaits' | 'getWaits' | 'putAliases' | 'aliasOf'> {
  const keptFrom = (at: string) => ({ expiresAt: expiresAt(Date.parse(at), keptDays) });
  return {
    putWaits: (waits) =>
      putItems(
        table,
        distinct(
          waits.map((wait) => ({ recordId: `${WAIT}${planKey(wait)}`, ...wait, ...keptFrom(wait.at) })),
        ),
      ),

    getWaits: async (keys) => {
      const waitIds = [...new Set(keys)].map((key) => ({ recordId: `${WAIT}${key}` }));
      const items = await getItems(table, waitIds, { consistent: false });
      return new Map(
        items.map((item) => [String(item.recordId).slice(WAIT.length), commandWaitSchema.parse(item)]),
      );
    },

    putAliases: (aliases) => {
      const kept = keptFrom(new Date().toISOString());
      return putItems(
        table,
        distinct(aliases.map(({ id, ...of }) => ({ recordId: `${ALIAS}${id}`, of, ...kept }))),
      );
    },

    aliasOf: async (id) => {
      const [item] = await getItems(table, [{ recordId: `${ALIAS}${id}` }], { consistent: false });
      return item && ({ id, ...aliasSchema.parse(item).of } as Alias);
    },
  };
}
