import { createHash } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDocumentBucket } from '../../../shared/aws/document-bucket.ts';
import type { DocumentBucket } from '../../../shared/documents/ports.ts';
import type { MarketplaceDocument } from '../../../shared/marketplace/documents.ts';
import { inMemoryDocumentBucket } from '../../doubles/in-memory-document-bucket.ts';
import { ref, type StartedStack, startStack } from '../local/fixture.ts';

function pdf(text: string, facts: Partial<MarketplaceDocument> = {}): MarketplaceDocument {
  const bytes = Buffer.from(`%PDF-1.7 ${text}`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes, contentType: 'application/pdf', fileName: 'label.pdf', sha256, ...facts };
}

/** What every document bucket does. */
function documentBucketContract(bucketOf: () => DocumentBucket): void {
  test('a document that was put is found with its facts', async () => {
    const bucket = bucketOf();
    const document = pdf('found', { requestId: 'r-1' });
    const stored = await bucket.put('documents/s/found/invoice.pdf', document, 'command/1 ü');
    expect(stored).toMatchObject({
      size: document.bytes.length,
      sha256: document.sha256,
      commandId: 'command/1 ü',
    });
    expect(await bucket.find('documents/s/found/invoice.pdf')).toEqual(stored);
  });

  test('a document without a request ID is found without one', async () => {
    const bucket = bucketOf();
    await bucket.put('documents/s/plain/invoice.pdf', pdf('plain'), 'c-1');
    expect((await bucket.find('documents/s/plain/invoice.pdf'))?.requestId).toBeUndefined();
  });

  test('a document that is put again is replaced', async () => {
    const bucket = bucketOf();
    await bucket.put('documents/s/twice/invoice.pdf', pdf('old'), 'c-1');
    const stored = await bucket.put('documents/s/twice/invoice.pdf', pdf('newer'), 'c-2');
    expect(await bucket.find('documents/s/twice/invoice.pdf')).toEqual(stored);
  });

  test('a document that was never put is not found', async () => {
    expect(await bucketOf().find('documents/s/none/invoice.pdf')).toBeUndefined();
  });
}

describe('in memory', () => documentBucketContract(inMemoryDocumentBucket));

describe('in S3', () => {
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

  documentBucketContract(() => createDocumentBucket(stack.s3, bucketName));

  test('the object is a PDF of the same bytes', async () => {
    const document = pdf('bytes');
    const key = 'documents/s/bytes/invoice.pdf';
    await createDocumentBucket(stack.s3, bucketName).put(key, document, 'c-1');
    const answer = await stack.s3.send(new GetObjectCommand({ Bucket: bucketName, Key: key }));
    expect(answer.ContentType).toBe('application/pdf');
    expect(answer.Metadata).toEqual({ sha256: document.sha256, commandid: 'c-1' });
    expect(Buffer.from((await answer.Body?.transformToByteArray()) ?? [])).toEqual(document.bytes);
  });
});
