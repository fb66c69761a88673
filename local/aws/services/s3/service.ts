import { Readable } from 'node:stream';
import type { AccessControl } from '../../gateway/access-control.ts';
import { AwsError, type AwsRequest, type AwsResponse, type AwsService } from '../../gateway/messages.ts';
import type { Backend } from '../backend.ts';
import { requireKey } from '../key-access.ts';
import { checkChunkedUpload } from './aws-chunked.ts';
import type { BucketDefinition } from './bucket-definition.ts';
import { createKeyedLock } from './keyed-lock.ts';
import { refuseBeyondLimits } from './limits.ts';
import { type S3Operation, s3Operation } from './operation.ts';
import { pathStyle } from './path-style.ts';

/** A newly created object, for its event. */
export interface CreatedObject {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  /** `PutObject`, `CopyObject` or `CompleteMultipartUpload`. */
  readonly reason: string;
  readonly requestId: string;
}

const writes = new Set(['PutObject', 'CompleteMultipartUpload']);
const reads = new Set(['GetObject', 'HeadObject', 'GetObjectAttributes']);

/**
 * S3: authorizes, then passes on to fauxqs. Added here: conditional writes (`If-None-Match`, `If-Match`), checks of
 * uploads in chunks and of sizes, 403 in place of 404 for a caller who may not list the bucket, and an event for each created object.
 */
export function createS3Service(options: {
  backend: Backend;
  access: AccessControl;
  buckets: ReadonlyMap<string, BucketDefinition>;
  onObjectCreated: (created: CreatedObject) => void;
}): AwsService {
  const { backend, access, buckets } = options;
  const lock = createKeyedLock();

  function authorize(request: AwsRequest, operation: S3Operation): void {
    for (const { action, resource } of operation.permissions)
      access.require(request.principal, action, resource);
    const key = { arn: buckets.get(operation.bucket)?.keyArn, service: 's3' };
    if (operation.permissions.some(({ action }) => action === 's3:PutObject')) {
      requireKey(access, request.principal, 'GenerateDataKey', key);
    }
    if (reads.has(operation.name)) requireKey(access, request.principal, 'Decrypt', key);
  }

  async function head({ rawPath }: AwsRequest): Promise<AwsResponse> {
    const response = await backend.forward({
      method: 'HEAD',
      rawPath,
      rawQuery: '',
      headers: {},
      body: Buffer.alloc(0),
    });
    if (response.body instanceof Readable) response.body.resume();
    return response;
  }

  async function write(request: AwsRequest, operation: S3Operation): Promise<AwsResponse> {
    checkChunkedUpload(request);
    await checkPreconditions(request);
    // Fauxqs fails on an empty object without a content type.
    const headers = { 'content-type': 'binary/octet-stream', ...request.headers };
    const response = await backend.forward({ ...request, headers });
    if (response.status !== 200 || !buckets.get(operation.bucket)?.notifiesEventBridge) return response;
    const { headers: created } = await head(request);
    options.onObjectCreated({
      bucket: operation.bucket,
      key: operation.key,
      size: Number(created['content-length']),
      etag: String(created.etag).replaceAll('"', ''),
      reason: 'x-amz-copy-source' in request.headers ? 'CopyObject' : operation.name,
      requestId: request.requestId,
    });
    return response;
  }

  async function checkPreconditions(request: AwsRequest): Promise<void> {
    const { 'if-none-match': ifNoneMatch, 'if-match': ifMatch } = request.headers;
    if (ifNoneMatch === undefined && ifMatch === undefined) return;
    const { status, headers } = await head(request);
    const exists = status === 200;
    if (ifMatch !== undefined && !exists) throw noSuchKey();
    if ((ifNoneMatch !== undefined && exists) || (ifMatch !== undefined && ifMatch !== headers.etag)) {
      throw new AwsError(
        'PreconditionFailed',
        'At least one of the pre-conditions you specified did not hold',
        412,
      );
    }
  }

  function hideMissing(request: AwsRequest, operation: S3Operation, response: AwsResponse): AwsResponse {
    if (response.status !== 404 || !reads.has(operation.name)) return response;
    const listing = access.check(request.principal, 's3:ListBucket', `arn:aws:s3:::${operation.bucket}`);
    if (listing.allowed) return response;
    if (response.body instanceof Readable) response.body.resume();
    throw new AwsError(
      'AccessDenied',
      'The object is not there, and the caller may not list the bucket to know it',
      403,
    );
  }

  return {
    protocol: 's3',
    async handle(received) {
      const request = { ...received, rawPath: pathStyle(received) };
      const operation = s3Operation(request);
      authorize(request, operation);
      refuseBeyondLimits(operation, request);
      if (writes.has(operation.name)) {
        return lock.run(`${operation.bucket}/${operation.key}`, () => write(request, operation));
      }
      return hideMissing(request, operation, await backend.forward(request));
    },
  };
}

function noSuchKey(): AwsError {
  return new AwsError('NoSuchKey', 'The specified key does not exist.', 404);
}
