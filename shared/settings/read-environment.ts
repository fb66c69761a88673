import { z } from 'zod';
import { ConnectorError } from '../errors/connector-error.ts';
import { environmentNames } from './environment.ts';

const name = z.string().min(1);
const count = z.coerce.number().int().positive();

/** Schema and default of every environment variable that a function may read. */
const variables = {
  marketplaceBaseUrl: z.url({ protocol: /^https?$/ }),
  partnerClientId: name,
  partnerSecretArn: name,

  eventBusName: name,
  apiUrl: z.url(),

  listingsTable: name,
  lanesTable: name,
  limitsTable: name,
  guardsTable: name,
  storesTable: name,
  sessionsTable: name,
  batchesTable: name,
  rejectionsTable: name,
  ordersTable: name,
  requestsTable: name,

  changesQueueUrl: z.url(),
  wakeQueueUrl: z.url(),
  productCommandsQueueUrl: z.url(),
  orderCommandsQueueUrl: z.url(),
  documentCommandsQueueUrl: z.url(),
  summariesQueueUrl: z.url(),

  importBucket: name,
  documentBucket: name,
  archiveBucket: name,

  itemsPerRequest: count.default(100),
  requestsPerSecond: z.coerce.number().positive().default(5),
  requestsInFlight: count.default(5),
  pageSize: count.default(50),
  productNames: z.enum(['sku', 'id', 'externalId']).default('sku'),
  orderNames: z.enum(['orderId', 'invoiceNumber']).default('orderId'),
  webhookVerification: z.enum(['marketplace-hmac', 'standard-webhooks', 'both']).default('marketplace-hmac'),
  webhookReplayWindowSeconds: count.default(300),
  callbackStoreParameter: name.default('storeClientId'),
  callbackTokenParameter: name.default('storeToken'),
  callbackSessionParameter: name.default('sid'),
  documentWaitMinutes: z.coerce.number().int().nonnegative().default(0),
  batchDeadlineMinutes: z.coerce.number().positive().default(15),
  attemptLifetimeSeconds: count.default(30),
  credentialsRetrySeconds: count.default(60),
  requestTimeoutSeconds: count.default(20),
} as const satisfies Record<keyof typeof environmentNames, z.ZodType>;

type Variables = typeof variables;

/**
 * Reads the settings that a function names from its environment.
 *
 * @throws ConnectorError `ENVIRONMENT_INVALID` that names every variable at fault
 */
export function readEnvironment<K extends keyof Variables>(
  settings: readonly K[],
  environment: NodeJS.ProcessEnv = process.env,
): { readonly [N in K]: z.infer<Variables[N]> } {
  const shape = Object.fromEntries(
    settings.map((setting) => [environmentNames[setting], variables[setting]]),
  );
  const parsed = z.object(shape).safeParse(environment);
  if (!parsed.success) {
    throw new ConnectorError(
      `the environment is not as the stack sets it:\n${z.prettifyError(parsed.error)}`,
      {
        code: 'ENVIRONMENT_INVALID',
        cause: parsed.error,
      },
    );
  }
  const values: Record<string, unknown> = parsed.data;
  return Object.fromEntries(settings.map((setting) => [setting, values[environmentNames[setting]]])) as {
    [N in K]: z.infer<Variables[N]>;
  };
}
