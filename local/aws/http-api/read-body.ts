import type { IncomingMessage } from 'node:http';

/** Reads a request's whole body. Returns undefined, and keeps nothing, when the body is larger than the limit. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes > limitBytes ? undefined : Buffer.concat(chunks, bytes);
}
