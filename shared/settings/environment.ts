/**
 * Names of the environment variables that connect the deployed stack to its functions. `infra/` sets them, the
 * functions read them through the schemas in `read-environment.ts`; both use these names and no others.
 */
export const environmentNames = {
  marketplaceBaseUrl: 'MARKETPLACE_BASE_URL',
  partnerClientId: 'PARTNER_CLIENT_ID',
  partnerSecretArn: 'PARTNER_SECRET_ARN',

  eventBusName: 'EVENT_BUS_NAME',
  apiUrl: 'API_URL',

  listingsTable: 'LISTINGS_TABLE_NAME',
  lanesTable: 'LANES_TABLE_NAME',
  limitsTable: 'LIMITS_TABLE_NAME',
  guardsTable: 'GUARDS_TABLE_NAME',
  storesTable: 'STORES_TABLE_NAME',
  sessionsTable: 'SESSIONS_TABLE_NAME',
  batchesTable: 'BATCHES_TABLE_NAME',
  rejectionsTable: 'REJECTIONS_TABLE_NAME',
  ordersTable: 'ORDERS_TABLE_NAME',
  requestsTable: 'REQUESTS_TABLE_NAME',

  changesQueueUrl: 'CHANGES_QUEUE_URL',
  wakeQueueUrl: 'WAKE_QUEUE_URL',
  productCommandsQueueUrl: 'PRODUCT_COMMANDS_QUEUE_URL',
  orderCommandsQueueUrl: 'ORDER_COMMANDS_QUEUE_URL',
  documentCommandsQueueUrl: 'DOCUMENT_COMMANDS_QUEUE_URL',
  summariesQueueUrl: 'SUMMARIES_QUEUE_URL',

  importBucket: 'IMPORT_BUCKET_NAME',
  documentBucket: 'DOCUMENT_BUCKET_NAME',
  archiveBucket: 'ARCHIVE_BUCKET_NAME',

  itemsPerRequest: 'ITEMS_PER_REQUEST',
  requestsPerSecond: 'REQUESTS_PER_SECOND',
  requestsInFlight: 'REQUESTS_IN_FLIGHT',
  pageSize: 'PAGE_SIZE',
  productNames: 'PRODUCT_NAMES',
  orderNames: 'ORDER_NAMES',
  webhookVerification: 'WEBHOOK_VERIFICATION',
  webhookReplayWindowSeconds: 'WEBHOOK_REPLAY_WINDOW_SECONDS',
  callbackStoreParameter: 'CALLBACK_STORE_PARAMETER',
  callbackTokenParameter: 'CALLBACK_TOKEN_PARAMETER',
  callbackSessionParameter: 'CALLBACK_SESSION_PARAMETER',
  documentWaitMinutes: 'DOCUMENT_WAIT_MINUTES',
  batchDeadlineMinutes: 'BATCH_DEADLINE_MINUTES',
  attemptLifetimeSeconds: 'ATTEMPT_LIFETIME_SECONDS',
  credentialsRetrySeconds: 'CREDENTIALS_RETRY_SECONDS',
  requestTimeoutSeconds: 'REQUEST_TIMEOUT_SECONDS',
} as const;
