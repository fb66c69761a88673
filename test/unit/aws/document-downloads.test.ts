import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { createDocumentDownloads } from '../../../shared/aws/document-bucket.ts';

const options = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

test('a download URL is valid for the given seconds and names the file', async () => {
  const downloads = createDocumentDownloads('documents', new S3Client(options));
  const url = new URL(await downloads.urlOf('documents/s-1/o-1/label.pdf', 300));
  expect(`${url.host}${url.pathname}`).toContain('documents/s-1/o-1/label.pdf');
  expect(url.searchParams.get('X-Amz-Expires')).toBe('300');
  expect(url.searchParams.get('response-content-disposition')).toBe('attachment; filename="o-1-label.pdf"');
});
