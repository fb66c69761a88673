import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type ChangeEventTable, changeEventSchema } from '../changes/change-events.ts';
import { type ImportRecord, type ImportTable, importRecordSchema } from '../imports/model.ts';
import { expiresAt, getItems, pageOptions, putItems, readPage, versionedItems } from './items.ts';

/** As long as rejections and requests. */
const FILES_KEPT_DAYS = 90;
/** Shorter, as there are far more events than files. */
const EVENTS_KEPT_DAYS = 30;

/** Files in the Inputs table, under the `inputId` `import#` + `importId`. Its index `byStore` is in the order of `putAt`. */
export function createImportTable(client: DynamoDBDocumentClient, tableName: string): ImportTable {
  const records = versionedItems<ImportRecord>({
    client,
    tableName,
    read: (item) => importRecordSchema.parse(item),
    write: (file) => ({ ...file, expiresAt: expiresAt(Date.parse(file.putAt), FILES_KEPT_DAYS) }),
  });
  const keyOf = (importId: string) => ({ inputId: `import#${importId}` });
  return {
    get: (importId) => records.get(keyOf(importId)),
    update: (importId, change) => records.update(keyOf(importId), change),
    list: async (storeClientId, page) => {
      const query = new QueryCommand({
        TableName: tableName,
        IndexName: 'byStore',
        KeyConditionExpression: 'storeClientId = :store',
        ExpressionAttributeValues: { ':store': storeClientId },
        ScanIndexForward: false,
        ...pageOptions(page),
      });
      const { items, ...rest } = await readPage(client, query);
      return { imports: items.map((item) => importRecordSchema.parse(item)), ...rest };
    },
  };
}

/** Events in the Inputs table, under the `inputId` `{detailType}#` + `eventId`. Without a `putAt`, its index omits them. */
export function createChangeEventTable(client: DynamoDBDocumentClient, tableName: string): ChangeEventTable {
  const table = { client, tableName };
  const keyOf = (detailType: string, eventId: string) => `${detailType}#${eventId}`;
  return {
    putAll: (events) => {
      const items = events.map((event) => ({
        ...event,
        inputId: keyOf(event.detailType, event.eventId),
        expiresAt: expiresAt(Date.parse(event.takenAt), EVENTS_KEPT_DAYS),
      }));
      return putItems(table, [...new Map(items.map((item) => [item.inputId, item])).values()]);
    },
    get: async (eventId) => {
      const keys = changeEventSchema.shape.detailType.options.map((it) => ({ inputId: keyOf(it, eventId) }));
      return (await getItems(table, keys)).map((item) => changeEventSchema.parse(item));
    },
  };
}
