import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { parseJson } from '../collections/parse-json.ts';
import { MarketplaceError } from '../marketplace/errors.ts';
import type { Clock } from '../time/clock.ts';
import { systemClock } from '../time/system-clock.ts';
import type { EpochMs } from '../time/times.ts';
import { secretsClient } from './clients.ts';

/** The secret's initial value, which the partner replaces. */
const PLACEHOLDER = 'REPLACE_ME';
/** How long a secret is cached. A refused secret is read again at once. */
const CACHE_MS = 300_000;

const partnerSecretSchema = z.looseObject({
  partnerSecretKey: z.string().min(1),
  /** Secrets that sign webhooks, if the marketplace uses other secrets than the partner's key. */
  webhookSecrets: z.array(z.string().min(1)).optional(),
});

type PartnerSecretValue = z.infer<typeof partnerSecretSchema>;

/** The partner's secret key and the webhook secrets. `fresh` bypasses the cache. */
export interface PartnerSecret {
  /** The key that signs requests. */
  read(options?: { fresh?: boolean }): Promise<string>;
  /** All secrets that are valid for webhooks, two during a rotation. */
  webhookSecrets(options?: { fresh?: boolean }): Promise<string[]>;
}

/**
 * Reads the secret through a cache. If the secret is unusable, a read throws MarketplaceError `SECRET_PLACEHOLDER` or `SECRET_INVALID`,
 * which counts as refused credentials. An unusable secret is not cached, so that the next read sees the partner's new value.
 */
export function createPartnerSecret(
  readSecret: ReadSecret,
  secretArn: string,
  clock: Pick<Clock, 'now'> = systemClock,
): PartnerSecret {
  let cached: { readonly value: PartnerSecretValue; readonly until: EpochMs } | undefined;
  const value = async ({ fresh = false } = {}): Promise<PartnerSecretValue> => {
    if (!fresh && cached !== undefined && clock.now() < cached.until) return cached.value;
    const text = await readSecret(secretArn);
    cached = undefined;
    const read = parseSecret(text);
    cached = { value: read, until: clock.now() + CACHE_MS };
    return read;
  };
  return {
    read: async (options) => (await value(options)).partnerSecretKey,
    webhookSecrets: async (options) => {
      const { partnerSecretKey, webhookSecrets = [] } = await value(options);
      return [...webhookSecrets, partnerSecretKey];
    },
  };
}

function parseSecret(text = ''): PartnerSecretValue {
  const parsed = partnerSecretSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    // The message must not quote the value.
    throw unusable('SECRET_INVALID', 'the partner secret is not JSON with a partnerSecretKey');
  }
  if (parsed.data.partnerSecretKey === PLACEHOLDER) {
    throw unusable(
      'SECRET_PLACEHOLDER',
      'the partner secret still has its placeholder: put {"partnerSecretKey": "…"} into the secret that the stack output PartnerSecretArn names',
    );
  }
  return parsed.data;
}

function unusable(code: 'SECRET_INVALID' | 'SECRET_PLACEHOLDER', message: string): MarketplaceError {
  return new MarketplaceError({ code, message, outcome: 'not-sent', retryable: false });
}

/** The text of a secret in Secrets Manager; `undefined` for a secret that holds bytes. */
export type ReadSecret = (secretArn: string) => Promise<string | undefined>;

export function createSecretReader(client = secretsClient()): ReadSecret {
  return async (secretArn) =>
    (await client.send(new GetSecretValueCommand({ SecretId: secretArn }))).SecretString;
}
