import { expect, test } from 'vitest';
import { readCatalogKey, storeOfKey } from '../../../../shared/products/catalog-file/announced-file.ts';

test.each([
  ['catalog/s-1/a.ndjson', { storeClientId: 's-1', format: 'ndjson', gzip: false }],
  ['catalog/s-1/2026/11/a b+c%20d.json.gz', { storeClientId: 's-1', format: 'json', gzip: true }],
  ['catalog/s-1/A.CSV.GZ', { storeClientId: 's-1', format: 'csv', gzip: true }],
])('%s names a catalog file', (key, name) => {
  expect(readCatalogKey(key)).toEqual(name);
});

test.each([
  ['catalog/s-1/a.xml', 'FILE_TYPE_UNKNOWN', 's-1'],
  ['catalog/s-1/ndjson', 'FILE_TYPE_UNKNOWN', 's-1'],
  ['catalog/s-1/a.gz', 'FILE_TYPE_UNKNOWN', 's-1'],
  ['catalog/s-1/a.zip.gz', 'FILE_TYPE_UNKNOWN', 's-1'],
  ['catalog/a.ndjson', 'FILE_KEY_INVALID', undefined],
  ['catalog//a.ndjson', 'FILE_KEY_INVALID', undefined],
  ['other/s-1/a.ndjson', 'FILE_KEY_INVALID', undefined],
])('%s names no catalog file: %s', (key, code, storeClientId) => {
  expect(() => readCatalogKey(key)).toThrow(expect.objectContaining({ code }));
  expect(storeOfKey(key)).toBe(storeClientId);
});
