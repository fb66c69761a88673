import {
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import {
  type BatchRecord,
  type BatchState,
  batchRecordSchema,
  batchStateSchema,
  listedBatchSchema,
} from '../batches/model.ts';
import type { BatchQuery, BatchTable } from '../batches/ports.ts';
import { dueSince } from '../batches/rules/batch-record.ts';
import { jsonBytes } from '../collections/packer.ts';
import type { PageRequest } from '../collections/page-request.ts';
import {
  getItem,
  type Item,
  packed,
  pageOptions,
  readCursor,
  readPage,
  type Table,
  unpacked,
  versionedItems,
  writeCursor,
} from './items.ts';
import { namingRecord, readEach } from './read-record.ts';

const linkSchema = z.object({ linkedBatchId: z.string() });

const LINK_PREFIX = 'request:';

/** A link is an item beside the batches: without their attributes it is in none of the indexes. */
function linkKey(requestId: string) {
  return { batchId: `${LINK_PREFIX}${requestId}` };
}

/**
 * The Batches table, with its global indexes `byStore` and `byState`, both in the order of `submittedAt`, and
 * `unannounced`, which only has batches whose event is due.
 */
export function createBatchTable(client: DynamoDBDocumentClient, tableName: string): BatchTable {
  const table = { client, tableName };
  const read = namingRecord(tableName, 'batchId', (item) => batchRecordSchema.parse(unpacked(item)));
  // What is packed would fill a page's answer many times over.
  const readListed = namingRecord(tableName, 'batchId', (item) => listedBatchSchema.parse(item));
  const batches = versionedItems<BatchRecord>({ ...table, read, write: writeBatch });
  const query = (input: Partial<QueryCommandInput>, page: PageRequest = {}) =>
    readPage(client, new QueryCommand({ TableName: tableName, ...input, ...pageOptions(page) }));
  return {
    // No batch is kept under the key of a link.
    get: async (batchId) => (batchId.startsWith(LINK_PREFIX) ? undefined : batches.get({ batchId })),
    update: (batchId, change) => batches.update({ batchId }, change),
    link: async (requestId, linkedBatchId) => {
      const Item = { ...linkKey(requestId), linkedBatchId };
      await client.send(new PutCommand({ TableName: tableName, Item }));
    },
    linkedTo: async (requestId) => {
      const item = await getItem(table, linkKey(requestId));
      return item && linkSchema.parse(item).linkedBatchId;
    },
    list: async (wanted) => {
      const { items, ...rest } = await listBatchItems(table, wanted);
      return { batches: items.map(readListed), ...rest };
    },
    listOpen: async (page) => {
      const open = {
        IndexName: 'byState',
        KeyConditionExpression: '#state = :submitted',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':submitted': 'submitted' satisfies BatchState },
      };
      const { items, ...rest } = await query(open, page);
      const { readable, unreadable } = readEach(items, readListed);
      return { batches: readable, unreadable, ...rest };
    },
    listUnannounced: async ({ dueBefore, ...page }) => {
      const unannounced = {
        IndexName: 'unannounced',
        KeyConditionExpression: 'unannounced = :yes AND dueSince < :dueBefore',
        ExpressionAttributeValues: { ':yes': UNANNOUNCED, ':dueBefore': dueBefore },
      };
      const { items, ...rest } = await query(unannounced, page);
      return { batchIds: items.map(({ batchId }) => String(batchId)), ...rest };
    },
  };
}

/** The one partition of the index: batches leave it as soon as they are announced. */
const UNANNOUNCED = 'yes';

function writeBatch(batch: BatchRecord) {
  const since = dueSince(batch);
  return {
    ...packed(batch, ROWS_AND_FACTS),
    ...(since !== undefined && { unannounced: UNANNOUNCED, dueSince: since }),
  };
}

/** Attributes that grow with the rows that failed; no index has them in its key. */
const ROWS_AND_FACTS = [
  'commandIds',
  'rejectedRows',
  'unknownRows',
  'submission',
  'finalSummary',
  'resolution',
  'contradictions',
] as const satisfies (keyof BatchRecord)[];

/** Batches of a page whose request does not say how many. */
const DEFAULT_LIMIT = 1000;
/** Batches that a further query looks at: it is used where few batches match. */
const LOOKED_AT_BY_QUERY = 1000;
/** Queries of one part for one page, however few batches they find. */
const MAX_QUERIES = 10;

/** Bytes of JSON that a page takes about: an answer of a function has 6 MB at most. */
const MAX_PAGE_BYTES = 3_000_000;

/** Batches of one partition of an index: what else is asked for filters. */
interface Part {
  readonly index: 'byStore' | 'byState';
  readonly key: Condition;
  readonly filters: readonly Condition[];
}

type Condition = readonly [name: 'storeClientId' | 'state' | 'kind', operator: '=' | '<>', value: string];

/** An item of an index, as far as the index itself needs it. */
interface IndexedItem extends Item {
  readonly batchId: string;
  readonly submittedAt: string;
}

/**
 * Where a list goes on: with what was submitted `until` then, but for the batches `given` of that very time. It holds in
 * whichever state a batch is by then.
 */
const positionSchema = z.object({ until: z.string().min(1), given: z.array(z.string()) });
type Position = z.infer<typeof positionSchema>;

/**
 * A page of items of the Batches table, newest first, as full as there are batches that are asked for: a store's, those
 * of a state, or of every state but `unmatched`. A page that is not full has a cursor only if it has 3 MB, or if thousands
 * were looked at for it.
 */
export async function listBatchItems(
  table: Table,
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

/**
 * The matching batches of a part, newest first. No matching batch lies between two pages of a part. `seenTo`: how far back
 * the part was read, if not to its end.
 */
async function findInPart(
  { client, tableName }: Table,
  part: Part,
  { enough, ...times }: Pick<BatchQuery, 'since'> & { until: string | undefined; enough: number },
) {
  const items: IndexedItem[] = [];
  let last: Item | undefined;
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
  return { items, seenTo: last && String(last.submittedAt) };
}

function partsOf({ storeClientId, state, kind }: BatchQuery): Part[] {
  const ofKind: Condition[] = kind === undefined ? [] : [['kind', '=', kind]];
  if (storeClientId !== undefined) {
    const ofState: Condition = state === undefined ? ['state', '<>', UNMATCHED] : ['state', '=', state];
    return [{ index: 'byStore', key: ['storeClientId', '=', storeClientId], filters: [ofState, ...ofKind] }];
  }
  const states = state === undefined ? batchStateSchema.exclude([UNMATCHED, 'discarded']).options : [state];
  return states.map((value) => ({ index: 'byState', key: ['state', '=', value], filters: ofKind }));
}

const UNMATCHED = 'unmatched';
/** Before and after every time in ISO 8601. */
const ALWAYS = { since: '0', until: '~' };

function partQuery(
  { index, key, filters }: Part,
  { since = ALWAYS.since, until = ALWAYS.until }: { since?: string | undefined; until?: string | undefined },
) {
  const conditions = [key, ...filters];
  const asText = ([name, operator]: Condition) => `#${name} ${operator} :${name}`;
  return {
    IndexName: index,
    KeyConditionExpression: `${asText(key)} AND submittedAt BETWEEN :since AND :until`,
    ...(filters.length > 0 && { FilterExpression: filters.map(asText).join(' AND ') }),
    ExpressionAttributeNames: Object.fromEntries(conditions.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(conditions.map(([name, , value]) => [`:${name}`, value])),
      ':since': since,
      ':until': until,
    },
  };
}
