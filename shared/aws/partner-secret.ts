import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { z } from 'zod';
import { parseJson } from '../collections/parse-json.ts';
import { MarketplaceError } from '../marketplace/errors.ts';

/** The value that the stack creates the secret with, for the partner to replace. */
const PLACEHOLDER = 'REPLACE_ME';
/** Seconds for which a secret is cached; when the marketplace refuses it, it is read again at once. */
const CACHE_SECONDS = 300;

const partnerSecretSchema = z.looseObject({
  partnerSecretKey: z.string().min(1),
  /** Secrets that sign webhooks, where the marketplace uses others than the partner's key. */
  webhookSecrets: z.array(z.string().min(1)).optional(),
});

type PartnerSecretValue = z.infer<typeof partnerSecretSchema>;

/** The partner's secret key and the webhook secrets; they leave Secrets Manager only to sign and to verify. */
export interface PartnerSecret {
  /** The key that signs requests. `fresh` reads past the cache. */
  read(options?: { fresh?: boolean }): Promise<string>;
  /** Every secret that a webhook may be signed with now: two while one is being rotated. */
  webhookSecrets(options?: { fresh?: boolean }): Promise<string[]>;
}

/**
 * Reads the secret through a cache. A value that can't be used is not cached, so that the partner's own value counts as soon
 * as it is put.
 *
 * Every read throws MarketplaceError `SECRET_PLACEHOLDER` or `SECRET_INVALID` where the secret can't be used: nothing can be
 * signed, as if the marketplace refused the partner's credentials.
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
    // Nothing of the value goes into the message.
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
