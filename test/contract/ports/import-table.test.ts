import { describe, expect, test } from 'vitest';
import { createImportTable } from '../../../shared/aws/input-table.ts';
import type { ImportRecord, ImportTable } from '../../../shared/imports/model.ts';
import { inMemoryImportTable } from '../../doubles/in-memory-import-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId, readAllPages } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();

describe.each<[string, () => ImportTable]>([
  ['in memory', () => inMemoryImportTable()],
  ['on DynamoDB', () => createImportTable(local().client, local().tableName('Inputs'))],
])('ImportTable %s', (_, create) => {
  const fileOf = (importId: string, storeClientId: string, second: number): ImportRecord => ({
    importId,
    storeClientId,
    bucket: 'imports',
    key: `catalog/${storeClientId}/a.ndjson`,
    putAt: `2026-11-21T08:00:0${second}Z`,
    startedAt: '2026-11-21T08:01:00.000Z',
  });

  versionedTableContract<ImportRecord>(() => {
    const imports = create();
    const importId = freshId('import');
    return {
      update: (change) => imports.update(importId, change),
      numbered: (number) => ({
        ...fileOf(importId, 's-1', 0),
        reading: { endedAt: 'then', rows: number, sent: number, rejected: {}, commands: 1 },
      }),
      numberOf: ({ reading }) => reading?.rows ?? 0,
    };
  });

  test('the files of a store are listed page by page, those put last first', async () => {
    const imports = create();
    const store = freshId('store');
    const files = [1, 2, 3, 4, 5].map((second) => fileOf(freshId('import'), store, second));
    for (const file of [...files, fileOf(freshId('import'), freshId('store'), 6)]) {
      await imports.update(file.importId, () => file);
    }
    const listed = await readAllPages(async (page) => {
      const { imports: entries, ...rest } = await imports.list(store, page);
      return { entries, ...rest };
    });
    expect(listed).toEqual(files.toReversed());
    expect(await imports.get(files[0]?.importId ?? '')).toEqual(files[0]);
    expect(await imports.get(freshId('import'))).toBeUndefined();
  });
});
