import * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.ts';

const name = z.string().min(1);
const count = z.coerce.number().int().positive();

/** Schema of every setting that `infra/` sets in a function's environment. Their defaults are in `infra/settings.ts`. */
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
  driftTable: name,
  verificationsTable: name,
  /** Present only if the stack uses restored tables. */
  restoredTables: name.optional(),

  /** The queue whose messages the function is invoked with. */
  sourceQueueUrl: z.url(),
  changesQueueUrl: z.url(),
  wakeQueueUrl: z.url(),
  catalogImportQueueUrl: z.url(),
  productCommandsQueueUrl: z.url(),
  orderCommandsQueueUrl: z.url(),
  documentCommandsQueueUrl: z.url(),
  summariesQueueUrl: z.url(),

  importBucket: name,
  documentBucket: name,
  archiveBucket: name,

  recordRetentionDays: count,
  archiveRetentionDays: count,
  summaryRetentionDays: count,
  orderRetentionDays: count,
  documentRetentionDays: count,
  changeEventRetentionDays: count,

  itemsPerRequest: count,
  requestsPerSecond: z.coerce.number().positive(),
  requestsInFlight: count,
  pageSize: count,
  productNames: z.enum(['sku', 'id', 'externalId']),
  orderNames: z.enum(['orderId', 'invoiceNumber']),
  webhookVerification: z.enum(['marketplace-hmac', 'standard-webhooks', 'both']),
  webhookReplayWindowSeconds: count,
  callbackStoreParameter: name,
  callbackTokenParameter: name,
  callbackSessionParameter: name,
  documentWaitMinutes: z.coerce.number().int().nonnegative(),
  batchDeadlineMinutes: z.coerce.number().positive(),
  attemptLifetimeSeconds: count,
  credentialsRetrySeconds: count,
  requestTimeoutSeconds: count,
  verifierCallsPerRun: z.coerce.number().int().nonnegative(),
  verifierGraceSeconds: count,
  verifierCycleHours: z.coerce.number().positive(),
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

/** The value of each setting. A function has those that `infra/` gives it. */
export type Environment = { readonly [N in Setting]: z.infer<Schemas[N]> };

/**
 * The settings in the environment. Each is read when it is used.
 *
 * @throws ConnectorError `ENVIRONMENT_INVALID` for a setting whose variable is missing or invalid
 */
export const environment = Object.defineProperties(
  {},
  Object.fromEntries(
    (Object.keys(settingSchemas) as Setting[]).map((setting) => [
      setting,
      { get: () => readSetting(setting) },
    ]),
  ),
) as Environment;

function readSetting(setting: Setting): unknown {
  const name = environmentNames[setting];
  const { error, data } = settingSchemas[setting].safeParse(process.env[name]);
  if (error === undefined) return data;
  throw new ConnectorError(`invalid environment variable ${name}: ${z.prettifyError(error)}`, {
    code: 'ENVIRONMENT_INVALID',
    cause: error,
  });
}
