import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createLimiter, type Limiter } from '../limits/limiter.ts';
import { limitIdsOf } from '../limits/model.ts';
import { type Call, createCall } from '../marketplace/call.ts';
import type { AttemptObserver } from '../marketplace/options.ts';
import { createHttpTransport } from '../marketplace/transport.ts';
import type { Environment } from '../settings/environment.ts';
import { systemClock } from '../time/system-clock.ts';
import { attemptLifetimeOf } from '../time/waits.ts';
import { createLimitTable } from './limit-table.ts';
import { createPartnerSecret, createSecretReader, type PartnerSecret } from './partner-secret.ts';

/** The rate limiter, which all functions share. */
function connectLimiter(environment: Environment, tables: DynamoDBDocumentClient): Limiter {
  const ports = {
    limits: createLimitTable(tables, environment.limitsTable),
    clock: systemClock,
    newId: randomUUID,
    random: Math.random,
  };
  const settings = {
    requestsPerSecond: environment.requestsPerSecond,
    requestsInFlight: environment.requestsInFlight,
    permitLifetimeMs: attemptLifetimeOf(environment),
    stopMs: environment.credentialsRetrySeconds * 1000,
    restoredTables: environment.restoredTables,
  };
  return createLimiter(ports, settings, limitIdsOf(environment.partnerClientId, settings));
}

interface MarketplaceConnection {
  readonly call: Call;
  readonly limiter: Limiter;
  readonly secretKey: PartnerSecret;
}

/** Calls the marketplace with the partner's credentials and the shared rate limiter. */
export function connectMarketplace(
  environment: Environment,
  { tables, observer }: { readonly tables: DynamoDBDocumentClient; readonly observer: AttemptObserver },
): MarketplaceConnection {
  const limiter = connectLimiter(environment, tables);
  const secretKey = createPartnerSecret(createSecretReader(), environment.partnerSecretArn);
  const call = createCall({
    baseUrl: environment.marketplaceBaseUrl,
    partnerClientId: environment.partnerClientId,
    secretKey,
    // A connection for each permit: a request that waits for a connection would waste its permit and its time.
    transport: createHttpTransport({ connections: environment.requestsInFlight }),
    clock: Date,
    permits: limiter,
    observer,
    timeoutMs: environment.requestTimeoutSeconds * 1000,
  });
  return { call, limiter, secretKey };
}
