import type { HttpBindings } from '@hono/node-server';
import { createMiddleware } from 'hono/factory';
import { type Clock, isoTime } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { bodyHash } from '../signing.ts';
import type { Marketplace } from '../state/marketplace.ts';
import type { RequestEntry } from '../state/request-log.ts';

const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** One request of the API on its way through the sandbox. */
export interface Exchange {
  marketplace: Marketplace;
  entry: RequestEntry;
  requestId: string;
  body: Buffer;
  /** The body as JSON; undefined where it is none. */
  json: unknown;
  /** Epoch ms. */
  startedAt: number;
  errorCode: string | undefined;
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

/** Reads the raw body and keeps the request in the log, whatever becomes of it. */
export function recordExchange({ clock, newId, marketplace }: Sources) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const startedAt = clock.now();
    const body = await readBody(c.env.incoming);
    const json = parseJson(body ?? Buffer.alloc(0));
    const current = marketplace();
    const [path = '', query = ''] = (c.env.incoming.url ?? '').split('?', 2);
    const entry = current.requests.open({
      time: isoTime(startedAt),
      method: c.req.method,
      path: path.replace(/^\/api\/v1/, ''),
      query,
      storeClientId: c.req.header('x-store-client-id') ?? null,
      items: rowsOf(json)?.rows.length ?? 0,
      bodyHash: bodyHash(body ?? Buffer.alloc(0)),
    });
    const exchange: Exchange = {
      marketplace: current,
      entry,
      requestId: newId(),
      body: body ?? Buffer.alloc(0),
      json,
      startedAt,
      errorCode: undefined,
    };
    c.set('exchange', exchange);
    if (body === undefined) throw new ApiError('PAYLOAD_TOO_LARGE');
    await next();
    entry.errorCode = exchange.errorCode ?? null;
    if (!c.env.incoming.socket.destroyed) entry.status = c.res.status;
  });
}

/** The list of rows in a bulk request's body, and its name there. */
export function rowsOf(json: unknown): { name: string; rows: unknown[] } | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  for (const name of ['items', 'products', 'ids']) {
    const rows: unknown = Reflect.get(json, name);
    if (Array.isArray(rows)) return { name, rows };
  }
  return undefined;
}

async function readBody(incoming: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
