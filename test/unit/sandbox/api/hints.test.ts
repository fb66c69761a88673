import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();
const HEADERS = {
  'x-partner-client-id': 'sandbox-partner',
  'x-store-client-id': 'store-0wh',
  'x-store-token': 'token-store-0wh',
};
const PARTNER_LINES = ['x-partner-client-id:sandbox-partner'];
const ALL_LINES = Object.entries(HEADERS).map(([name, value]) => `${name}:${value}`);

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

interface Signing {
  path?: string;
  lines?: string[];
  body?: string;
  end?: string;
  format?: (hex: string) => string;
}

/** Sends a request whose signature was made in this way, and answers the hint. */
async function hintFor(signing: Signing): Promise<string> {
  const timestamp = String(Date.now());
  const lines = [...(signing.lines ?? ALL_LINES), `x-timestamp:${timestamp}`].sort();
  const bodyHash = sha256(signing.body ?? '{"items":[1]}');
  const base =
    ['PATCH', signing.path ?? '/partner/stores/inventory', ...lines, bodyHash].join('\n') +
    (signing.end ?? '');
  const hex = createHmac('sha256', 'sandbox-partner-secret').update(base).digest('hex');
  const signature = (signing.format ?? ((value) => `sha256=${value}`))(hex);
  const response = await fetch(`${sandbox.url}/api/v1/partner/stores/inventory?a=b`, {
    method: 'PATCH',
    headers: { ...HEADERS, 'x-timestamp': timestamp, 'x-signature': signature },
    body: '{"items":[1]}',
  });
  const { error } = (await response.json()) as { error: { code: string; details: { hint: string } } };
  expect(error.code).toBe('AUTH_010');
  return error.details.hint;
}

describe('the hint of AUTH_010', () => {
  it.each<[string, Signing, RegExp]>([
    ['a path with its query string', { path: '/partner/stores/inventory?a=b' }, /query string/],
    ['a path with its prefix', { path: '/api/v1/partner/stores/inventory' }, /\/api\/v1 prefix/],
    ['store headers left out', { lines: PARTNER_LINES }, /store headers were left out/],
    ['no body hashed', { body: '' }, /of an empty body/],
    ['a pretty-printed body hashed', { body: JSON.stringify({ items: [1] }, null, 2) }, /pretty-printed/],
    ['a line feed at the end', { end: '\n' }, /line feed/],
    ['no prefix of the signature', { format: (hex) => hex }, /sha256=/],
    ['uppercase hex', { format: (hex) => `sha256=${hex.toUpperCase()}` }, /lowercase/],
  ])('names %s', async (_, signing, hint) => {
    expect(await hintFor(signing)).toMatch(hint);
  });

  it('points at the page for people otherwise', async () => {
    expect(await hintFor({ path: '/elsewhere' })).toMatch(/GET \/sandbox/);
  });
});

test('a path without /api/v1 is answered with a hint that names the prefix', async () => {
  const response = await fetch(`${sandbox.url}/partner/stores/warehouses`);
  const { error } = (await response.json()) as { error: { code: string; details: { hint: string } } };
  expect([response.status, error.code, error.details.hint]).toEqual([
    404,
    'NOT_FOUND',
    expect.stringContaining('/api/v1'),
  ]);
});

describe('the hint of AUTH_003', () => {
  it.each<[string, { timestamp?: number; headers?: Record<string, undefined> }, RegExp]>([
    ['seconds', { timestamp: Math.floor(Date.now() / 1000) }, /in seconds/],
    ['a missing timestamp', { headers: { 'x-timestamp': undefined } }, /header is missing/],
    ['a late request', { timestamp: Date.now() - 400_000 }, /behind the server's clock/],
  ])('names %s', async (_, options, hint) => {
    const { json } = await sandbox.call('GET /partner/stores/warehouses', options);
    expect(json.error).toMatchObject({ code: 'AUTH_003', details: { hint: expect.stringMatching(hint) } });
  });
});
