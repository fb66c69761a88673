import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRequestArchive, createSummaryArchive } from '../../../shared/aws/archive-bucket.ts';
import type { RequestArchive, SummaryArchive } from '../../../shared/batches/ports.ts';
import { inMemoryRequestArchive } from '../../doubles/in-memory-request-archive.ts';
import { inMemorySummaryArchive } from '../../doubles/in-memory-summary-archive.ts';
import { ref, type StartedStack, startStack } from '../local/fixture.ts';

const AT = '2026-11-21T08:00:00.000Z';

let stack: StartedStack;
const bucket = () => stack.run.outputs.Bucket ?? '';

beforeAll(async () => {
  stack = await startStack({
    resources: { Bucket: { Type: 'AWS::S3::Bucket', Properties: {} } },
    outputs: { Bucket: ref('Bucket') },
  });
});

afterAll(() => stack?.stop());

describe.each<[string, () => RequestArchive]>([
  ['in memory', () => inMemoryRequestArchive()],
  ['in S3', () => createRequestArchive(bucket(), stack.s3)],
])('RequestArchive %s', (_, create) => {
  test('returns rows as they were put', async () => {
    const archive = create();
    const rows = [{ sku: 'Ä-1', price: 1.5, specialPrice: null }, { sku: 'B' }];
    await archive.put('requests/2026-11-21/a.json', rows);
    expect(await archive.get('requests/2026-11-21/a.json')).toEqual(rows);
  });

  test('finds nothing under a key that was never put or has expired', async () => {
    expect(await create().get('requests/2020-01-01/none.json')).toBeUndefined();
  });
});

describe.each<[string, () => SummaryArchive]>([
  ['in memory', () => inMemorySummaryArchive()],
  ['in S3', () => createSummaryArchive(bucket(), stack.s3)],
])('SummaryArchive %s', (_, create) => {
  test('returns a body byte for byte', async () => {
    const archive = create();
    const body = Uint8Array.from([0xff, 0x00, 0x7b, 0x0a]);
    expect(Buffer.from(await archive.get(await archive.put(body, AT)))).toEqual(Buffer.from(body));
  });

  test('stores equal bodies of one day under one key, and a different body under its own key', async () => {
    const archive = create();
    const put = (text: string, at: string) => archive.put(Buffer.from(text), at);
    const key = await put('{}', AT);
    expect(await put('{}', '2026-11-21T23:59:59.000Z')).toBe(key);
    expect(await put('{}', '2026-11-22T00:00:00.000Z')).not.toBe(key);
    expect(await put('[]', AT)).not.toBe(key);
  });
});
