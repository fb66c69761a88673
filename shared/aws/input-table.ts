import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type ImportRecord, type ImportTable, importRecordSchema } from '../imports/model.ts';
import { expiresAt, pageOptions, readPage, versionedItems } from './items.ts';

/** Files in the Inputs table, under the `inputId` `import#` + `importId`. Its index `byStore` is in the order of `putAt`. */
export function createImportTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): ImportTable {
  const records = versionedItems<ImportRecord>({
    client,
    tableName,
    read: (item) => importRecordSchema.parse(item),
    write: (file) => ({ ...file, expiresAt: expiresAt(Date.parse(file.putAt), keptDays) }),
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
