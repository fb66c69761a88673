import { AwsError, type AwsRequest } from '../../gateway/messages.ts';

/** An S3 operation with the permissions that it needs. */
export interface S3Operation {
  readonly name: string;
  readonly bucket: string;
  /** Decoded; empty for an operation on the bucket itself. */
  readonly key: string;
  readonly permissions: readonly { readonly action: string; readonly resource: string }[];
}

/** Operations by method and by the query key that selects them (`''`: none). */
const bucketOperations: Readonly<Record<string, readonly [name: string, action: string]>> = {
  'GET ': ['ListObjects', 's3:ListBucket'],
  'GET list-type': ['ListObjectsV2', 's3:ListBucket'],
  'HEAD ': ['HeadBucket', 's3:ListBucket'],
  'PUT ': ['CreateBucket', 's3:CreateBucket'],
  'DELETE ': ['DeleteBucket', 's3:DeleteBucket'],
  'POST delete': ['DeleteObjects', 's3:DeleteObject'],
};

const objectOperations: Readonly<Record<string, readonly [name: string, action: string]>> = {
  'GET ': ['GetObject', 's3:GetObject'],
  'GET partNumber': ['GetObject', 's3:GetObject'],
  'GET attributes': ['GetObjectAttributes', 's3:GetObjectAttributes'],
  'HEAD ': ['HeadObject', 's3:GetObject'],
  'PUT ': ['PutObject', 's3:PutObject'],
  'PUT uploadId': ['UploadPart', 's3:PutObject'],
  'POST uploads': ['CreateMultipartUpload', 's3:PutObject'],
  'POST uploadId': ['CompleteMultipartUpload', 's3:PutObject'],
  'DELETE ': ['DeleteObject', 's3:DeleteObject'],
  'DELETE uploadId': ['AbortMultipartUpload', 's3:AbortMultipartUpload'],
};

const selectors = ['list-type', 'delete', 'attributes', 'uploads', 'uploadId', 'partNumber'];

/** Query keys that qualify an operation, but do not select it. */
const qualifiers =
  /^(x-id|prefix|delimiter|max-keys|continuation-token|start-after|encoding-type|marker|fetch-owner|partNumber|response-.*|x-amz-.*)$/i;

/**
 * Reads the operation of a path-style request.
 *
 * @throws AwsError NotImplemented for an operation that fauxqs lacks. Fauxqs would do something else for some of them: a PUT of an
 * object's tags overwrites the object.
 */
export function s3Operation(
  request: Pick<AwsRequest, 'method' | 'rawPath' | 'rawQuery' | 'headers'>,
): S3Operation {
  const [bucket = '', ...rest] = request.rawPath.slice(1).split('/').map(decodeURIComponent);
  const key = rest.join('/');
  if (bucket === '') {
    return {
      name: 'ListBuckets',
      bucket,
      key,
      permissions: [{ action: 's3:ListAllMyBuckets', resource: '*' }],
    };
  }
  const [name, action] = lookUp(request, key === '' ? bucketOperations : objectOperations);
  const bucketArn = `arn:aws:s3:::${bucket}`;
  const onObjects = action === 's3:DeleteObject' && key === '';
  const resource = key === '' ? (onObjects ? `${bucketArn}/*` : bucketArn) : `${bucketArn}/${key}`;
  return { name, bucket, key, permissions: [{ action, resource }, ...copySource(request)] };
}

function lookUp(
  request: Pick<AwsRequest, 'method' | 'rawQuery'>,
  operations: Readonly<Record<string, readonly [string, string]>>,
): readonly [name: string, action: string] {
  const keys = [...new URLSearchParams(request.rawQuery).keys()];
  const selector = selectors.find((name) => keys.includes(name)) ?? '';
  const chosen = keys.includes('uploadId') ? 'uploadId' : selector;
  const unknown = keys.find((name) => name !== chosen && !qualifiers.test(name));
  const operation = operations[`${request.method} ${chosen}`];
  if (operation && unknown === undefined) return operation;
  throw new AwsError(
    'NotImplemented',
    `The local S3 has no ${request.method} with ${keys.join(', ') || 'this path'}`,
    501,
  );
}

function copySource(request: Pick<AwsRequest, 'headers'>): { action: string; resource: string }[] {
  const source = request.headers['x-amz-copy-source'];
  if (typeof source !== 'string') return [];
  return [
    { action: 's3:GetObject', resource: `arn:aws:s3:::${decodeURIComponent(source).replace(/^\//, '')}` },
  ];
}
