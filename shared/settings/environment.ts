import { z } from 'zod';
import { ConnectorError } from '../errors/connector-error.ts';

const name = z.string().min(1);
const count = z.coerce.number().int().positive();

/** Schema and default of every setting that `infra/` sets in a function's environment. */
export const settingSchemas = {
  marketplaceBaseUrl: z.url({ protocol: /^https?$/ }),
  partnerClientId: name,
  partnerSecretArn: name,

  eventBusName: name,
  apiUrl: z.url(),

  listingsTable: name,
  waitingTable: name,
  lanesTable: name,
  limitsTable: name,
  guardsTable: name,
  storesTable: name,
  sessionsTable: name,
  batchesTable: name,
  rejectionsTable: name,
  ordersTable: name,
  requestsTable: name,
  inputsTable: name,
  changeEventsTable: name,

  changesQueueUrl: z.url(),
  wakeQueueUrl: z.url(),
  catalogImportQueueUrl: z.url(),
  productCommandsQueueUrl: z.url(),
  orderCommandsQueueUrl: z.url(),
  documentCommandsQueueUrl: z.url(),
  summariesQueueUrl: z.url(),
  /** Separated by commas. */
  deadLetterQueueUrls: z
    .string()
    .transform((urls) => urls.split(','))
    .pipe(z.array(z.url())),

  importBucket: name,
  documentBucket: name,
  archiveBucket: name,

  recordRetentionDays: count.default(90),
  orderRetentionDays: count.default(400),
  changeEventRetentionDays: count.default(30),

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
} as const;

type Schemas = typeof settingSchemas;
export type Setting = keyof Schemas;

/** The environment variable of each setting: `LISTINGS_TABLE_NAME` for `listingsTable`, `API_URL` for `apiUrl`. */
export const environmentNames = Object.fromEntries(
  Object.keys(settingSchemas).map((setting) => [
    setting,
    setting
      .replace(/(Table|Bucket)$/, '$1Name')
      .replace(/[A-Z]/g, '_$&')
      .toUpperCase(),
  ]),
) as Record<Setting, string>;

/**
 * Reads settings from the environment.
 *
 * @throws ConnectorError `ENVIRONMENT_INVALID` that names every invalid variable
 */
export function readEnvironment<K extends Setting>(
  settings: readonly K[],
): { readonly [N in K]: z.infer<Schemas[N]> } {
  const shape = Object.fromEntries(settings.map((it) => [environmentNames[it], settingSchemas[it]]));
  const { error, data } = z.object(shape).safeParse(process.env);
  if (error) {
    throw new ConnectorError(`invalid environment variables:\n${z.prettifyError(error)}`, {
      code: 'ENVIRONMENT_INVALID',
      cause: error,
    });
  }
  return Object.fromEntries(settings.map((it) => [it, data[environmentNames[it]]])) as {
    [N in K]: z.infer<Schemas[N]>;
  };
}
