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
import { readEach, recordReader } from './read-record.ts';

const linkSchema = z.object({ linkedBatchId: z.string() });

const LINK_PREFIX = 'request:';

/** Key of a link, an item beside the batches. It has none of their attributes, so no index contains it. */
function linkKey(requestId: string) {
  return { batchId: `${LINK_PREFIX}${requestId}` };
}

/**
 * The Batches table. Its global indexes `byStore` and `byState` are in the order of `submittedAt`. Its sparse index
 * `unannounced` contains batches whose events are not published yet.
 */
export function createBatchTable(client: DynamoDBDocumentClient, tableName: string): BatchTable {
  const table = { client, tableName };
  const read = recordReader(tableName, 'batchId', (item) => batchRecordSchema.parse(unpacked(item)));
  // Without the packed attributes, which are too large for a page.
  const readListed = recordReader(tableName, 'batchId', (item) => listedBatchSchema.parse(item));
  const batches = versionedItems<BatchRecord>({ ...table, read, write: writeBatch });
  const query = (input: Partial<QueryCommandInput>, page: PageRequest = {}) =>
    readPage(client, new QueryCommand({ TableName: tableName, ...input, ...pageOptions(page) }));
  return {
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

/** One partition is enough: batches leave the index as soon as their events are published. */
const UNANNOUNCED = 'yes';

function writeBatch(batch: BatchRecord) {
  const since = dueSince(batch);
  return {
    ...packed(batch, ROWS_AND_FACTS),
    ...(since !== undefined && { unannounced: UNANNOUNCED, dueSince: since }),
  };
}

/** Attributes that grow with the number of failed rows. No index has them in its key. */
const ROWS_AND_FACTS = [
  'commandIds',
  'rejectedRows',
  'unknownRows',
  'submission',
  'finalSummary',
  'resolution',
  'contradictions',
] as const satisfies (keyof BatchRecord)[];

/** Default batches per page. */
const DEFAULT_LIMIT = 1000;
/** Batches that each further query examines. It is needed when few batches match the filters. */
const EXAMINED_PER_QUERY = 1000;
/** Most queries of one part for one page, even if they find few batches. */
const MAX_QUERIES = 10;

/** Approximate limit of a page in bytes of JSON. A function's answer has 6 MB at most. */
const MAX_PAGE_BYTES = 3_000_000;

/** A query of one partition of an index. */
interface Part {
  readonly index: 'byStore' | 'byState';
  readonly key: Condition;
  readonly filters: readonly Condition[];
}

type Condition = readonly [name: 'storeClientId' | 'state' | 'kind', operator: '=' | '<>', value: string];

interface IndexedItem extends Item {
  readonly batchId: string;
  readonly submittedAt: string;
}

/**
 * The position of a page in a list: batches submitted at `until` or before, without those of that very time that are
 * `listed` already. It stays valid when batches change their state.
 */
const positionSchema = z.object({ until: z.string().min(1), listed: z.array(z.string()) });
type Position = z.infer<typeof positionSchema>;

/**
 * A page of the Batches table, newest first: batches of a store, of a state, or of every state but `unmatched`. A page
 * that is not full has a cursor only if it has 3 MB, or if thousands of batches were examined for it.
 */
export async function listBatchItems(
  table: Table,
  query: BatchQuery,
): Promise<{ items: IndexedItem[]; cursor?: string }> {
  const { limit = DEFAULT_LIMIT, cursor, since } = query;
  const from = cursor === undefined ? undefined : readCursor(cursor, positionSchema);
  const listed = new Set(from?.listed);
  const range = { since, until: from?.until, enough: listed.size + limit + 1 };
  const found = await Promise.all(partsOf(query).map((part) => findInPart(table, part, range)));

  // Older batches of some part may be missing: it was not read to its end.
  const completeSince = found
    .flatMap(({ readBackTo = [] }) => readBackTo)
    .sort()
    .at(-1);
  // A batch that ends between the queries is found in both of its states.
  const once = new Map(found.flatMap(({ items }) => items).map((item) => [item.batchId, item]));
  const complete = [...once.values()]
    .filter(({ batchId, submittedAt }) => submittedAt >= (completeSince ?? '') && !listed.has(batchId))
    .sort((a, b) => (a.submittedAt < b.submittedAt ? 1 : -1));
  const items = complete.slice(0, Math.min(limit, countWithin(complete, MAX_PAGE_BYTES)));
  const until = complete.length > items.length ? items.at(-1)?.submittedAt : completeSince;
  return { items, ...(until !== undefined && { cursor: writeCursor(positionAfter(items, until, from)) }) };
}

/** The number of first items that fit into `maxBytes`, at least one. */
function countWithin(items: readonly IndexedItem[], maxBytes: number): number {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += jsonBytes(item);
    return bytes > maxBytes;
  });
  return end < 0 ? items.length : Math.max(1, end);
}

function positionAfter(page: readonly IndexedItem[], until: string, from: Position | undefined): Position {
  const listed = page.filter(({ submittedAt }) => submittedAt === until).map(({ batchId }) => batchId);
  return { until, listed: from?.until === until ? [...from.listed, ...listed] : listed };
}

/** The newest matching batches of a part. `readBackTo`: the time back to which the part was read, if not to its end. */
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
        Limit: queries === 0 ? enough : EXAMINED_PER_QUERY,
        ...(last && { ExclusiveStartKey: last }),
      }),
    );
    items.push(...((page.Items ?? []) as IndexedItem[]));
    last = page.LastEvaluatedKey;
    if (last === undefined || items.length >= enough) break;
  }
  return { items, readBackTo: last && String(last.submittedAt) };
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
/** Strings that sort before and after every time in ISO 8601. */
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
