import { buffer } from 'node:stream/consumers';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createImportBucket, createImportReports } from '../../../shared/aws/import-bucket.ts';
import { ref, type StartedStack, startStack } from '../local/fixture.ts';

let stack: StartedStack;
let bucket: string;

beforeAll(async () => {
  stack = await startStack({
    resources: { Imports: { Type: 'AWS::S3::Bucket' } },
    outputs: { Bucket: ref('Imports') },
  });
  bucket = stack.run.outputs.Bucket ?? '';
});

afterAll(async () => {
  await stack?.stop();
});

/** Puts an object; the answer's ETag is without its quotes, as in an event. */
async function put(key: string, body: string): Promise<string> {
  const { ETag = '' } = await stack.s3.send(
    new PutObjectCommand({ Bucket: bucket, Key: key, Body: Buffer.from(body) }),
  );
  return ETag.replaceAll('"', '');
}

test.each([['a b+c%20d é.ndjson'], ["(it's).ndjson"], ['../~!*&?#.ndjson']])(
  'the object %s is read as a stream of its bytes',
  async (name) => {
    const key = `catalog/s-1/${name}`;
    const etag = await put(key, 'line\n'.repeat(100_000));
    const source = await createImportBucket(stack.s3).open({ bucket, key, etag }, 0);
    expect((await buffer(source ?? expect.unreachable())).toString()).toBe('line\n'.repeat(100_000));
  },
);

test('an empty object is read as an empty stream', async () => {
  const key = 'catalog/s-1/empty.ndjson';
  const source = await createImportBucket(stack.s3).open({ bucket, key, etag: await put(key, '') }, 0);
  expect(await buffer(source ?? expect.unreachable())).toHaveLength(0);
});

test.each([
  ['in its middle', 3, 'def'],
  ['behind its last byte', 6, ''],
])('an object is read from a byte %s', async (_, firstByte, expected) => {
  const key = 'catalog/s-1/part.ndjson';
  const etag = await put(key, 'abcdef');
  const source = await createImportBucket(stack.s3).open({ bucket, key, etag }, firstByte);
  expect((await buffer(source ?? expect.unreachable())).toString()).toBe(expected);
});

test('a deleted object is reported as gone', async () => {
  const file = { bucket, key: 'catalog/s-1/none.ndjson', etag: 'd41d8cd98f00b204e9800998ecf8427e' };
  expect(await createImportBucket(stack.s3).open(file, 0)).toBeUndefined();
});

test('a replaced object is reported as gone', async () => {
  const key = 'catalog/s-1/replaced.ndjson';
  const etag = await put(key, 'old');
  await put(key, 'new');
  expect(await createImportBucket(stack.s3).open({ bucket, key, etag }, 0)).toBeUndefined();
});

test('any other failure is passed on', async () => {
  const file = { bucket: 'no-such-bucket', key: 'k', etag: 'e' };
  await expect(createImportBucket(stack.s3).open(file, 0)).rejects.toMatchObject({ name: 'NoSuchBucket' });
});

test('the parts of a report are joined in their order, and a repeated part replaces itself', async () => {
  const reports = createImportReports(stack.s3);
  const file = { bucket, key: 'stock/s-1/a b.csv', importId: 'import-1' };
  const texts = Array.from({ length: 12 }, (_, number) => `{"row":${number}}\n`);
  await reports.putPart(file, 3, 'of a run that died\n');
  for (const [number, text] of texts.entries()) await reports.putPart(file, number, text);
  const key = await reports.join(file, texts.length);
  expect(key).toBe('reports/stock/s-1/a b.csv/import-1.ndjson');
  const read = await createImportReports(stack.s3).join({ ...file, key: 'empty' }, 0);
  const { Body } = await stack.s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  expect(await Body?.transformToString()).toBe(texts.join(''));
  const empty = await stack.s3.send(new GetObjectCommand({ Bucket: bucket, Key: read }));
  expect(await empty.Body?.transformToString()).toBe('');
});

test('the report of a file with a very long key has a key that S3 allows', async () => {
  const file = { bucket, key: `stock/s-1/${'é'.repeat(500)}.csv`, importId: 'import-1' };
  expect(await createImportReports(stack.s3).join(file, 0)).toBe('reports/import-1.ndjson');
});
