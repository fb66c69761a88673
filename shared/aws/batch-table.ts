import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import {
  type BatchRecord,
  type BatchState,
  batchRecordSchema,
  batchStateSchema,
  listedBatchSchema,
} from '../batches/model.ts';
import type { BatchQuery, BatchTable } from '../batches/ports.ts';
import { dueSince } from '../batches/rules/announcements.ts';
import { type SentRows, sentRowsSchema } from '../batches/rules/sent-rows.ts';
import { jsonBytes } from '../collections/packer.ts';
import type { PageRequest } from '../collections/page-request.ts';
import type { IsoTime } from '../time/times.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { expiresAt, getItem, getItems, type Item, putItem, type Table } from './items.ts';
import { partition, queryPage } from './query.ts';
import { packed, readEach, recordReader, unpacked } from './records.ts';
import { versionedItems } from './versioned-items.ts';

const linkSchema = z.object({ linkedBatchId: z.string() });

/** Keys of items that are not batches begin with these prefixes. Such items have no attributes of a batch, so no index contains them. */
const LINK_PREFIX = 'request:';
const ROWS_PREFIX = 'rows:';

function isBatchId(batchId: string): boolean {
  return !batchId.startsWith(LINK_PREFIX) && !batchId.startsWith(ROWS_PREFIX);
}

function linkKey(requestId: string) {
  return { batchId: `${LINK_PREFIX}${requestId}` };
}

function linkItem(requestId: string, linkedBatchId: string, keptDays: number): Item {
  return { ...linkKey(requestId), linkedBatchId, expiresAt: expiresAt(Date.now(), keptDays) };
}

/**
 * The Batches table. Its global indexes `byStore` and `byState` are in the order of `submittedAt`. They contain only keys, so that the
 * end of a batch changes few entries. A batch is kept for `keptDays` from its end, a final summary without a batch for
 * `unmatchedKeptDays`.
 */
export function createBatchTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
  unmatchedKeptDays = keptDays,
): BatchTable {
  const table = { client, tableName };
  const read = recordReader(tableName, 'batchId', (item) => batchRecordSchema.parse(unpacked(item)));
  const readListed = recordReader(tableName, 'batchId', (item) => listedBatchSchema.parse(listed(item)));
  const batches = versionedItems<BatchRecord>({
    ...table,
    read,
    write: (batch) => writeBatch(batch, batch.state === UNMATCHED ? unmatchedKeptDays : keptDays),
  });
  const sentRows = versionedItems<SentRows>({
    ...table,
    read: recordReader(tableName, 'batchId', (item) => sentRowsSchema.parse(item)),
    write: (sent) => ({ ...sent, expiresAt: expiresAt(Date.now(), keptDays) }),
  });
  const readOpen = async ({ before = ALWAYS.until, ...page }: PageRequest & { before?: string } = {}) => {
    const query = {
      IndexName: 'byState',
      ...partition('listedAs', OPEN, 'submittedAt', { below: before }),
    };
    const { items: entries, ...rest } = await queryPage(table, query, page);
    const items = (await getIndexed(table, entries)).sort((a, b) => (a.submittedAt < b.submittedAt ? -1 : 1));
    return { items, ...rest };
  };
  return {
    get: async (batchId) => (isBatchId(batchId) ? batches.get({ batchId }) : undefined),
    update: async (batchId, change, known) => {
      if (isBatchId(batchId)) return batches.update({ batchId }, change, known);
      if (change(undefined) === undefined) return undefined;
      throw new Error(`no batch can have the ID ${batchId}`);
    },
    link: async (requestId, batchId) => {
      await putItem(table, linkItem(requestId, batchId, keptDays));
    },
    relink: (requestId, from, to) =>
      putItem(
        table,
        linkItem(requestId, to, keptDays),
        from === undefined
          ? { ConditionExpression: 'attribute_not_exists(batchId)' }
          : { ConditionExpression: 'linkedBatchId = :from', ExpressionAttributeValues: { ':from': from } },
      ),
    linkedTo: async (requestId) => {
      const item = await getItem(table, linkKey(requestId));
      return item && linkSchema.parse(item).linkedBatchId;
    },
    updateSentRows: (rowsKey, change) => sentRows.update({ batchId: `${ROWS_PREFIX}${rowsKey}` }, change),
    list: async (wanted) => {
      const { items, ...rest } = await listBatchItems(table, wanted);
      return { batches: items.map(readListed), ...rest };
    },
    listOpen: async (page) => {
      const { items, ...rest } = await readOpen(page);
      const open = items.filter(({ state }) => state === OPEN);
      const { readable, unreadable } = readEach(open, readListed);
      return { batches: readable, unreadable, ...rest };
    },
    listUnannounced: async ({ dueBefore, ...page }) => {
      const { items, ...rest } = await readOpen({ ...page, before: dueBefore });
      const due = items.filter((item) => {
        const [batch] = readEach([item], read).readable;
        return batch === undefined || (dueSince(batch) ?? dueBefore) < dueBefore;
      });
      return { batchIds: due.map(({ batchId }) => batchId), ...rest };
    },
  };
}

const OPEN = 'submitted' satisfies BatchState;

/** States that are kept until something changes them. */
const LASTING: ReadonlySet<BatchState> = new Set([OPEN, 'unresolved']);

/** Writes a batch. It stays listed as open until its events are published, so that its index entry moves only once. */
function writeBatch(batch: BatchRecord, keptDays: number) {
  const { state, submittedAt, completedAt = submittedAt } = batch;
  const listedAs = dueSince(batch) === undefined ? state : OPEN;
  const isLasting = LASTING.has(state) || listedAs === OPEN;
  return {
    ...packed(batch, [...ROWS_AND_FACTS, ...REPEATED]),
    listedAs,
    ...(!isLasting && { expiresAt: expiresAt(Date.parse(completedAt), keptDays) }),
  };
}

/** A list leaves out the rows and facts of a batch with more bytes of packed attributes. */
const MAX_LISTED_PACK = 20_000;

/** The item as a list has it: without the rows and facts of a very large batch. */
function listed(item: Item): Item {
  const whole = unpacked(item);
  if (!(item.packed instanceof Uint8Array) || item.packed.byteLength <= MAX_LISTED_PACK) return whole;
  const names: readonly string[] = ROWS_AND_FACTS;
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name)));
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

/** Attributes that the submission repeats, or that take fewer bytes when packed with it. */
const REPEATED = [
  'attemptId',
  'requestId',
  'commandId',
  'unconfirmedRows',
  'tries',
] as const satisfies (keyof BatchRecord)[];

/** Default batches per page. */
const DEFAULT_LIMIT = 1000;
/** Each further query examines this many batches. Further queries are needed if few batches match the filters. */
const EXAMINED_PER_QUERY = 1000;
/** Most queries of one part for one page, even if they find few batches. */
const MAX_QUERIES = 10;

/** Approximate limit of a page in bytes of JSON. A function's answer has at most 6 MB. */
const MAX_PAGE_BYTES = 3_000_000;

interface IndexedItem extends Item {
  readonly batchId: string;
  readonly submittedAt: IsoTime;
}

/**
 * The position of a page in a list: batches submitted at `until` or before, without the batches of exactly that time that are already
 * `listed`. The position stays valid when batches change their state.
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
  // DynamoDB refuses a range that ends before it begins.
  if (since !== undefined && from !== undefined && since > from.until) return { items: [] };
  const listed = new Set(from?.listed);
  const range = { since, until: from?.until, enough: listed.size + limit + 1 };
  const found = await Promise.all(partsOf(query).map((part) => findInPart(table, part, query, range)));

  // A part that was not read to its end may lack older batches.
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

/** The item as a list has it. An item that can't be unpacked stays unchanged, so that its reader reports it. */
function sizedAs(item: IndexedItem): Item {
  try {
    return listed(item);
  } catch {
    return item;
  }
}

/** The number of first items that fit into `maxBytes`, at least one. */
function countWithin(items: readonly IndexedItem[], maxBytes: number): number {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += jsonBytes(sizedAs(item));
    return bytes > maxBytes;
  });
  return end < 0 ? items.length : Math.max(1, end);
}

function positionAfter(page: readonly IndexedItem[], until: IsoTime, from: Position | undefined): Position {
  const listed = page.filter(({ submittedAt }) => submittedAt === until).map(({ batchId }) => batchId);
  return { until, listed: from?.until === until ? [...from.listed, ...listed] : listed };
}

/**
 * The newest matching batches of a partition. `readBackTo`: the time back to which the partition was read, if it was not read to its end.
 */
async function findInPart(
  table: Table,
  [name, value]: Part,
  wanted: BatchQuery,
  { enough, since = ALWAYS.since, until = ALWAYS.until }: Range,
) {
  const items: IndexedItem[] = [];
  let last: Item | undefined;
  for (let queries = 0; queries < MAX_QUERIES; queries += 1) {
    const page = await table.client.send(
      new QueryCommand({
        TableName: table.tableName,
        IndexName: name === 'storeClientId' ? 'byStore' : 'byState',
        ...partition(name, value, 'submittedAt', { from: since, to: until }),
        ScanIndexForward: false,
        Limit: queries === 0 ? enough : EXAMINED_PER_QUERY,
        ...(last && { ExclusiveStartKey: last }),
      }),
    );
    items.push(...(await getIndexed(table, page.Items ?? [])).filter((item) => matches(item, wanted)));
    last = page.LastEvaluatedKey;
    if (last === undefined || items.length >= enough) break;
  }
  return { items, readBackTo: last && String(last.submittedAt) };
}

function matches(item: Item, { storeClientId, state, kind }: BatchQuery): boolean {
  return (
    (state === undefined ? item.state !== UNMATCHED : item.state === state) &&
    (storeClientId === undefined || item.storeClientId === storeClientId) &&
    (kind === undefined || item.kind === kind) &&
    // DynamoDB deletes an expired item within a few days.
    (typeof item.expiresAt !== 'number' || item.expiresAt > Date.now() / 1000)
  );
}

/** A partition of an index: the name and value of its key. */
type Part = readonly [name: 'storeClientId' | 'listedAs', value: string];

function partsOf({ storeClientId, state }: BatchQuery): Part[] {
  if (storeClientId !== undefined) return [['storeClientId', storeClientId]];
  const states =
    state === undefined ? batchStateSchema.exclude([UNMATCHED, 'matched', 'discarded']).options : [state];
  return states.map((listedAs) => ['listedAs', listedAs]);
}

interface Range extends Pick<BatchQuery, 'since'> {
  readonly until: IsoTime | undefined;
  /** Reading ends after this many matching batches. */
  readonly enough: number;
}

const UNMATCHED = 'unmatched';
/** A range with every time in ISO 8601. */
const ALWAYS = { since: '0', until: '~' };

/** The items of entries of an index, in no order. An item that was deleted meanwhile is left out. */
async function getIndexed(table: Table, entries: readonly Item[]): Promise<IndexedItem[]> {
  const keys = [...new Set(entries.map(({ batchId }) => batchId))].map((batchId) => ({ batchId }));
  return (await getItems(table, keys)) as IndexedItem[];
}
