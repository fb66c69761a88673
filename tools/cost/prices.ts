/** What a bill counts. */
export const meters = {
  writeUnit: { title: 'DynamoDB write units', usd: 0.625e-6 },
  readUnit: { title: 'DynamoDB read units', usd: 0.125e-6 },
  event: { title: 'EventBridge events', usd: 1e-6 },
  queueRequest: { title: 'SQS requests', usd: 0.4e-6 },
  put: { title: 'S3 PUT and LIST', usd: 5e-6 },
  get: { title: 'S3 GET', usd: 0.4e-6 },
  httpRequest: { title: 'HTTP API requests', usd: 1e-6 },
  invocation: { title: 'Lambda requests', usd: 0.2e-6 },
  trace: { title: 'X-Ray traces', usd: 5e-6 },
  provisionedWrite: { title: 'hours of a provisioned write unit', usd: 0.00065 },
  provisionedRead: { title: 'hours of a provisioned read unit', usd: 0.00013 },
  gigabyteSecond: { title: 'Lambda GB-seconds', usd: 0.0000133 },
} as const satisfies Record<string, { title: string; usd: number }>;

/** List prices of us-east-1 in USD per unit: on-demand tables, standard queues, Lambda on arm64. */
export type Meter = keyof typeof meters;

/** EventBridge, SQS and the HTTP API count a larger payload as several. */
export const CHUNK_BYTES = 64 * 1024;

interface Duration {
  /** Milliseconds of an invocation, whatever it has to do. */
  readonly baseMs: number;
  /** Milliseconds for each message or request of the invocation. */
  readonly perMessageMs: number;
}

/**
 * How long an invocation is taken to last. These are assumptions: a duration can't be measured on this machine. They are
 * for warm functions, 5 ms for a call of a table and 150 ms for a request to the marketplace.
 */
export const durations: Readonly<Record<string, Duration>> = {
  ChangeIntake: { baseMs: 60, perMessageMs: 1 },
  ListingProducer: { baseMs: 350, perMessageMs: 0 },
  LaneWaker: { baseMs: 100, perMessageMs: 0 },
  CatalogImporter: { baseMs: 1_000, perMessageMs: 0 },
  ProductProducer: { baseMs: 350, perMessageMs: 5 },
  OrderProducer: { baseMs: 350, perMessageMs: 5 },
  WebhookReceiver: { baseMs: 30, perMessageMs: 0 },
  SummaryProcessor: { baseMs: 30, perMessageMs: 10 },
  BatchSweeper: { baseMs: 100, perMessageMs: 0 },
  OperationsApi: { baseMs: 40, perMessageMs: 0 },
  ListingVerifier: { baseMs: 100, perMessageMs: 200 },
};
