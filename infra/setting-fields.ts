import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { settingSchemas } from '../shared/settings/environment.ts';
import { stackNamePattern, stackNameRule } from '../shared/settings/stack-rules.ts';

/** Warm throughput of a new on-demand table, in units per second. No table can have less. */
const WARM_READ_UNITS = 12_000;
const WARM_WRITE_UNITS = 4_000;

/** A dead letter is kept for this many days, the maximum of SQS. */
export const DEAD_LETTER_DAYS = 14;

const countSchema = z.coerce.number().int().positive();
/** Name of a query parameter. `nonce` and `outcome` are the stack's own parameters. */
const parameterSchema = z
  .string()
  .regex(/^[\w.-]+$/, 'must be letters, digits, dots, hyphens and underscores')
  .refine((name) => name !== 'nonce' && name !== 'outcome', 'must be neither nonce nor outcome');
/** Retention periods that CloudWatch Logs allows, in days. */
const logPeriods = Object.values(RetentionDays).filter((days) => typeof days === 'number');
const topicArnSchema = z
  .string()
  .regex(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w.-]+$/, 'must be the ARN of an SNS topic');
const switchSchema = z.union([z.boolean(), z.stringbool()], 'must be true or false');

/** Each setting with its default, unit and meaning. docs/settings.md is generated from this schema. */
export const fieldsSchema = z.object({
  stackName: z
    .string()
    .regex(new RegExp(stackNamePattern), stackNameRule)
    .default('MarketplaceConnector')
    .describe(
      'Name of the stack and namespace of its metrics. Give each stage in one account and region its own name.',
    ),
  tags: z
    .string()
    .regex(/^[^=,]+=[^=,]*(,[^=,]+=[^=,]*)*$/, 'must be name=value, with commas between several')
    .optional()
    .describe(
      'Tags of the stack and of all of its resources, as `team=shop,stage=prod`, beside `application`, which it always has.',
    ),
  permissionsBoundaryArn: z
    .string()
    .regex(/^arn:[\w-]+:iam::\d{12}:policy\/[\w+=,.@/-]+$/, 'must be the ARN of a managed policy')
    .optional()
    .describe('ARN of the managed policy that is the permissions boundary of all roles of the stack.'),
  itemsPerRequest: countSchema
    .max(1000)
    .default(100)
    .meta({ unit: 'rows', description: 'Most rows in one bulk request.' }),
  requestsPerSecond: settingSchemas.requestsPerSecond.default(5).meta({
    unit: 'requests/s',
    description: 'Requests that all functions together may send to the marketplace.',
  }),
  requestsInFlight: settingSchemas.requestsInFlight.default(5).meta({
    unit: 'requests',
    description: 'Requests that all functions together may have open at the same time.',
  }),
  gatherChangesSeconds: z.coerce.number().int().min(0).max(60).default(1).meta({
    unit: 's',
    description:
      'How long changes of stock and prices are gathered before they are taken, up to 1,000 events at a time. Changes of a product that are taken together cost one write. 0: they are taken at once, up to 10 events at a time.',
  }),
  pageSize: settingSchemas.pageSize.default(50).meta({
    unit: 'entries',
    description: 'Entries per page when a list of the marketplace is read.',
  }),
  productNames: settingSchemas.productNames
    .default('sku')
    .describe(
      'How a store names its products when it is connected for the first time. Each store can be changed later.',
    ),
  orderNames: settingSchemas.orderNames
    .default('orderId')
    .describe(
      'How a store names its orders when it is connected for the first time. Each store can be changed later.',
    ),
  // The maximum follows from the time limit of product-producer: requests begin in the first 0.4 of it, retries take 20 s, and an update
  // is two requests, as it reads its product first. Each request also waits up to 2 s for a permit.
  requestTimeoutSeconds: countSchema.max(22).default(20).meta({
    unit: 's',
    description:
      'Time to wait for the answer to one request, from its signature. Must be less than `attemptLifetimeSeconds`.',
  }),
  attemptLifetimeSeconds: countSchema.max(60).default(30).meta({
    unit: 's',
    description:
      'A request is assumed to reach the marketplace within this time after its signature, or never. An order, a product or a listing stays locked for this time after an unknown outcome. One second is added for clocks that differ.',
  }),
  credentialsRetrySeconds: settingSchemas.credentialsRetrySeconds.default(60).meta({
    unit: 's',
    description:
      "While the marketplace refuses the partner's credentials, one lane tries them again this often.",
  }),
  batchDeadlineMinutes: countSchema.default(15).meta({
    unit: 'min',
    description:
      'After this time an open batch is read back. A batch that cannot be read back for the same time again ends as `unresolved`.',
  }),
  verifierCallsPerRun: settingSchemas.verifierCallsPerRun.default(300).meta({
    unit: 'requests',
    description:
      'Most reads of the listing-verifier in one run, every 5 minutes, over all stores. 0: it reads nothing.',
  }),
  verifierGraceSeconds: settingSchemas.verifierGraceSeconds.default(300).meta({
    unit: 's',
    description:
      'For this time after its acceptance, a price or stock may not be live yet. Older values are compared with the live ones.',
  }),
  verifierCycleHours: settingSchemas.verifierCycleHours.default(12).meta({
    unit: 'h',
    description:
      "Time from the start of one verification of all of a store's products to the start of the next. 0.25 is a quarter of an hour.",
  }),
  documentWaitMinutes: settingSchemas.documentWaitMinutes.default(0).meta({
    unit: 'min',
    description:
      'How long a document command waits for its order to reach a state that allows the document (ORDER_021). 0: it fails at once.',
  }),
  webhookVerification: settingSchemas.webhookVerification
    .default('marketplace-hmac')
    .describe('How final summaries are signed: as requests are (§5), by Standard Webhooks, or either.'),
  webhookReplayWindowSeconds: settingSchemas.webhookReplayWindowSeconds.default(300).meta({
    unit: 's',
    description: "How far a webhook's timestamp may be from the current time.",
  }),
  callbackStoreParameter: parameterSchema
    .default('storeClientId')
    .describe("Query parameter of the onboarding callback that holds the store's client ID."),
  callbackTokenParameter: parameterSchema
    .default('storeToken')
    .describe("Query parameter of the onboarding callback that holds the store's token."),
  callbackSessionParameter: parameterSchema
    .default('sid')
    .describe(
      "Query parameter of the onboarding callback that holds the session's ID. The three names must differ.",
    ),
  apiRateLimit: countSchema.default(100).meta({
    unit: 'requests/s',
    description: 'Requests to the operations API that are let through on average.',
  }),
  apiBurstLimit: countSchema.default(200).meta({
    unit: 'requests',
    description: 'Requests to the operations API that are let through at once.',
  }),
  webhookRateLimit: countSchema.default(100).meta({
    unit: 'requests/s',
    description:
      'Requests to the public route of the webhook that are let through on average. Must be more than `requestsPerSecond`, as each request may bring a final summary.',
  }),
  webhookBurstLimit: countSchema.default(500).meta({
    unit: 'requests',
    description:
      'Requests to the public route of the webhook that are let through at once, such as final summaries that the marketplace held back.',
  }),
  callbackRateLimit: countSchema.default(10).meta({
    unit: 'requests/s',
    description: 'Requests to the public route of the onboarding callback that are let through on average.',
  }),
  callbackBurstLimit: countSchema.default(20).meta({
    unit: 'requests',
    description: 'Requests to the public route of the onboarding callback that are let through at once.',
  }),
  tracing: z
    .enum(['sampled', 'off'])
    .default('sampled')
    .describe(
      "Whether functions write traces to AWS X-Ray: of each function the first invocation of a second and 5 % of its others, which is Lambda's own sampling, or none.",
    ),
  logRetentionDays: countSchema
    .refine((days) => logPeriods.includes(days), `must be one of ${logPeriods.join(', ')}`)
    .default(30)
    .meta({
      unit: 'days',
      description: 'How long logs are kept. Must be a period that CloudWatch Logs knows.',
    }),
  archiveRetentionDays: countSchema
    .min(DEAD_LETTER_DAYS + 1)
    .default(90)
    .meta({
      unit: 'days',
      description:
        'How long archived request and webhook bodies, and imported files, are kept. A body that is too large for a queue message is stored there too, so it must outlive a dead letter that names it.',
    }),
  recordRetentionDays: countSchema
    .min(DEAD_LETTER_DAYS + 1)
    .default(90)
    .meta({
      unit: 'days',
      description:
        'How long batches, requests, rejections and the records of imported files are kept. A batch that is open or unresolved does not expire. A command that is given again later counts as a new one.',
    }),
  summaryRetentionDays: countSchema.default(7).meta({
    unit: 'days',
    description:
      'How long a final summary is kept that matches no batch: one of another system with the same partner client ID, for instance.',
  }),
  orderRetentionDays: countSchema
    .min(DEAD_LETTER_DAYS + 1)
    .default(400)
    .meta({
      unit: 'days',
      description:
        'How long an order is kept after its last action. An order with an unknown outcome does not expire. A decision that is given again later is sent again.',
    }),
  documentRetentionDays: countSchema.default(180).meta({
    unit: 'days',
    description:
      'How long shipping labels and invoices are kept, which name buyers. Afterwards a document can be fetched again, as long as the marketplace has it.',
  }),
  changeEventRetentionDays: countSchema.default(30).meta({
    unit: 'days',
    description: 'How long `GET /trace` finds an event of stock or prices.',
  }),
  listingsWarmReadUnits: countSchema.min(WARM_READ_UNITS).optional().meta({
    unit: 'units/s',
    description:
      "Read units per second that the Listings table takes at once. Without it DynamoDB decides: 12,000 for a new table. Raising it costs a fee once, and it can't be lowered.",
  }),
  listingsWarmWriteUnits: countSchema.min(WARM_WRITE_UNITS).optional().meta({
    unit: 'units/s',
    description:
      'Write units per second that the Listings table takes at once. Without it DynamoDB decides: 4,000 for a new table. A change takes about 2: 10,000 units are enough for 5,000 changes per second from the first minute on.',
  }),
  listingsProvisionedReadUnits: countSchema.optional().meta({
    unit: 'units/s',
    description:
      'Read units per second that the Listings table is provisioned with, together with `listingsProvisionedWriteUnits`. Without them the table is on-demand.',
  }),
  listingsProvisionedWriteUnits: countSchema.optional().meta({
    unit: 'units/s',
    description:
      'Write units per second that the Listings table is provisioned with. They are paid by the hour, used or not, and cost less than on-demand from about 30 % of their use on. What goes beyond them is throttled, and waits.',
  }),
  restoredTables: z
    .string()
    .regex(/^[A-Za-z][\w.-]{0,39}$/, 'must be at most 40 letters, digits, dots, hyphens and underscores')
    .optional()
    .describe(
      'The stack uses existing tables, restored ones, in place of its own: `<this>-Listings`, `<this>-Stores` and so on. Nothing is sent from them before `POST /restore/end`.',
    ),
  changeArchiveDays: countSchema.default(7).meta({
    unit: 'days',
    description:
      'How long events of stock and prices can be replayed after a restore. The time to which tables are restored must not be earlier.',
  }),
  protectData: switchSchema
    .default(true)
    .describe(
      'Tables and buckets outlive the stack, and tables and the stack refuse deletion. `false` is for trial stacks only.',
    ),
  firstDeployment: switchSchema
    .default(false)
    .describe(
      '`true` is for the first deployment only, by `-c firstDeployment=true`: tables and the stack do not refuse deletion yet, so that a deployment that fails can be repeated. The next deployment protects them.',
    ),
  partnerSecretArn: z
    .string()
    .regex(
      /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:.+-\w{6}$/,
      'must be the whole ARN of a secret in Secrets Manager, with the six characters at its end',
    )
    .optional()
    .describe(
      'ARN of an existing secret with the credentials of the partner. Without it, the stack creates a secret with a placeholder.',
    ),
  alarmTopicArn: topicArnSchema
    .optional()
    .describe(
      'ARN of the SNS topic that urgent alarms notify, and the other alarms unless `nextDayAlarmTopicArn` is set. Without it and `alarmEmail`, alarms only change their state.',
    ),
  nextDayAlarmTopicArn: topicArnSchema
    .optional()
    .describe(
      'ARN of the SNS topic for alarms that can wait for the next day. Needs `alarmTopicArn` or `alarmEmail`, which the urgent ones then notify.',
    ),
  alarmEmail: z
    .email()
    .optional()
    .describe(
      'E-mail address that alarms notify, by a topic of the stack for the urgent ones and another for the rest. AWS asks its owner to confirm each. Not beside `alarmTopicArn`.',
    ),
  alarmOkMessages: switchSchema
    .default(false)
    .describe(
      'Whether an alarm also notifies its topic when it ends. A pager can then close what the alarm opened. Each alarm says so once after it is created, too.',
    ),
  domainName: z
    .string()
    .regex(
      /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
      'must be a host name in lower case',
    )
    .optional()
    .describe(
      'Host name of your own for the HTTP API, so that `ApiUrl`, `WebhookUrl` and the onboarding callback survive a move to another stack or region. Needs `certificateArn`. Lead the name to the output `DomainTarget`.',
    ),
  certificateArn: z
    .string()
    .regex(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'must be the ARN of a certificate in ACM')
    .optional()
    .describe(
      'ARN of the certificate of `domainName` in AWS Certificate Manager, in the region of the stack.',
    ),
  senderAccounts: z
    .string()
    .regex(/^\d{12}(,\d{12})*$/, 'must be account IDs of 12 digits, with commas between them')
    .optional()
    .describe(
      'IDs of other AWS accounts whose systems may put events on the bus, with commas between them. They may not put events in the name of the connector.',
    ),
  webhookWebAclArn: z
    .string()
    .regex(
      /^arn:aws:wafv2:us-east-1:\d{12}:global\/webacl\/[\w-]+\/[\w-]+$/,
      'must be the ARN of a web ACL with the scope CLOUDFRONT, which is in us-east-1',
    )
    .optional()
    .describe(
      'ARN of a web ACL of AWS WAF with the scope CLOUDFRONT. With it, `WebhookUrl` leads to the webhook through CloudFront and the web ACL.',
    ),
});

/** All settings: those of the connector, and those of the stack around it. */
export type StackSettings = z.output<typeof fieldsSchema>;
