import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import { z } from 'zod';
import { settingSchemas } from '../shared/settings/environment.ts';
import { DEAD_LETTER_DAYS } from './constructs/connector-queue.ts';

const countSchema = z.coerce.number().int().positive();
/** Of a query parameter; `nonce` and `outcome` are the stack's own. */
const parameterSchema = z
  .string()
  .regex(/^[\w.-]+$/, 'must be letters, digits, dots, hyphens and underscores')
  .refine((name) => name !== 'nonce' && name !== 'outcome', 'must be neither nonce nor outcome');
/** Periods that CloudWatch Logs knows, in days. */
const logPeriods = Object.values(RetentionDays).filter((days) => typeof days === 'number');
const switchSchema = z.union([z.boolean(), z.stringbool()], 'must be true or false');

/**
 * The named settings of the connector, each with its default. A setting is CDK context of the same name: set it for
 * good in `cdk.json` or for one command with `-c name=value`. Values that differ per marketplace account
 * (`MarketplaceBaseUrl`, `PartnerClientId`) are stack parameters instead, so that one template serves all.
 */
export const settingsSchema = z
  .object({
    /** Name of the stack and namespace of its metrics: one for each stage that shares an account and a region. */
    stackName: z
      .string()
      .regex(
        /^[A-Za-z][A-Za-z0-9-]{0,127}$/,
        'must be at most 128 letters, digits and hyphens, a letter first',
      )
      .default('MarketplaceConnector'),
    /** Rows in one bulk request at most; a batch's record must hold them all, should they fail. */
    itemsPerRequest: countSchema.max(1000).default(100),
    /** Requests per second that all functions together may send. */
    requestsPerSecond: settingSchemas.requestsPerSecond,
    /** Requests that all functions together may have in flight. */
    requestsInFlight: settingSchemas.requestsInFlight,
    /** Entries per page in calls that answer page by page. */
    pageSize: settingSchemas.pageSize,
    /** By which name rows name products in a store that is connected for the first time; each store may have another. */
    productNames: settingSchemas.productNames,
    /** The same of orders. */
    orderNames: settingSchemas.orderNames,
    /**
     * Seconds to wait for the marketplace's answer to one request; less than `attemptLifetimeSeconds`. At most what fits
     * into half of the order-producer's time after the 20 s in which a request is repeated and 2 s of waiting for a permit,
     * and with them into all of the document-fetcher's.
     */
    requestTimeoutSeconds: countSchema.max(22).default(20),
    /**
     * Seconds after its signature within which a request is assumed to land, or never to. An order, a product and the
     * targets of a lane stay locked for so long after an unknown outcome.
     */
    attemptLifetimeSeconds: countSchema.max(60).default(30),
    /** Seconds for which lanes stay stopped while the partner's credentials are refused, before one tries them again. */
    credentialsRetrySeconds: settingSchemas.credentialsRetrySeconds,
    /** Minutes after which an open batch counts as unresolved. */
    batchDeadlineMinutes: countSchema.default(15),
    /** Minutes that a document waits for its order to come into a state that allows it; 0: it fails at once. */
    documentWaitMinutes: settingSchemas.documentWaitMinutes,
    /** How final summaries are signed: as requests are (spec §5), by Standard Webhooks, or either of them. */
    webhookVerification: settingSchemas.webhookVerification,
    /** Seconds that a webhook's timestamp may be off. */
    webhookReplayWindowSeconds: settingSchemas.webhookReplayWindowSeconds,
    /** Query parameters in which the marketplace hands over a store's ID, its token and the onboarding's session. */
    callbackStoreParameter: parameterSchema.default('storeClientId'),
    callbackTokenParameter: parameterSchema.default('storeToken'),
    callbackSessionParameter: parameterSchema.default('sid'),
    /** Requests per second that the HTTP API lets through, on average and in a burst. */
    apiRateLimit: countSchema.default(100),
    apiBurstLimit: countSchema.default(200),
    /** Days that logs are kept; one of the periods that CloudWatch Logs knows. */
    logRetentionDays: countSchema
      .refine((days) => logPeriods.includes(days), `must be one of ${logPeriods.join(', ')}`)
      .default(30),
    /**
     * Days that archived request and webhook bodies, and imported files, are kept. What is too large for a message lies
     * among them, and must outlive the message that names it, also as a dead letter.
     */
    archiveRetentionDays: countSchema.min(DEAD_LETTER_DAYS + 1).default(90),
    /** Whether tables and buckets outlive the stack and refuse deletion. `false` is for trial stacks only. */
    protectData: switchSchema.default(true),
    /** ARN of the SNS topic that alarms notify; without one they only change their state. */
    alarmTopicArn: z.string().startsWith('arn:').optional(),
  })
  .refine((settings) => settings.requestTimeoutSeconds < settings.attemptLifetimeSeconds, {
    path: ['requestTimeoutSeconds'],
    message: 'must be less than attemptLifetimeSeconds',
  })
  .refine(
    ({ callbackStoreParameter, callbackTokenParameter, callbackSessionParameter }) =>
      new Set([callbackStoreParameter, callbackTokenParameter, callbackSessionParameter]).size === 3,
    {
      path: ['callbackStoreParameter'],
      message:
        'must differ from callbackTokenParameter and callbackSessionParameter, and they from each other',
    },
  );

export type ConnectorSettings = z.output<typeof settingsSchema>;

/** What a setting is called; the names of the CDK's own context have other characters. */
const SETTING_NAME = /^[a-z][A-Za-z]*$/;

/**
 * Reads the settings from CDK context.
 *
 * @param node the construct node whose context counts, usually that of the app
 * @throws Error that names every setting that there is not, with all that there are, or that has an unusable value
 */
export function readSettings(node: Node): ConnectorSettings {
  const given: Record<string, unknown> = node.getAllContext();
  const names = Object.keys(settingsSchema.shape);
  const unknown = Object.keys(given).filter((name) => SETTING_NAME.test(name) && !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `Unknown settings in the CDK context: ${unknown.join(', ')}; allowed: ${names.join(', ')}`,
    );
  }
  const context = Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
  const result = settingsSchema.safeParse(context);
  if (!result.success)
    throw new Error(`Unusable settings in the CDK context:\n${z.prettifyError(result.error)}`);
  return result.data;
}
