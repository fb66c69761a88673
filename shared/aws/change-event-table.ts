import { createHash, randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import {
  type ChangeEventRecord,
  type ChangeEventTable,
  changeEventSchema,
} from '../changes/change-events.ts';
import { packAll } from '../collections/packer.ts';
import { expiresAt, putItems } from './items.ts';
import { partition, queryPages } from './query.ts';
import { packed, unpacked } from './records.ts';

/** Limits of the JSON of one item before compression. They are far below DynamoDB's limit. */
const PACK_LIMITS = { maxItems: 1_000, maxBytes: 300_000 };
/** Most reads of 1 MB in a search for an event. */
const MOST_READS = 40;
/** Most milliseconds between two events with one ID: a command gives an event for stock and one for prices. */
const APART_MS = 60 * 60_000;

const takenSchema = z.object({ takenAt: z.string(), events: z.array(changeEventSchema) });

/**
 * The ChangeEvents table. The events of one receive are stored in few items: an item per event would cost as much as the write of its
 * listing. `shard` is computed from the event's ID; `takenAt` is the time (ISO 8601) with a unique ID. A search by ID reads its shard
 * from the newest item on. If there are very many events, the search does not find the oldest.
 */
export function createChangeEventTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): ChangeEventTable {
  const table = { client, tableName };
  return {
    putAll: async (events) => {
      const byShard = Map.groupBy(events, ({ eventId }) => shardOf(eventId));
      const items = [...byShard].flatMap(([shard, own]) =>
        packAll(own, PACK_LIMITS).map((some) => {
          const time = some[0]?.takenAt ?? '';
          const expiry = { expiresAt: expiresAt(Date.parse(time), keptDays) };
          return packed({ shard, takenAt: `${time}#${randomUUID()}`, events: some, ...expiry }, ['events']);
        }),
      );
      await putItems(table, items);
    },

    get: async (eventId) => {
      const found = new Map<string, ChangeEventRecord>();
      let oldest = '';
      let reads = 0;
      const newestFirst = queryPages(table, {
        ConsistentRead: true,
        ...partition('shard', shardOf(eventId)),
        ScanIndexForward: false,
      });
      for await (const { Items = [] } of newestFirst) {
        for (const item of Items) {
          const { takenAt, events } = takenSchema.parse(unpacked(item));
          if (takenAt < oldest) return [...found.values()];
          for (const event of events.filter((one) => one.eventId === eventId)) {
            if (!found.has(event.detailType)) found.set(event.detailType, event);
            oldest = new Date(Date.parse(event.takenAt) - APART_MS).toISOString();
          }
        }
        reads += 1;
        if (reads >= MOST_READS) break;
      }
      return [...found.values()];
    },
  };
}

/** The shard of an event, one of 16. */
function shardOf(eventId: string): string {
  return createHash('sha256').update(eventId).digest('hex').slice(0, 1);
}
