import { createMarketplaceClient, type MarketplaceClient } from '../marketplace/client.ts';
import { createHttpTransport } from '../marketplace/transport.ts';
import type { readEnvironment } from '../settings/read-environment.ts';
import { secretsManagerClient } from './clients.ts';
import { createPartnerSecret } from './partner-secret.ts';

/** The settings that a function which calls the marketplace reads. */
export const marketplaceSettings = [
  'marketplaceBaseUrl',
  'partnerClientId',
  'partnerSecretArn',
  'requestTimeoutSeconds',
] as const;

type MarketplaceEnvironment = ReturnType<typeof readEnvironment<(typeof marketplaceSettings)[number]>>;

/**
 * The marketplace's client with the partner's credentials. Reads the secret before it resolves, so that a function
 * whose secret can't be used refuses to start (design P9).
 */
export async function connectMarketplace(environment: MarketplaceEnvironment): Promise<MarketplaceClient> {
  const secretKey = createPartnerSecret(secretsManagerClient(), environment.partnerSecretArn);
  await secretKey.read();
  return createMarketplaceClient({
    baseUrl: environment.marketplaceBaseUrl,
    partnerClientId: environment.partnerClientId,
    secretKey,
    transport: createHttpTransport(),
    clock: Date,
    timeoutMs: environment.requestTimeoutSeconds * 1000,
  });
}
