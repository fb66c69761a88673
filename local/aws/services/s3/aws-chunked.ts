import { createHash } from 'node:crypto';
import { AwsError, type AwsRequest } from '../../gateway/messages.ts';

/** The smallest size of every chunk except the last. */
const MIN_CHUNK_BYTES = 8 * 1024;
const LINE_END = Buffer.from('\r\n');

/**
 * Refuses an upload in chunks that S3 refuses and fauxqs accepts: chunks that are too small, fewer bytes than
 * announced, or bytes that do not match the SHA-256 after them.
 *
 * @throws AwsError
 */
export function checkChunkedUpload({ headers, body }: Pick<AwsRequest, 'headers' | 'body'>): void {
  if (!String(headers['content-encoding'] ?? '').includes('aws-chunked')) return;
  const { chunks, trailer } = readChunks(body);
  if (chunks.slice(0, -1).some(({ length }) => length < MIN_CHUNK_BYTES)) {
    throw new AwsError(
      'InvalidChunkSizeError',
      'Only the last chunk is allowed to have a size less than 8192 bytes',
      403,
    );
  }
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  if (String(bytes) !== headers['x-amz-decoded-content-length']) {
    throw new AwsError('IncompleteBody', 'The request body terminated unexpectedly', 400);
  }
  const stated = /x-amz-checksum-sha256:([^\r\n]+)/i.exec(trailer)?.[1]?.trim();
  if (stated !== undefined && stated !== sha256Of(chunks)) {
    throw new AwsError('BadDigest', 'The SHA256 you specified did not match the calculated checksum.', 400);
  }
}

/** `size in hex [;extension] CRLF bytes CRLF …`, ended by an empty chunk and its trailer. */
function readChunks(body: Buffer): { chunks: Buffer[]; trailer: string } {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf(LINE_END, at);
    if (lineEnd < 0) return { chunks, trailer: '' };
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    const from = lineEnd + LINE_END.length;
    if (!(size > 0)) return { chunks, trailer: body.toString('latin1', from) };
    chunks.push(body.subarray(from, from + size));
    at = from + size + LINE_END.length;
  }
}

function sha256Of(chunks: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('base64');
}
