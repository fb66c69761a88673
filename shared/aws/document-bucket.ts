import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { DocumentBucket, DocumentDownloads } from '../documents/ports.ts';
import type { IncomingDocument } from '../marketplace/documents.ts';

/** Bytes per piece sent to S3, which refuses pieces below 8 KiB except the last. */
const PIECE_BYTES = 64 * 1024;

/**
 * The document bucket. S3 checks an object's bytes against their SHA-256 and stores it. An object's metadata are
 * `commandid` (URL-encoded, as S3 allows ASCII only) and, if the marketplace gave one, `requestid`.
 */
export function createDocumentBucket(client: S3Client, bucket: string): DocumentBucket {
  return {
    find: async (key) => {
      try {
        const head = await client.send(
          new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: 'ENABLED' }),
        );
        const { commandid = '', requestid } = head.Metadata ?? {};
        return {
          bucket,
          key,
          size: head.ContentLength ?? 0,
          sha256: hexOf(head.ChecksumSHA256),
          commandId: decodeURIComponent(commandid),
          requestId: requestid,
        };
      } catch (error) {
        if (error instanceof S3ServiceException && error.name === 'NotFound') return undefined;
        throw error;
      }
    },

    put: async (key, document, commandId) => {
      const { requestId } = document;
      const { body, size, failed } = await uploadOf(document);
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: body,
        ContentLength: size,
        // Not the marketplace's header: a parameter of it may have characters that S3 does not take.
        ContentType: 'application/pdf',
        ChecksumAlgorithm: 'SHA256',
        Metadata: {
          commandid: encodeURIComponent(commandId),
          ...(requestId !== undefined && { requestid: requestId }),
        },
      });
      try {
        const { ChecksumSHA256 } = await client.send(command, { abortSignal: failed });
        return { bucket, key, size, sha256: hexOf(ChecksumSHA256), commandId, requestId };
      } catch (error) {
        throw failed.aborted ? failed.reason : error;
      } finally {
        if (body instanceof Readable) body.destroy();
      }
    },
  };
}

/**
 * A document as the body of a single PUT, which S3 stores whole or not at all. S3 needs the size first, so a document of
 * unknown size is read into memory.
 *
 * @returns `failed` is aborted when the document ends before it is complete, as the SDK would wait for the rest.
 */
async function uploadOf({ body, size }: IncomingDocument) {
  const failure = new AbortController();
  if (size === undefined) {
    const bytes = await buffer(body);
    return { body: bytes, size: bytes.length, failed: failure.signal };
  }
  return { body: streamOf(body, (error) => failure.abort(error)), size, failed: failure.signal };
}

/** The body as a stream for the SDK. A failure must not destroy the stream: in the SDK's hands that ends the process. */
function streamOf(body: AsyncIterable<Uint8Array>, onFailure: (error: unknown) => void): Readable {
  const pieces = inPieces(body);
  return new Readable({
    highWaterMark: PIECE_BYTES,
    read() {
      pieces.next().then(({ done, value }) => this.push(done ? null : value), onFailure);
    },
  });
}

async function* inPieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let piece: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    piece.push(chunk);
    bytes += chunk.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(piece);
    piece = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(piece);
}

function hexOf(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString('hex');
}

/** Presigned URLs of the document bucket. They expire with the function's own session at the latest. */
export function createDocumentDownloads(client: S3Client, bucket: string): DocumentDownloads {
  return {
    urlOf: (key, seconds) =>
      getSignedUrl(
        client,
        new GetObjectCommand({
          Bucket: bucket,
          Key: key,
          ResponseContentDisposition: `attachment; filename="${key.split('/').slice(-2).join('-')}"`,
        }),
        { expiresIn: seconds },
      ),
  };
}
