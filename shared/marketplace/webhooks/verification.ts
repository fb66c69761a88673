import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import { equalInConstantTime, verifySignature } from '../signing.ts';

/**
 * How a webhook is signed. The specification does not say it (§6), so it is a setting.
 * - `marketplace-hmac`: like a request of §5 without store headers, over the webhook's own path;
 * - `standard-webhooks`: as https://www.standardwebhooks.com specifies.
 */
export const webhookSchemes = ['marketplace-hmac', 'standard-webhooks'] as const;
export type WebhookScheme = (typeof webhookSchemes)[number];

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
  readonly now: EpochMs;
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

/** The default for users of the package. The stack uses its setting `webhookReplayWindowSeconds`. */
const DEFAULT_REPLAY_WINDOW_MS = 300_000;
const STANDARD_SECRET_PREFIX = 'whsec_';

type Headers = ReceivedWebhook['headers'];

/** How a webhook of a scheme is verified, by its headers with lowercase names. */
interface Verifier {
  /** Whether the webhook carries a signature, valid or not. */
  readonly isSigned: (headers: Headers) => boolean;
  /** The signed time, epoch milliseconds; NaN if the header has no number. */
  readonly timeOf: (headers: Headers) => number;
  /** Whether the webhook's signature was made with this secret. */
  readonly isMadeWith: (secret: string, webhook: ReceivedWebhook, headers: Headers) => boolean;
}

/**
 * Verifies a webhook over its raw bytes. Fails closed (P9): refuses a webhook with a missing or malformed header, or with a time outside
 * the window. Without secrets it refuses every webhook.
 */
export function verifyWebhook(
  webhook: ReceivedWebhook,
  options: WebhookVerificationOptions,
): WebhookVerification {
  const headers = withLowercaseNames(webhook.headers);
  let firstRefusal: WebhookRefusal | undefined;
  for (const scheme of options.schemes) {
    const verifier = VERIFIERS[scheme];
    if (!verifier.isSigned(headers)) continue;
    const refusal = refusalOf(verifier, webhook, headers, options);
    if (refusal === undefined) return { ok: true, scheme };
    firstRefusal ??= refusal;
  }
  return { ok: false, reason: firstRefusal ?? 'signature-missing' };
}

/** Whether a webhook carries a signature of any scheme, valid or not. */
export function carriesSignature(webhook: ReceivedWebhook): boolean {
  const headers = withLowercaseNames(webhook.headers);
  return Object.values(VERIFIERS).some(({ isSigned }) => isSigned(headers));
}

function refusalOf(
  { timeOf, isMadeWith }: Verifier,
  webhook: ReceivedWebhook,
  headers: Headers,
  { secrets, now, replayWindowMs = DEFAULT_REPLAY_WINDOW_MS }: WebhookVerificationOptions,
): WebhookRefusal | undefined {
  const at = timeOf(headers);
  if (Number.isNaN(at)) return 'timestamp-invalid';
  if (Math.abs(now - at) > replayWindowMs) return 'timestamp-outside-window';
  for (const secret of secrets) {
    if (secret !== '' && isMadeWith(secret, webhook, headers)) return undefined;
  }
  return 'signature-wrong';
}

const VERIFIERS: Record<WebhookScheme, Verifier> = {
  'marketplace-hmac': {
    isSigned: (headers) => Boolean(headers['x-signature']),
    timeOf: (headers) => integer(headers['x-timestamp']),
    isMadeWith: (secret, { method, path, rawBody }, headers) =>
      verifySignature(secret, { method, path, headers, body: rawBody }),
  },
  'standard-webhooks': {
    isSigned: (headers) => Boolean(headers['webhook-id'] && headers['webhook-signature']),
    timeOf: (headers) => integer(headers['webhook-timestamp']) * 1000,
    isMadeWith: (secret, { rawBody }, headers) => {
      const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given = '' } = headers;
      const expected = standardSignature(secret, `${id}.${timestamp}.`, rawBody);
      if (expected === undefined) return false;
      // Several signatures are sent while a secret is rotated.
      return given.split(' ').some((one) => equalInConstantTime(one, expected));
    },
  },
};

/** The key of a secret of Standard Webhooks. */
function standardKey(secret: string): KeyObject {
  return secret.startsWith(STANDARD_SECRET_PREFIX)
    ? createSecretKey(secret.slice(STANDARD_SECRET_PREFIX.length), 'base64')
    : createSecretKey(secret, 'utf8');
}

/** `undefined` for a secret without bytes. */
function standardSignature(secret: string, prefix: string, rawBody: Uint8Array): string | undefined {
  const key = standardKey(secret);
  if (key.symmetricKeySize === 0) return undefined;
  return `v1,${createHmac('sha256', key).update(prefix).update(rawBody).digest('base64')}`;
}

/** The headers of a webhook that is signed by Standard Webhooks. */
export function signStandardWebhook(
  secret: string,
  { id, rawBody, now }: { id: string; rawBody: Uint8Array; now: EpochMs },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = standardSignature(secret, `${id}.${timestamp}.`, rawBody) ?? '';
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

/** The number of a text of digits, otherwise NaN. */
function integer(text = ''): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

function withLowercaseNames(headers: ReceivedWebhook['headers']): ReceivedWebhook['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The secrets that are valid for webhooks now; `fresh` bypasses the cache. */
export interface WebhookSecrets {
  webhookSecrets(options?: { fresh?: boolean }): Promise<string[]>;
}

/** Between two fresh reads at least this many milliseconds pass. */
const FRESH_EVERY_MS = 10_000;

/**
 * Limits how often the cache is bypassed: anyone can send wrong signatures. Right after a rotation a webhook may be refused; the
 * marketplace then sends it again.
 */
export function withLimitedRefresh(secrets: WebhookSecrets, clock: Pick<Clock, 'now'>): WebhookSecrets {
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
