import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { batchStateSchema } from '../batches/model.ts';
import type { BatchQuery } from '../batches/ports.ts';
import { jsonBytes } from '../collections/packer.ts';
import { readCursor, writeCursor } from './page.ts';

/** Batches of a page whose request does not say how many. */
const DEFAULT_LIMIT = 1000;
/** Batches that a further query looks at: those that are asked for lie far apart then. */
const LOOKED_AT_BY_QUERY = 1000;
/** Queries of one part for one page, however far apart they lie. */
const MAX_QUERIES = 10;

/** Bytes of JSON that a page takes about: an answer of a function has 6 MB at most. */
const MAX_PAGE_BYTES = 3_000_000;

/** Batches of one partition of an index: what else is asked for filters. */
interface Part {
  readonly index: 'byStore' | 'byState';
  readonly key: Condition;
  readonly filters: readonly Condition[];
}

interface Condition {
  readonly name: 'storeClientId' | 'state' | 'kind';
  readonly operator: '=' | '<>';
  readonly value: string;
}

/** An item of an index, as far as the index itself needs it. */
interface IndexedItem extends Record<string, unknown> {
  readonly batchId: string;
  readonly submittedAt: string;
}

/** What was found in a part, newest first; `seenTo`: how far back it was looked through, where that is not to its end. */
interface Found {
  readonly items: readonly IndexedItem[];
  readonly seenTo?: string | undefined;
}

/**
 * Where a list goes on: with what was submitted `until` then, but for the batches `given` of that very time. It holds in
 * whichever state a batch is by then.
 */
const positionSchema = z.object({ until: z.string().min(1), given: z.array(z.string()) });
type Position = z.infer<typeof positionSchema>;

interface BatchesTable {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
}

/**
 * A page of items of the Batches table, newest first, as full as there are batches that are asked for: a store's, those
 * of a state, or of every state but `unmatched`. A page that is not full has a cursor only if it has 3 MB, or if thousands
 * were looked at for it.
 */
export async function listBatchItems(
  table: BatchesTable,
  query: BatchQuery,
): Promise<{ items: IndexedItem[]; cursor?: string }> {
  const { limit = DEFAULT_LIMIT, cursor, since } = query;
  const from = cursor === undefined ? undefined : readCursor(cursor, positionSchema);
  const given = new Set(from?.given);
  const range = { since, until: from?.until, enough: given.size + limit + 1 };
  const found = await Promise.all(partsOf(query).map((part) => findInPart(table, part, range)));

  const horizon = found
    .flatMap(({ seenTo = [] }) => seenTo)
    .sort()
    .at(-1);
  // One that ends meanwhile is found in both of its states.
  const once = new Map(found.flatMap(({ items }) => items).map((item) => [item.batchId, item]));
  const seen = [...once.values()]
    .filter(({ batchId, submittedAt }) => submittedAt >= (horizon ?? '') && !given.has(batchId))
    .sort((a, b) => (a.submittedAt < b.submittedAt ? 1 : -1));
  const items = seen.slice(0, Math.min(limit, countWithin(seen, MAX_PAGE_BYTES)));
  const until = seen.length > items.length ? items.at(-1)?.submittedAt : horizon;
  return { items, ...(until !== undefined && { cursor: writeCursor(positionAfter(items, until, from)) }) };
}

/** How many of the items, the first ones, take so many bytes together; one at least. */
function countWithin(items: readonly IndexedItem[], maxBytes: number): number {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += jsonBytes(item);
    return bytes > maxBytes;
  });
  return end < 0 ? items.length : Math.max(1, end);
}

function positionAfter(page: readonly IndexedItem[], until: string, from: Position | undefined): Position {
  const given = page.filter(({ submittedAt }) => submittedAt === until).map(({ batchId }) => batchId);
  return { until, given: from?.until === until ? [...from.given, ...given] : given };
}

/** Only what is not asked for lies between the pages of a part. */
async function findInPart(
  { client, tableName }: BatchesTable,
  part: Part,
  { enough, ...times }: Pick<BatchQuery, 'since'> & { until: string | undefined; enough: number },
): Promise<Found> {
  const items: IndexedItem[] = [];
  let last: Record<string, unknown> | undefined;
  for (let queries = 0; queries < MAX_QUERIES; queries += 1) {
    const page = await client.send(
      new QueryCommand({
        TableName: tableName,
        ...partQuery(part, times),
        ScanIndexForward: false,
        Limit: queries === 0 ? enough : LOOKED_AT_BY_QUERY,
        ...(last && { ExclusiveStartKey: last }),
      }),
    );
    items.push(...((page.Items ?? []) as IndexedItem[]));
    last = page.LastEvaluatedKey;
    if (last === undefined || items.length >= enough) break;
  }
  return { items, ...(last && { seenTo: String(last.submittedAt) }) };
}

function partsOf({ storeClientId, state, kind }: BatchQuery): Part[] {
  const filters: Condition[] = kind === undefined ? [] : [{ name: 'kind', operator: '=', value: kind }];
  if (storeClientId !== undefined) {
    const ofState: Condition =
      state === undefined
        ? { name: 'state', operator: '<>', value: UNMATCHED }
        : { name: 'state', operator: '=', value: state };
    const key: Condition = { name: 'storeClientId', operator: '=', value: storeClientId };
    return [{ index: 'byStore', key, filters: [ofState, ...filters] }];
  }
  const states = state === undefined ? batchStateSchema.exclude([UNMATCHED]).options : [state];
  return states.map((value) => ({ index: 'byState', key: { name: 'state', operator: '=', value }, filters }));
}

const UNMATCHED = 'unmatched';

function partQuery(
  { index, key, filters }: Part,
  { since, until }: { since?: string | undefined; until: string | undefined },
) {
  const conditions = [key, ...filters];
  const asText = ({ name, operator }: Condition) => `#${name} ${operator} :${name}`;
  const times = {
    ...(since !== undefined && { ':since': since }),
    ...(until !== undefined && { ':until': until }),
  };
  return {
    IndexName: index,
    KeyConditionExpression: `${asText(key)}${withinTimes(times)}`,
    ...(filters.length > 0 && { FilterExpression: filters.map(asText).join(' AND ') }),
    ExpressionAttributeNames: Object.fromEntries(conditions.map(({ name }) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(conditions.map(({ name, value }) => [`:${name}`, value])),
      ...times,
    },
  };
}

/** A key takes one condition on its time. */
function withinTimes(times: { ':since'?: string; ':until'?: string }): string {
  if (times[':since'] === undefined) return times[':until'] === undefined ? '' : ' AND submittedAt <= :until';
  return times[':until'] === undefined
    ? ' AND submittedAt >= :since'
    : ' AND submittedAt BETWEEN :since AND :until';
}
