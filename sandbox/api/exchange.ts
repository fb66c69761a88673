import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { type Clock, isoTime } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { bodyHash, signedPath } from '../signing.ts';
import type { Marketplace } from '../state/marketplace.ts';
import type { Contents, RequestEntry } from '../state/request-log.ts';
import { excerpt, requestHead } from './contents.ts';

const MAX_BODY_BYTES = 32 * 1024 * 1024;
const NO_BODY = Buffer.alloc(0);

/** A request and its answer while the sandbox serves it. */
interface Exchange {
  marketplace: Marketplace;
  entry: RequestEntry;
  requestId: string;
  body: Buffer;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
  /** Epoch ms. */
  startedAt: number;
  errorCode: string | undefined;
  /** The contents of request and answer for the page. */
  contents: Contents;
}

export interface ApiEnv {
  Bindings: HttpBindings;
  Variables: { exchange: Exchange };
}

interface Sources {
  clock: Clock;
  newId(): string;
  marketplace(): Marketplace;
}

/** Logs the request on arrival, and its outcome. */
export function recordExchange({ clock, newId, marketplace }: Sources) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const startedAt = clock.now();
    const current = marketplace();
    const entry = current.requests.open(arrival(c, startedAt));
    c.env.outgoing.once('close', () => current.requests.close(entry));
    const requestId = newId();
    const head = requestHead(`${c.req.method} ${c.env.incoming.url}`, (name) => c.req.header(name));
    const contents: Contents = { requestId, head, body: '', answer: null };
    current.requests.keep(entry, contents);
    const exchange: Exchange = {
      marketplace: current,
      entry,
      requestId,
      body: NO_BODY,
      json: undefined,
      startedAt,
      errorCode: undefined,
      contents,
    };
    c.set('exchange', exchange);
    await next();
    entry.errorCode = exchange.errorCode ?? null;
    if (!c.env.incoming.socket.destroyed) entry.status = c.res.status;
  });
}

/** Reads the raw body, whose bytes the signature covers. */
export const receiveBody = createMiddleware<ApiEnv>(async (c, next) => {
  const exchange = c.get('exchange');
  exchange.body = await readBody(c.env.incoming);
  exchange.json = parseJson(exchange.body);
  exchange.contents.body = excerpt(exchange.body);
  exchange.entry.items = rowsOf(exchange.json)?.rows.length ?? 0;
  exchange.entry.bodyHash = bodyHash(exchange.body);
  await next();
});

function arrival(c: Context<ApiEnv>, time: number) {
  const [path = '', ...query] = (c.env.incoming.url ?? '').split('?');
  return {
    time: isoTime(time),
    method: c.req.method,
    path: signedPath(path),
    query: query.join('?'),
    partnerClientId: c.req.header('x-partner-client-id') ?? null,
    storeClientId: c.req.header('x-store-client-id') ?? null,
    items: 0,
    bodyHash: bodyHash(NO_BODY),
  };
}

/** The list of rows in a bulk request's body, and the name of the list. */
export function rowsOf(json: unknown): { name: string; rows: unknown[] } | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  for (const name of ['items', 'products', 'ids']) {
    const rows: unknown = Reflect.get(json, name);
    if (Array.isArray(rows)) return { name, rows };
  }
  return undefined;
}

/**
 * Reads a body to its end, so that the caller gets the answer. A too large body is not kept.
 * @throws ApiError PAYLOAD_TOO_LARGE
 */
async function readBody(incoming: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new ApiError('PAYLOAD_TOO_LARGE');
  return Buffer.concat(chunks);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
