// Generated from the schema in settings.ts: npm run describe

/** The settings of the connector; those that are left out have their defaults. */
export interface SettingProps {
  /** Most rows in one bulk request. Unit: rows, ≤ 1000, > 0. Default: 100. */
  readonly itemsPerRequest?: number;
  /** Requests that all functions together may send to the marketplace. Unit: requests/s, > 0. Default: 5. */
  readonly requestsPerSecond?: number;
  /** Requests that all functions together may have open at the same time. Unit: requests, > 0. Default: 5. */
  readonly requestsInFlight?: number;
  /** How long changes of stock and prices are gathered before they are taken, up to 1,000 events at a time. Changes of a product that are taken together cost one write. 0: they are taken at once, up to 10 events at a time. Unit: s, 0 … 60. Default: 1. */
  readonly gatherChangesSeconds?: number;
  /** Entries per page when a list of the marketplace is read. Unit: entries, > 0. Default: 50. */
  readonly pageSize?: number;
  /** How a store names its products when it is connected for the first time. Each store can be changed later. Default: sku. */
  readonly productNames?: 'sku' | 'id' | 'externalId';
  /** How a store names its orders when it is connected for the first time. Each store can be changed later. Default: orderId. */
  readonly orderNames?: 'orderId' | 'invoiceNumber';
  /** Time to wait for the answer to one request, from its signature. Must be less than `attemptLifetimeSeconds`. Unit: s, ≤ 22, > 0. Default: 20. */
  readonly requestTimeoutSeconds?: number;
  /** A request is assumed to reach the marketplace within this time after its signature, or never. An order, a product or a listing stays locked for this time after an unknown outcome. One second is added for clocks that differ. Unit: s, ≤ 60, > 0. Default: 30. */
  readonly attemptLifetimeSeconds?: number;
  /** While the marketplace refuses the partner's credentials, one lane tries them again this often. Unit: s, > 0. Default: 60. */
  readonly credentialsRetrySeconds?: number;
  /** After this time an open batch is read back. A batch that cannot be read back for the same time again ends as `unresolved`. Unit: min, > 0. Default: 15. */
  readonly batchDeadlineMinutes?: number;
  /** Most reads of the listing-verifier in one run, every 5 minutes, over all stores. 0: it reads nothing. Unit: requests, ≥ 0. Default: 300. */
  readonly verifierCallsPerRun?: number;
  /** For this time after its acceptance, a price or stock may not be live yet. Older values are compared with the live ones. Unit: s, > 0. Default: 300. */
  readonly verifierGraceSeconds?: number;
  /** Time from the start of one verification of all of a store's products to the start of the next. 0.25 is a quarter of an hour. Unit: h, > 0. Default: 12. */
  readonly verifierCycleHours?: number;
  /** How long a document command waits for its order to reach a state that allows the document (ORDER_021). 0: it fails at once. Unit: min, ≥ 0. Default: 0. */
  readonly documentWaitMinutes?: number;
  /** How final summaries are signed: as requests are (§5), by Standard Webhooks, or either. Default: marketplace-hmac. */
  readonly webhookVerification?: 'marketplace-hmac' | 'standard-webhooks' | 'both';
  /** How far a webhook's timestamp may be from the current time. Unit: s, > 0. Default: 300. */
  readonly webhookReplayWindowSeconds?: number;
  /** Query parameter of the onboarding callback that holds the store's client ID. Default: storeClientId. */
  readonly callbackStoreParameter?: string;
  /** Query parameter of the onboarding callback that holds the store's token. Default: storeToken. */
  readonly callbackTokenParameter?: string;
  /** Query parameter of the onboarding callback that holds the session's ID. The three names must differ. Default: sid. */
  readonly callbackSessionParameter?: string;
  /** Requests to the operations API that are let through on average. Unit: requests/s, > 0. Default: 100. */
  readonly apiRateLimit?: number;
  /** Requests to the operations API that are let through at once. Unit: requests, > 0. Default: 200. */
  readonly apiBurstLimit?: number;
  /** Requests to the public route of the webhook that are let through on average. Must be more than `requestsPerSecond`, as each request may bring a final summary. Unit: requests/s, > 0. Default: 100. */
  readonly webhookRateLimit?: number;
  /** Requests to the public route of the webhook that are let through at once, such as final summaries that the marketplace held back. Unit: requests, > 0. Default: 500. */
  readonly webhookBurstLimit?: number;
  /** Requests to the public route of the onboarding callback that are let through on average. Unit: requests/s, > 0. Default: 10. */
  readonly callbackRateLimit?: number;
  /** Requests to the public route of the onboarding callback that are let through at once. Unit: requests, > 0. Default: 20. */
  readonly callbackBurstLimit?: number;
  /** Whether functions write traces to AWS X-Ray: of each function the first invocation of a second and 5 % of its others, which is Lambda's own sampling, or none. Default: sampled. */
  readonly tracing?: 'sampled' | 'off';
  /** How long logs are kept. Must be a period that CloudWatch Logs knows. Unit: days, > 0. Default: 30. */
  readonly logRetentionDays?: number;
  /** How long archived request and webhook bodies, and imported files, are kept. A body that is too large for a queue message is stored there too, so it must outlive a dead letter that names it. Unit: days, ≥ 15. Default: 90. */
  readonly archiveRetentionDays?: number;
  /** How long batches, requests, rejections and the records of imported files are kept. A batch that is open or unresolved does not expire. A command that is given again later counts as a new one. Unit: days, ≥ 15. Default: 90. */
  readonly recordRetentionDays?: number;
  /** How long a final summary is kept that matches no batch: one of another system with the same partner client ID, for instance. Unit: days, > 0. Default: 7. */
  readonly summaryRetentionDays?: number;
  /** How long an order is kept after its last action. An order with an unknown outcome does not expire. A decision that is given again later is sent again. Unit: days, ≥ 15. Default: 400. */
  readonly orderRetentionDays?: number;
  /** How long shipping labels and invoices are kept, which name buyers. Afterwards a document can be fetched again, as long as the marketplace has it. Unit: days, > 0. Default: 180. */
  readonly documentRetentionDays?: number;
  /** How long `GET /trace` finds an event of stock or prices. Unit: days, > 0. Default: 30. */
  readonly changeEventRetentionDays?: number;
  /** Read units per second that the Listings table takes at once. Without it DynamoDB decides: 12,000 for a new table. Raising it costs a fee once, and it can't be lowered. Unit: units/s, ≥ 12000. */
  readonly listingsWarmReadUnits?: number | undefined;
  /** Write units per second that the Listings table takes at once. Without it DynamoDB decides: 4,000 for a new table. A change takes about 2: 10,000 units are enough for 5,000 changes per second from the first minute on. Unit: units/s, ≥ 4000. */
  readonly listingsWarmWriteUnits?: number | undefined;
  /** Read units per second that the Listings table is provisioned with, together with `listingsProvisionedWriteUnits`. Without them the table is on-demand. Unit: units/s, > 0. */
  readonly listingsProvisionedReadUnits?: number | undefined;
  /** Write units per second that the Listings table is provisioned with. They are paid by the hour, used or not, and cost less than on-demand from about 30 % of their use on. What goes beyond them is throttled, and waits. Unit: units/s, > 0. */
  readonly listingsProvisionedWriteUnits?: number | undefined;
  /** The stack uses existing tables, restored ones, in place of its own: `<this>-Listings`, `<this>-Stores` and so on. Nothing is sent from them before `POST /restore/end`. */
  readonly restoredTables?: string | undefined;
  /** How long events of stock and prices can be replayed after a restore. The time to which tables are restored must not be earlier. Unit: days, > 0. Default: 7. */
  readonly changeArchiveDays?: number;
  /** Tables and buckets outlive the stack, and tables and the stack refuse deletion. `false` is for trial stacks only. Default: true. */
  readonly protectData?: boolean;
  /** `true` is for the first deployment only, by `-c firstDeployment=true`: tables and the stack do not refuse deletion yet, so that a deployment that fails can be repeated. The next deployment protects them. Default: false. */
  readonly firstDeployment?: boolean;
  /** ARN of an existing secret with the credentials of the partner. Without it, the stack creates a secret with a placeholder. */
  readonly partnerSecretArn?: string | undefined;
  /** Whether an alarm also notifies its topic when it ends. A pager can then close what the alarm opened. Each alarm says so once after it is created, too. Default: false. */
  readonly alarmOkMessages?: boolean;
  /** Host name of your own for the HTTP API, so that `ApiUrl`, `WebhookUrl` and the onboarding callback survive a move to another stack or region. Needs `certificateArn`. Lead the name to the output `DomainTarget`. */
  readonly domainName?: string | undefined;
  /** ARN of the certificate of `domainName` in AWS Certificate Manager, in the region of the stack. */
  readonly certificateArn?: string | undefined;
  /** IDs of other AWS accounts whose systems may put events on the bus, with commas between them. They may not put events in the name of the connector. */
  readonly senderAccounts?: string | undefined;
  /** ARN of a web ACL of AWS WAF with the scope CLOUDFRONT. With it, `WebhookUrl` leads to the webhook through CloudFront and the web ACL. */
  readonly webhookWebAclArn?: string | undefined;
}
