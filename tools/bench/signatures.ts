import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'svix';
import { signRequest } from '../../shared/marketplace/signing.ts';
import { verifyWebhook, type WebhookScheme } from '../../shared/marketplace/webhooks/verification.ts';
import { markdownTable } from '../describe/pages/markdown.ts';
import { barOf, interleaved, spread } from './interleaved.ts';
import type { Section } from './page.ts';
import type { Bar } from './plot.ts';
import { timed as timedMs } from './timed.ts';

const ROUNDS = 25;
/** Calls between two looks at the clock. */
const CALLS = 100;
const SECRET = 'partner-secret-key';
const STANDARD_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const PATH = '/webhooks/marketplace';

/** Microseconds of CPU of one call. */
function timed(call: () => unknown): () => number {
  const measure = timedMs(call, CALLS);
  return () => measure() * 1000;
}

/** Signs a request, and the bare hash of its body with the bare HMAC of a text of the same length. */
function signing(bytes: number) {
  const body = Buffer.alloc(bytes, 'a');
  const store = { storeClientId: 'store-1wh', storeToken: 'token-store-1wh' };
  const request = {
    method: 'PUT',
    path: '/partner/stores/inventory',
    body,
    partnerClientId: 'partner',
    store,
    timestamp: Date.now(),
  };
  const key = createSecretKey(Buffer.from(SECRET));
  const head = 'h'.repeat(150);
  return {
    'bare hash and HMAC': timed(() =>
      createHmac('sha256', key)
        .update(head + hash('sha256', body))
        .digest('hex'),
    ),
    connector: timed(() => signRequest(SECRET, request)),
  };
}

const webhookBody = Buffer.from(JSON.stringify({ event: 'catalog.sync.completed', pad: 'x'.repeat(980) }));

function standardHeaders() {
  const now = new Date();
  return {
    'content-type': 'application/json',
    'content-length': String(webhookBody.length),
    host: 'connector.example',
    'user-agent': 'marketplace',
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(STANDARD_SECRET).sign('msg_1', now, webhookBody.toString()),
  };
}

function marketplaceHeaders(): Record<string, string> {
  const { 'content-type': type, 'content-length': length, host, 'user-agent': agent } = standardHeaders();
  return {
    'content-type': type,
    'content-length': length,
    host,
    'user-agent': agent,
    ...signRequest(SECRET, {
      method: 'POST',
      path: PATH,
      body: webhookBody,
      partnerClientId: 'partner',
      timestamp: Date.now(),
    }),
  };
}

/** Verifies as the webhook receiver does. @throws Error when the webhook is refused */
function verify(scheme: WebhookScheme, headers: Record<string, string>): void {
  const secret = scheme === 'standard-webhooks' ? STANDARD_SECRET : SECRET;
  const webhook = { method: 'POST', path: PATH, headers, rawBody: webhookBody };
  const result = verifyWebhook(webhook, { schemes: [scheme], secrets: [secret], now: Date.now() });
  if (!result.ok) throw new Error(`refused: ${result.reason}`);
}

function verifying() {
  const headers = standardHeaders();
  const own = marketplaceHeaders();
  const key = createSecretKey(Buffer.alloc(32, 7));
  const prefix = `msg_1.${headers['webhook-timestamp']}.`;
  const given = Buffer.from(headers['webhook-signature']);
  const parse = () => JSON.parse(webhookBody.toString());
  const peer = new Webhook(STANDARD_SECRET);
  return {
    'bare HMAC': timed(() => {
      const mac = createHmac('sha256', key).update(prefix).update(webhookBody).digest('base64');
      return timingSafeEqual(Buffer.from(`v1,${mac}`), given);
    }),
    'connector, standard-webhooks': timed(() => verify('standard-webhooks', headers)),
    'connector, marketplace-hmac': timed(() => verify('marketplace-hmac', own)),
    'connector, standard-webhooks, and parse': timed(() => [verify('standard-webhooks', headers), parse()]),
    'connector, marketplace-hmac, and parse': timed(() => [verify('marketplace-hmac', own), parse()]),
    // It always parses.
    'svix, and parse': timed(() => peer.verify(webhookBody.toString(), headers)),
  };
}

/** Signing and verifying beside the bare functions of Node and beside svix, as a table. */
export async function benchSignatures(): Promise<Section> {
  const rows: string[][] = [];
  const bars: Bar[] = [];
  for (const [title, contenders] of [
    ['sign 64 KB', signing(64 * 1024)],
    ['sign 350 B', signing(350)],
    ['verify 1 KB', verifying()],
  ] as const) {
    // The first round compiles.
    await interleaved(contenders, 1);
    for (const { name, values, ratios } of await interleaved(contenders, ROUNDS)) {
      const speeds = ratios.map((ratio) => 1 / ratio);
      rows.push([title, name, spread(values), spread(speeds)]);
      bars.push(barOf(`${title}: ${name}`, speeds));
    }
  }
  return {
    text: markdownTable(['', 'by', 'µs of CPU a call', 'speed, of the bare one'], rows),
    plot: { title: 'Signing and verifying', unit: 'speed, of the bare functions of Node', bars },
  };
}
