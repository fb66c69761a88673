import { expect, test } from 'vitest';
import { placeOfKey, readImportKey } from '../../../../shared/imports/file/announced-file.ts';

test.each([
  ['catalog/s-1/a.ndjson', 'catalog', { format: 'ndjson', gzip: false }],
  ['catalog/s-1/2026/11/a b+c%20d.json.gz', 'catalog', { format: 'json', gzip: true }],
  ['stock/s-1/A.CSV.GZ', 'stock', { format: 'csv', gzip: true }],
  ['dry-run/prices/s-1/a.csv', 'prices', { format: 'csv', gzip: false }],
])('%s names a file', (key, kind, type) => {
  expect(readImportKey(key)).toEqual(type);
  expect(placeOfKey(key)).toMatchObject({ kind, storeClientId: 's-1' });
});

test.each([
  ['catalog/s-1/a.xml', 'FILE_TYPE_UNKNOWN', 's-1'],
  ['catalog/s-1/ndjson', 'FILE_TYPE_UNKNOWN', 's-1'],
  ['catalog/s-1/a.gz', 'FILE_TYPE_UNKNOWN', 's-1'],
  ['catalog/s-1/a.zip.gz', 'FILE_TYPE_UNKNOWN', 's-1'],
  ['catalog/a.ndjson', 'FILE_KEY_INVALID', undefined],
  ['catalog//a.ndjson', 'FILE_KEY_INVALID', undefined],
  ['other/s-1/a.ndjson', 'FILE_KEY_INVALID', undefined],
  ['dry-run/s-1/a.ndjson', 'FILE_KEY_INVALID', undefined],
  ['reports/stock/s-1/a.ndjson', 'FILE_KEY_INVALID', undefined],
  ['stock/s-1/dry-run/a.csv', 'FILE_KEY_INVALID', 's-1'],
  ['stock/s-1/full/Dry-Run/a.csv', 'FILE_KEY_INVALID', 's-1'],
  ['dry-run/stock/s-1/dry-run/a.csv', 'FILE_KEY_INVALID', 's-1'],
])('%s names no file: %s', (key, code, storeClientId) => {
  expect(() => readImportKey(key)).toThrow(expect.objectContaining({ code }));
  expect(placeOfKey(key).storeClientId).toBe(storeClientId);
});

test.each(['xlsx', 'XLS', 'ods'])('a .%s file is refused with the way to save it as CSV', (type) => {
  expect(() => readImportKey(`stock/s-1/a.${type}`)).toThrow(
    `a .${type} file is a workbook and not read: save`,
  );
});

test.each([
  ['stock/s-1/full/a.csv', { kind: 'stock', isFull: true, isDryRun: false }],
  ['dry-run/stock/s-1/full/2026/a.csv', { kind: 'stock', isFull: true, isDryRun: true }],
  ['stock/s-1/a/full/a.csv', { kind: 'stock', isFull: false, isDryRun: false }],
  ['prices/s-1/full/a.csv', { kind: 'prices', isFull: false, isDryRun: false }],
  ['dry-run/catalog/s-1/a.csv', { kind: 'catalog', isFull: false, isDryRun: true }],
])('the folders of %s say %j', (key, place) => {
  expect(placeOfKey(key)).toEqual({ storeClientId: 's-1', ...place });
});
