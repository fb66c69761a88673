import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { z } from 'zod';
import { parseJson } from '../collections/parse-json.ts';
import { MarketplaceError } from '../marketplace/errors.ts';

/** The secret's initial value, which the partner replaces. */
const PLACEHOLDER = 'REPLACE_ME';
/** A refused secret is read again at once. */
const CACHE_SECONDS = 300;

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
 * Reads the secret through a cache. Reads of an unusable one throw MarketplaceError `SECRET_PLACEHOLDER` or `SECRET_INVALID`,
 * which counts as refused credentials. An unusable one is not cached, so that the next read sees what the partner has put.
 */
export function createPartnerSecret(client: SecretsManagerClient, secretArn: string): PartnerSecret {
  const provider = new SecretsProvider({ awsSdkV3Client: client });
  const value = async ({ fresh = false } = {}): Promise<PartnerSecretValue> => {
    const text = await provider.get(secretArn, { maxAge: CACHE_SECONDS, forceFetch: fresh });
    try {
      return parseSecret(text);
    } catch (error) {
      provider.clearCache();
      throw error;
    }
  };
  return {
    read: async (options) => (await value(options)).partnerSecretKey,
    webhookSecrets: async (options) => {
      const { partnerSecretKey, webhookSecrets = [] } = await value(options);
      return [...webhookSecrets, partnerSecretKey];
    },
  };
}

function parseSecret(text: unknown): PartnerSecretValue {
  const parsed = partnerSecretSchema.safeParse(typeof text === 'string' ? parseJson(text) : undefined);
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
