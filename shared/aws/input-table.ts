import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { mapConcurrently, READS_AT_A_TIME } from '../collections/for-each-concurrently.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import {
  hasFailed,
  type ImportRecord,
  importRecordSchema,
  isHeld,
  lastPutFirst,
  type ReadingPlaces,
  readingPlacesSchema,
  replaces,
} from '../imports/model.ts';
import type { ImportTable } from '../imports/ports.ts';
import type { IsoTime } from '../time/times.ts';
import { expiresAt, type Item, type Table } from './items.ts';
import { partition, queryPage, queryPages } from './query.ts';
import { versionedItems } from './versioned-items.ts';

/**
 * Lists in the index `byStore`: all imports of all stores, held imports, failed imports. The functions below name the lists of files with
 * one name or key. An import has its own item in each list that it belongs to. The item is put before the record is written, and stays
 * until it expires: only the record says whether an import is held now.
 */
const LISTS = { all: '#all', held: '#held', failed: '#failed' } as const;

/** The list of the imports of files with this key's file name, in any folder. */
function listOfName(key: string): string {
  return `#file:${key.slice(key.lastIndexOf('/') + 1).toLowerCase()}`;
}

/** The list of the imports of files with this key. */
function listOfKey(key: string): string {
  return `#key:${key}`;
}

/** The time of a put with S3's sequencer behind it: times have whole seconds, and the index does not order items with equal times. */
function placeInList({ putAt, announced }: ImportRecord): string {
  return announced?.sequencer === undefined ? putAt : `${putAt}#${announced.sequencer}`;
}

/** Sorts after each time. */
const END = '~';
/** Most later files of one key that are looked at. */
const MOST_PUT_AGAIN = 20;

/** Prefix of an import's `inputId`. */
const IMPORT = 'import#';

/** Files in the Inputs table, under the `inputId` `import#` + `importId`. Its index `byStore` is in the order of `putAt`. */
export function createImportTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): ImportTable {
  const table = { client, tableName };
  const records = versionedItems<ImportRecord>({
    ...table,
    // The process that reads a file writes the end of each section into its record.
    isChangedNext: true,
    read: (item) => importRecordSchema.parse(item),
    write: (file) => ({ ...file, expiresAt: expiresAt(Date.parse(file.putAt), keptDays) }),
  });
  const keyOf = (importId: string) => ({ inputId: `${IMPORT}${importId}` });
  const putInto = async (list: string, record: ImportRecord, listId: string) => {
    const { importId, putAt } = record;
    const listed: Item = {
      inputId: `${list}#${importId}`,
      importId,
      // Not the ID of a store, but of a list.
      storeClientId: listId,
      putAt: placeInList(record),
      ofStore: record.storeClientId,
      expiresAt: expiresAt(Date.parse(putAt), keptDays),
    };
    await client.send(new PutCommand({ TableName: tableName, Item: listed }));
  };
  /** The records of the items of a list, in their order. */
  const recordsOf: ReadRecords = async (items) => {
    const read = await mapConcurrently(items, READS_AT_A_TIME, ({ importId }) =>
      records.get(keyOf(String(importId))),
    );
    return read.filter((record) => record !== undefined);
  };
  return {
    get: (importId) => records.get(keyOf(importId)),
    update: (importId, change) => {
      let isNew = false;
      const applied = (current: ImportRecord | undefined) => {
        isNew = current === undefined;
        return change(current);
      };
      return records.update(keyOf(importId), applied, undefined, async (next) => {
        if (isNew) {
          await putInto('all', next, LISTS.all);
          await putInto('file', next, listOfName(next.key));
          await putInto('key', next, listOfKey(next.key));
        }
        if (isHeld(next)) await putInto('held', next, LISTS.held);
        if (hasFailed(next)) await putInto('failed', next, LISTS.failed);
        return next;
      });
    },

    list: async (storeClientId, page) => {
      const { items, ...rest } = await queryPage(table, newestOf(storeClientId ?? LISTS.all), page);
      if (storeClientId === undefined) return { imports: await recordsOf(items), ...rest };
      // Leaves out items of lists: a caller may ask for a store with the name of a list, such as `#held`.
      const files = items.filter(({ inputId }) => String(inputId).startsWith(IMPORT));
      // The items of a store's own list are the records themselves. They are sorted here, as their time has no sequencer.
      const imports = files.map((item) => importRecordSchema.parse(item)).sort(lastPutFirst);
      return { imports, ...rest };
    },

    listNamed: (name, page) => listNamed(table, recordsOf, name, page),

    listFailed: (since, limit) => listFailed(table, recordsOf, { since, limit }),

    listHeld: (limit) => listHeld(table, recordsOf, limit),
  };
}

type ReadRecords = (items: readonly Item[]) => Promise<ImportRecord[]>;

/** The query of a list or of a store, the newest first. */
function newestOf(listId: string, since?: IsoTime) {
  const range = since === undefined ? undefined : { from: since, to: END };
  return {
    IndexName: 'byStore',
    ...partition('storeClientId', listId, 'putAt', range),
    ScanIndexForward: false,
  };
}

async function listNamed(
  table: Table,
  recordsOf: ReadRecords,
  name: string,
  { limit, storeClientId }: Parameters<ImportTable['listNamed']>[1],
): Promise<ImportRecord[]> {
  const list = name.includes('/') ? listOfKey(name) : listOfName(name);
  if (storeClientId === undefined)
    return recordsOf((await queryPage(table, newestOf(list), { limit })).items);
  const files: ImportRecord[] = [];
  for await (const { Items = [] } of queryPages(table, newestOf(list))) {
    // Items of earlier versions do not name the store: their records do.
    const items = Items.filter(({ ofStore = storeClientId }) => ofStore === storeClientId);
    for (let at = 0; at < items.length && files.length < limit; at += limit) {
      const read = await recordsOf(items.slice(at, at + limit));
      files.push(...read.filter((file) => file.storeClientId === storeClientId));
    }
    if (files.length >= limit) break;
  }
  return files.slice(0, limit);
}

async function listHeld(table: Table, recordsOf: ReadRecords, limit: number): Promise<ImportRecord[]> {
  const held: ImportRecord[] = [];
  for await (const { Items = [] } of queryPages(table, { ...newestOf(LISTS.held), Limit: limit })) {
    held.push(...(await recordsOf(Items)).filter(isHeld));
    if (held.length >= limit) break;
  }
  return held.slice(0, limit);
}

async function listFailed(
  table: Table,
  recordsOf: ReadRecords,
  { since, limit }: { readonly since: IsoTime; readonly limit: number },
): Promise<ImportRecord[]> {
  const isPutAgain = async (record: ImportRecord) => {
    const later = newestOf(listOfKey(record.key), record.putAt);
    const { items } = await queryPage(table, later, { limit: MOST_PUT_AGAIN });
    return (await recordsOf(items)).some((file) => replaces(file, record));
  };
  const failed: ImportRecord[] = [];
  for await (const { Items = [] } of queryPages(table, { ...newestOf(LISTS.failed, since), Limit: limit })) {
    for (const record of await recordsOf(Items))
      if (hasFailed(record) && !(await isPutAgain(record))) failed.push(record);
    if (failed.length >= limit) break;
  }
  return failed.slice(0, limit);
}

/** The invocations that read files of a store, in the Inputs table under the `inputId` `reading#` + `storeClientId`. */
export function createReadingPlaceTable(
  client: DynamoDBDocumentClient,
  tableName: string,
): VersionedTable<ReadingPlaces, [storeClientId: string]> {
  const records = versionedItems<ReadingPlaces>({
    client,
    tableName,
    // The process that takes a place gives it back.
    isChangedNext: true,
    read: (item) => readingPlacesSchema.parse(item),
  });
  return {
    update: (storeClientId, change) => records.update({ inputId: `reading#${storeClientId}` }, change),
  };
}
