import { createHash } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDocumentBucket, createDocumentDownloads } from '../../../shared/aws/document-bucket.ts';
import type { DocumentBucket } from '../../../shared/documents/ports.ts';
import type { IncomingDocument } from '../../../shared/marketplace/documents.ts';
import { inMemoryDocumentBucket } from '../../doubles/in-memory-document-bucket.ts';
import { ref, type StartedStack, startStack } from '../local/fixture.ts';

/** Larger than one part of an upload to S3, and not a multiple of it. */
const LARGE_BYTES = 1_000_003;

const bytesOf = (text: string) => Buffer.from(`%PDF-1.7 ${text}`);
const large = (text: string) => bytesOf(text.padEnd(LARGE_BYTES, '-'));

/** A document of these bytes that arrives in chunks of a size that S3 would refuse. */
function coming(bytes: Buffer, facts: Partial<IncomingDocument> = {}): IncomingDocument {
  const size = bytes.length;
  return { body: chunksOf(bytes), size, contentType: 'application/pdf', fileName: 'label.pdf', ...facts };
}

async function* chunksOf(bytes: Buffer, chunkBytes = 4_099): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

async function* cutOff(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield* chunksOf(bytes.subarray(0, bytes.length / 2));
  throw new Error('cut off');
}

/** The tests that every document bucket passes. */
function documentBucketContract(bucketOf: () => DocumentBucket): void {
  test('a stored document is found with its metadata', async () => {
    const bucket = bucketOf();
    const bytes = bytesOf('found');
    const document = coming(bytes, { requestId: 'r-1' });
    const stored = await bucket.put('documents/s/found/invoice.pdf', document, 'command/1 ü');
    expect(stored).toMatchObject({
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      commandId: 'command/1 ü',
      requestId: 'r-1',
    });
    expect(await bucket.find('documents/s/found/invoice.pdf')).toEqual(stored);
  });

  test.each([
    ['in many pieces', LARGE_BYTES],
    ['of a size that is not known before', undefined],
  ])('a document %s is found with its metadata', async (_, known) => {
    const bucket = bucketOf();
    const bytes = large('large');
    const size = known && bytes.length;
    const stored = await bucket.put('documents/s/large/invoice.pdf', coming(bytes, { size }), 'c-1');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(stored).toMatchObject({ size: bytes.length, sha256 });
    expect(await bucket.find('documents/s/large/invoice.pdf')).toEqual(stored);
  });

  test.each([
    ['of a known size', true],
    ['of an unknown size', false],
  ])('a document %s that is cut off is not stored, and replaces no earlier one', async (_, isKnown) => {
    const bucket = bucketOf();
    const bytes = large('cut off');
    const cut = () => coming(bytes, { body: cutOff(bytes), size: isKnown ? bytes.length : undefined });
    const key = `documents/s/cut-${isKnown}/invoice.pdf`;
    await expect(bucket.put(key, cut(), 'c-1')).rejects.toThrow('cut off');
    expect(await bucket.find(key)).toBeUndefined();
    const stored = await bucket.put(key, coming(bytesOf('whole')), 'c-2');
    await expect(bucket.put(key, cut(), 'c-3')).rejects.toThrow('cut off');
    expect(await bucket.find(key)).toEqual(stored);
  });

  test.each([true, false])('a label that was asked for with includeItems %s is found so', async (items) => {
    const bucket = bucketOf();
    const key = `documents/s/items-${items}/shipping-label.pdf`;
    const stored = await bucket.put(key, coming(bytesOf('label')), 'c-1', items);
    expect(stored.includeItems).toBe(items);
    expect(await bucket.find(key)).toEqual(stored);
  });

  test('a document without a request ID is found without one', async () => {
    const bucket = bucketOf();
    await bucket.put('documents/s/plain/invoice.pdf', coming(bytesOf('plain')), 'c-1');
    expect((await bucket.find('documents/s/plain/invoice.pdf'))?.requestId).toBeUndefined();
  });

  test('a document is stored whatever the parameters of its content type', async () => {
    const bucket = bucketOf();
    const key = 'documents/s/typed/invoice.pdf';
    await bucket.put(
      key,
      coming(bytesOf('typed'), { contentType: 'application/pdf; name=\u2192.pdf' }),
      'c-1',
    );
    expect(await bucket.find(key)).toMatchObject({ commandId: 'c-1' });
  });

  test('a second put replaces the document', async () => {
    const bucket = bucketOf();
    await bucket.put('documents/s/twice/invoice.pdf', coming(bytesOf('old')), 'c-1');
    const stored = await bucket.put('documents/s/twice/invoice.pdf', coming(bytesOf('newer')), 'c-2');
    expect(await bucket.find('documents/s/twice/invoice.pdf')).toEqual(stored);
  });

  test('a removed document is not found, may be put again, and is removed once', async () => {
    const bucket = bucketOf();
    const key = 'documents/s/removed/invoice.pdf';
    await bucket.put(key, coming(bytesOf('removed')), 'c-1');
    expect(await bucket.remove(key)).toBe(true);
    expect(await bucket.find(key)).toBeUndefined();
    expect(await bucket.remove(key)).toBe(false);
    const again = await bucket.put(key, coming(bytesOf('again')), 'c-2');
    expect(await bucket.find(key)).toEqual(again);
  });

  test('a document that was never put is not found', async () => {
    expect(await bucketOf().find('documents/s/none/invoice.pdf')).toBeUndefined();
  });
}

describe('DocumentBucket in memory', () => documentBucketContract(inMemoryDocumentBucket));

describe('DocumentBucket in S3', () => {
  let stack: StartedStack;
  let bucketName: string;

  beforeAll(async () => {
    stack = await startStack({
      resources: { Documents: { Type: 'AWS::S3::Bucket' } },
      outputs: { Bucket: ref('Documents') },
    });
    bucketName = stack.run.outputs.Bucket ?? '';
  });

  afterAll(async () => {
    await stack?.stop();
  });

  const bucketInS3 = () => createDocumentBucket(bucketName, stack.s3);
  documentBucketContract(bucketInS3);

  test('the stored object is a PDF with the same bytes', async () => {
    const bytes = large('bytes');
    const key = 'documents/s/bytes/invoice.pdf';
    await bucketInS3().put(key, coming(bytes), 'c-1');
    const answer = await stack.s3.send(new GetObjectCommand({ Bucket: bucketName, Key: key }));
    expect(answer.ContentType).toBe('application/pdf');
    expect(answer.Metadata).toEqual({ commandid: 'c-1' });
    expect(bytes.equals((await answer.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
  });

  test('a stored document is downloaded by a URL that needs no credentials', async () => {
    const bytes = bytesOf('download');
    const key = 'documents/s/o(1) é/invoice.pdf';
    await bucketInS3().put(key, coming(bytes), 'c-1');
    const downloads = createDocumentDownloads(bucketName, stack.s3);
    const answer = await fetch(await downloads.urlOf(key, 60));
    expect(answer.status).toBe(200);
    expect(bytes.equals(await answer.bytes())).toBe(true);
  });
});
