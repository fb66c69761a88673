import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { type ImportRecord, type ImportTable, importRecordSchema } from '../imports/model.ts';
import { expiresAt, partition, queryPage, queryPages, versionedItems } from './items.ts';

/**
 * Each held import has a second item: the index `byStore` finds the held imports of all stores under this name, which is no
 * store's ID. It is put before the record is written, and stays until it expires. Whether an import is held is in its record.
 */
const HELD = '#held';

/** Files in the Inputs table, under the `inputId` `import#` + `importId`. Its index `byStore` is in the order of `putAt`. */
export function createImportTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  keptDays: number,
): ImportTable {
  const table = { client, tableName };
  const records = versionedItems<ImportRecord>({
    ...table,
    read: (item) => importRecordSchema.parse(item),
    write: (file) => ({ ...file, expiresAt: expiresAt(Date.parse(file.putAt), keptDays) }),
  });
  const keyOf = (importId: string) => ({ inputId: `import#${importId}` });
  const putHeld = async ({ importId, putAt }: ImportRecord) => {
    const Item = {
      inputId: `held#${importId}`,
      importId,
      storeClientId: HELD,
      putAt,
      expiresAt: expiresAt(Date.parse(putAt), keptDays),
    };
    await client.send(new PutCommand({ TableName: tableName, Item }));
  };
  const newestOf = (storeClientId: string) => ({
    IndexName: 'byStore',
    ...partition('storeClientId', storeClientId),
    ScanIndexForward: false,
  });
  return {
    get: (importId) => records.get(keyOf(importId)),
    update: (importId, change) =>
      records.update(keyOf(importId), change, undefined, async (next) => {
        if (next.full?.state === 'held') await putHeld(next);
        return next;
      }),
    list: async (storeClientId, page) => {
      const { items, ...rest } = await queryPage(table, newestOf(storeClientId), page);
      return { imports: items.map((item) => importRecordSchema.parse(item)), ...rest };
    },

    listHeld: async (limit) => {
      const held: ImportRecord[] = [];
      for await (const { Items = [] } of queryPages(table, newestOf(HELD))) {
        for (const { importId } of Items) {
          const record = await records.get(keyOf(String(importId)));
          if (record?.full?.state === 'held') held.push(record);
        }
        if (held.length >= limit) break;
      }
      return held.slice(0, limit);
    },
  };
}
