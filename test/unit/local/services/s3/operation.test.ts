import { expect, test } from 'vitest';
import { s3Operation } from '../../../../../local/aws/services/s3/operation.ts';

function read(method: string, url: string, headers: Record<string, string> = {}) {
  const [rawPath = '', rawQuery = ''] = url.split('?');
  return s3Operation({ method, rawPath, rawQuery, headers });
}

test.each([
  ['GET', '/', 'ListBuckets', 's3:ListAllMyBuckets', '*'],
  ['GET', '/b?list-type=2&prefix=a', 'ListObjectsV2', 's3:ListBucket', 'arn:aws:s3:::b'],
  ['HEAD', '/b/', 'HeadBucket', 's3:ListBucket', 'arn:aws:s3:::b'],
  ['GET', '/b/a/k%20x?x-id=GetObject', 'GetObject', 's3:GetObject', 'arn:aws:s3:::b/a/k x'],
  ['PUT', '/b/k?X-Amz-Signature=1', 'PutObject', 's3:PutObject', 'arn:aws:s3:::b/k'],
  ['PUT', '/b/k?partNumber=1&uploadId=u', 'UploadPart', 's3:PutObject', 'arn:aws:s3:::b/k'],
  ['POST', '/b/k?uploads', 'CreateMultipartUpload', 's3:PutObject', 'arn:aws:s3:::b/k'],
  ['DELETE', '/b/k?uploadId=u', 'AbortMultipartUpload', 's3:AbortMultipartUpload', 'arn:aws:s3:::b/k'],
  ['POST', '/b?delete', 'DeleteObjects', 's3:DeleteObject', 'arn:aws:s3:::b/*'],
])('%s %s is %s and needs %s on %s', (method, url, name, action, resource) => {
  expect(read(method, url)).toMatchObject({ name, permissions: [{ action, resource }] });
});

test('a copy needs permission to read its source too', () => {
  expect(read('PUT', '/b/k', { 'x-amz-copy-source': '/a/some%20key' }).permissions).toEqual([
    { action: 's3:PutObject', resource: 'arn:aws:s3:::b/k' },
    { action: 's3:GetObject', resource: 'arn:aws:s3:::a/some key' },
  ]);
});

test.each([
  ['PUT', '/b/k?tagging'],
  ['PUT', '/b/k?acl'],
  ['GET', '/b?versions'],
  ['GET', '/b/k?versionId=1'],
  ['PATCH', '/b/k'],
])('%s %s is refused, because fauxqs would do something else', (method, url) => {
  expect(() => read(method, url)).toThrow('The local S3 has no');
});
