import type { ServerResponse } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { documentClient } from '../../../shared/aws/document-client.ts';
import { connectMarketplace } from '../../../shared/aws/marketplace.ts';
import { brandCallsOver } from '../../../shared/marketplace/brands.ts';
import type { Environment } from '../../../shared/settings/environment.ts';
import { useLocalTables } from '../ports/local-tables.ts';
import { startOddServer } from './odd-server.ts';

const local = useLocalTables();
/** More than the connections that a transport has by default. */
const OPEN = 12;
const PAGE = JSON.stringify({ data: [], meta: { page: 1, limit: 20, total: 0, totalPages: 0 } });

afterEach(() => vi.unstubAllEnvs());

test('one function has as many requests open at the same time as the limit allows', async () => {
  const { endpoint, region } = local().started.run;
  const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  for (const [name, value] of Object.entries({
    ...credentials,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
  })) {
    vi.stubEnv(name, value);
  }
  const open: ServerResponse[] = [];
  await using server = await startOddServer((_, response) => {
    open.push(response);
    if (open.length < OPEN) return;
    for (const one of open.splice(0)) one.writeHead(200, { 'content-type': 'application/json' }).end(PAGE);
  });
  const environment = {
    marketplaceBaseUrl: server.baseUrl,
    partnerClientId: 'partner',
    partnerSecretArn: 'not-read',
    limitsTable: local().tableName('Limits'),
    requestsPerSecond: 50,
    requestsInFlight: 2 * OPEN,
    requestTimeoutSeconds: 20,
    attemptLifetimeSeconds: 30,
    credentialsRetrySeconds: 60,
  } as Environment;
  const observer = { onSent: () => {}, onEnded: () => {} };
  const { searchBrands } = brandCallsOver(
    connectMarketplace(environment, { tables: documentClient(), observer }).call,
  );
  const pages = await Promise.all(Array.from({ length: OPEN }, () => searchBrands()));
  expect(pages).toHaveLength(OPEN);
});
