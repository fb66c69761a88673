import { pipeline } from 'node:stream';
import { createGunzip, createInflate, gunzipSync, inflateSync } from 'node:zlib';
import { TransportError } from './errors.ts';
import type { OpenResponse } from './transport.ts';

type Packing = 'gzip' | 'zlib';

/** The bytes decide, not `content-encoding`: some senders leave that header out, and some transports keep it after unpacking the body. */
function packingOf([first = 0, second = 0]: Uint8Array): Packing | undefined {
  if (first === 0x1f && second === 0x8b) return 'gzip';
  return first === 0x78 && (first * 256 + second) % 31 === 0 ? 'zlib' : undefined;
}

/**
 * The answer, with its body unpacked if the body begins like gzip or zlib. JSON and PDF begin otherwise. The body throws a TransportError
 * when it is longer than `maxBytes`, or ends too early.
 */
export async function unpackedAnswer(response: OpenResponse, maxBytes: number): Promise<OpenResponse> {
  const chunks = response.body[Symbol.asyncIterator]();
  const first = await firstBytes(chunks, ({ length }) => length >= 2);
  const body = followedBy(first, chunks);
  const packing = packingOf(first);
  if (packing === undefined) return { ...response, body };
  const { 'content-length': _, ...headers } = response.headers;
  const unpack = packing === 'gzip' ? createGunzip() : createInflate();
  // The reader of the body gets the failure.
  return {
    ...response,
    headers,
    body: limited(
      pipeline(body, unpack, () => {}),
      maxBytes,
    ),
  };
}

/** The unpacked bytes; `undefined` if they are not packed, not whole, or more than `maxBytes`. */
export function unpackedBytes(bytes: Uint8Array, maxBytes: number): Uint8Array | undefined {
  const packing = packingOf(bytes);
  if (packing === undefined) return undefined;
  try {
    return (packing === 'gzip' ? gunzipSync : inflateSync)(bytes, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

async function* limited(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new TransportError('answerTooLarge', `more than ${maxBytes} bytes`, { sent: true });
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof TransportError) throw cause;
    throw new TransportError('connectionCut', 'the compressed answer is not whole', { sent: true, cause });
  }
}

/** Bytes from the start of a body: as many chunks as are needed until it `isEnough`, or all. */
export async function firstBytes(
  chunks: AsyncIterator<Uint8Array>,
  isEnough: (bytes: Buffer) => boolean,
): Promise<Buffer> {
  let first = Buffer.alloc(0);
  while (!isEnough(first)) {
    const { done, value } = await chunks.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  return first;
}

export async function* followedBy(
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}
