import { createHmac } from 'node:crypto';
import { equalInConstantTime, hmacKeys, verifySignature } from '../signing.ts';

/**
 * How a webhook is signed: a setting, as the specification does not say (§6).
 * - `marketplace-hmac`: like a request of §5 without store headers, over the webhook's own path;
 * - `standard-webhooks`: as https://www.standardwebhooks.com specifies.
 */
export type WebhookScheme = 'marketplace-hmac' | 'standard-webhooks';

export interface ReceivedWebhook {
  readonly method: string;
  /** Path as received; a query string is optional. */
  readonly path: string;
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes as received, before any parsing. */
  readonly rawBody: Uint8Array;
}

export interface WebhookVerificationOptions {
  /** Accepted schemes. */
  readonly schemes: readonly WebhookScheme[];
  /**
   * Valid secrets, several during a rotation. With `standard-webhooks` a secret with the prefix `whsec_` is base64, as
   * Standard Webhooks specifies; any other is used as UTF-8 bytes.
   */
  readonly secrets: readonly string[];
  /** Current time, epoch milliseconds. */
  readonly now: number;
  /** Most milliseconds between the signed time and now, in either direction; default 300,000. */
  readonly replayWindowMs?: number;
}

/** Why a webhook was refused. */
export type WebhookRefusal =
  | 'signature-missing'
  | 'timestamp-invalid'
  | 'timestamp-outside-window'
  | 'signature-wrong';

export type WebhookVerification =
  | { readonly ok: true; readonly scheme: WebhookScheme }
  | { readonly ok: false; readonly reason: WebhookRefusal };

const DEFAULT_REPLAY_WINDOW_MS = 300_000;
const STANDARD_SECRET_PREFIX = 'whsec_';

/** A webhook's signature, not verified yet. */
interface Claim {
  /** Epoch milliseconds by its header; NaN if that is no number. */
  readonly signedAt: number;
  readonly madeWith: (secret: string) => boolean;
}

/**
 * Verifies a webhook over its raw bytes. It fails closed (P9): a missing or malformed header, a time outside the window or
 * an empty list of secrets refuses the webhook.
 */
export function verifyWebhook(
  webhook: ReceivedWebhook,
  { schemes, secrets, now, replayWindowMs = DEFAULT_REPLAY_WINDOW_MS }: WebhookVerificationOptions,
): WebhookVerification {
  const headers = withLowercaseNames(webhook.headers);
  let firstRefusal: WebhookRefusal | undefined;
  for (const scheme of schemes) {
    const claim = CLAIM_READERS[scheme](webhook, headers);
    if (claim === undefined) continue;
    const refusal = refusalOf(claim, secrets, now, replayWindowMs);
    if (refusal === undefined) return { ok: true, scheme };
    firstRefusal ??= refusal;
  }
  return { ok: false, reason: firstRefusal ?? 'signature-missing' };
}

/** Whether a webhook carries a signature of any scheme, valid or not. */
export function carriesSignature(webhook: ReceivedWebhook): boolean {
  const headers = withLowercaseNames(webhook.headers);
  return Object.values(CLAIM_READERS).some((read) => read(webhook, headers) !== undefined);
}

function refusalOf(
  { signedAt, madeWith }: Claim,
  secrets: readonly string[],
  now: number,
  replayWindowMs: number,
): WebhookRefusal | undefined {
  if (Number.isNaN(signedAt)) return 'timestamp-invalid';
  if (Math.abs(now - signedAt) > replayWindowMs) return 'timestamp-outside-window';
  return secrets.some((secret) => secret !== '' && madeWith(secret)) ? undefined : 'signature-wrong';
}

/** Reads a webhook's claim; `headers` have lowercase names. */
type ClaimReader = (webhook: ReceivedWebhook, headers: ReceivedWebhook['headers']) => Claim | undefined;

const CLAIM_READERS: Record<WebhookScheme, ClaimReader> = {
  'marketplace-hmac': ({ method, path, rawBody }, headers) => {
    if (!headers['x-signature']) return undefined;
    return {
      signedAt: integer(headers['x-timestamp']),
      madeWith: (secret) => verifySignature(secret, { method, path, headers, body: rawBody }),
    };
  },
  'standard-webhooks': ({ rawBody }, headers) => {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
    if (!id || !signatures) return undefined;
    return {
      signedAt: integer(timestamp) * 1000,
      madeWith: (secret) => {
        const key = standardKey(secret);
        if (key.symmetricKeySize === 0) return false;
        const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody);
        const expected = `v1,${hmac.digest('base64')}`;
        return signatures.split(' ').some((candidate) => equalInConstantTime(candidate, expected));
      },
    };
  },
};

const standardKey = hmacKeys((secret) =>
  secret.startsWith(STANDARD_SECRET_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret),
);

function integer(text = ''): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

function withLowercaseNames(headers: ReceivedWebhook['headers']): ReceivedWebhook['headers'] {
  // API Gateway sends lowercase names: most headers need no copy.
  if (Object.keys(headers).every((name) => name === name.toLowerCase())) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The secrets that are valid for webhooks now; `fresh` bypasses the cache. */
export interface WebhookSecrets {
  webhookSecrets(options?: { fresh?: boolean }): Promise<string[]>;
}

/** Least milliseconds between two fresh reads. */
const FRESH_EVERY_MS = 10_000;

/**
 * Limits how often the cache is bypassed, as anyone can send wrong signatures. A webhook right after a rotation may be
 * refused, and is accepted when the marketplace sends it again.
 */
export function withLimitedRefresh(secrets: WebhookSecrets, clock: { now(): number }): WebhookSecrets {
  let freshAt = Number.NEGATIVE_INFINITY;
  return {
    webhookSecrets: ({ fresh = false } = {}) => {
      const now = clock.now();
      const mayBeFresh = fresh && now - freshAt >= FRESH_EVERY_MS;
      if (mayBeFresh) freshAt = now;
      return secrets.webhookSecrets({ fresh: mayBeFresh });
    },
  };
}
