import { createHash, createHmac } from 'node:crypto';

/** What a signed call carries besides its method and path. */
interface CallOptions {
  body?: unknown;
  /** Sent in place of the body that was signed. */
  sentBody?: string;
  /** The store that is named, with its token; null for calls with partner headers only. */
  store?: string | null;
  token?: string;
  partner?: string;
  secretKey?: string;
  /** Epoch ms; now by default. */
  timestamp?: number | string;
  /** Replaces or (undefined) removes headers after signing. */
  headers?: Record<string, string | undefined>;
  signal?: AbortSignal;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers that they assert on
export type Json = any;

export interface Answered {
  status: number;
  headers: Headers;
  bytes: Buffer;
  json: Json;
}

/** A client of the API that knows nothing of the sandbox's code: signing written out by hand. */
export async function call(url: string, line: string, options: CallOptions = {}): Promise<Answered> {
  const [method = '', pathAndQuery = ''] = line.split(' ');
  const body = options.body === undefined ? '' : JSON.stringify(options.body);
  const response = await fetch(`${url}/api/v1${pathAndQuery}`, {
    method,
    headers: definedOnly({ ...signed(method, pathAndQuery, body, options), ...options.headers }),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(body === '' ? {} : { body: options.sentBody ?? body }),
  });
  return read(response);
}

/** A control of the sandbox. */
export async function control(url: string, line: string, body?: unknown): Promise<Answered> {
  const [method = '', path = ''] = line.split(' ');
  const response = await fetch(`${url}/sandbox${path}`, {
    method,
    redirect: 'manual',
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return read(response);
}

function signed(
  method: string,
  pathAndQuery: string,
  body: string,
  options: CallOptions,
): Record<string, string> {
  const { store = 'store-0wh', partner = 'sandbox-partner', timestamp = Date.now() } = options;
  const token = options.token ?? `token-${store}`;
  const storeHeaders = store === null ? {} : { 'x-store-client-id': store, 'x-store-token': token };
  const headers = { 'x-partner-client-id': partner, ...storeHeaders, 'x-timestamp': String(timestamp) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`);
  const hash = createHash('sha256').update(body).digest('hex');
  const base = [method, pathAndQuery.split('?')[0], ...lines.sort(), hash].join('\n');
  const hmac = createHmac('sha256', options.secretKey ?? `${partner}-secret`)
    .update(base)
    .digest('hex');
  return { ...headers, 'x-signature': `sha256=${hmac}`, 'content-type': 'application/json' };
}

function definedOnly(headers: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

async function read(response: Response): Promise<Answered> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.includes('application/json');
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    json: isJson ? parse(bytes) : undefined,
  };
}

function parse(bytes: Buffer): Json {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
