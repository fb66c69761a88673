import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type ConnectorRun, startConnector } from '../../local/run/connector-run.ts';
import { Bill } from './meter/bill.ts';
import { metered, type SentMessage } from './meter/services.ts';
import { durations } from './prices.ts';
import { createQueueReader, type QueueReader } from './queue-reader.ts';
import { type SummaryRelay, startSummaryRelay } from './summary-relay.ts';
import { type PausedTemplate, pausedTemplate } from './template.ts';

/** The queues, with the function that reads each. */
const readers = {
  Changes: 'ChangeIntake',
  Wake: 'ListingProducer',
  CatalogImport: 'CatalogImporter',
  ProductCommands: 'ProductProducer',
  OrderCommands: 'OrderProducer',
  Summaries: 'SummaryProcessor',
} as const;
type QueueName = keyof typeof readers;

interface Parts {
  readonly run: ConnectorRun;
  readonly summaries: SummaryRelay;
  readonly bill: Bill;
  readonly ofListings: Bill;
  readonly sent: SentMessage[];
  readonly paused: PausedTemplate;
  readonly client: DynamoDBDocumentClient;
  readonly tableNames: readonly string[];
}

/**
 * The whole stack on this machine, with a bill. Its functions run when they are invoked here: nothing is delivered from
 * queues, and no schedule runs, by itself.
 */
export class Stage {
  readonly run: ConnectorRun;
  readonly summaries: SummaryRelay;
  readonly bill: Bill;
  /** The part of the bill that is about the Listings table. */
  readonly ofListings: Bill;
  /** Messages that functions have sent. */
  readonly sent: readonly SentMessage[];
  /** The stack's tables, for what a case needs to find there; not on the bill. */
  readonly client: DynamoDBDocumentClient;
  readonly #parts: Parts;
  readonly #queues = new Map<QueueName, Promise<QueueReader>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.run = parts.run;
    this.summaries = parts.summaries;
    this.bill = parts.bill;
    this.ofListings = parts.ofListings;
    this.sent = parts.sent;
    this.client = parts.client;
  }

  /** @param table ID of its construct, such as `Lanes` */
  tableName(table: string): string {
    const name = this.#parts.tableNames.find((one) => one.includes(`Tables${table}`));
    if (name === undefined) throw new Error(`the stack has no table ${table}`);
    return name;
  }

  /** Hands the messages of a queue to its function, in receives as large as its mapping allows, until none is left. */
  async drain(queue: QueueName): Promise<void> {
    const reader = await this.#reader(queue);
    while ((await this.receive(queue)) > 0 || !(await reader.isEmpty()));
  }

  /**
   * One receive of a queue, which is one invocation.
   *
   * @returns how many messages it had
   * @throws Error if one failed: it would be on the bill of a later case
   */
  async receive(queue: QueueName): Promise<number> {
    const reader = await this.#reader(queue);
    const functionName = readers[queue];
    const records = await reader.receive(this.#parts.paused.batchSizeOf(functionName));
    if (records.length === 0) return 0;
    const answer = await this.invoke(functionName, { Records: records }, records.length);
    const { batchItemFailures = [] } = (answer ?? {}) as { batchItemFailures?: unknown[] };
    if (batchItemFailures.length > 0)
      throw new Error(`${functionName}: ${batchItemFailures.length} of ${records.length} messages failed`);
    await reader.delete(records);
    return records.length;
  }

  /**
   * @param messages how many the event has, by which the invocation is taken to last longer
   * @returns what the function answered
   * @throws Error where it failed
   */
  async invoke(functionName: string, event: unknown, messages = 0): Promise<unknown> {
    billInvocation(this.#parts, functionName, messages);
    const result = await this.run.local.functions.invoke(functionName, event);
    if (!result.ok) throw new Error(`${functionName}: ${result.errorType}: ${result.errorMessage}`);
    return result.payload;
  }

  #reader(queue: QueueName): Promise<QueueReader> {
    const known = this.#queues.get(queue);
    if (known !== undefined) return known;
    const reader = createQueueReader(this.run.local, `Queues${queue}Queue`, this.bill);
    this.#queues.set(queue, reader);
    return reader;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.destroy();
    await this.summaries[Symbol.asyncDispose]();
    await this.run[Symbol.asyncDispose]();
  }
}

/** Starts the synthesized stack beside the sandbox marketplace, with nothing on the bill. */
export async function startStage(): Promise<Stage> {
  const paused = await pausedTemplate();
  const [bill, ofListings] = [new Bill(), new Bill()];
  const sent: SentMessage[] = [];
  const run = await startConnector({
    template: paused.template,
    schedules: 'manual',
    wrapService: (scope, service) => metered(scope, service, { bill, ofListings, sent }),
    observer: {
      call: ({ path }) => {
        bill.add('httpRequest', 1);
        billInvocation(
          { bill, paused },
          path.startsWith('/webhooks') ? 'WebhookReceiver' : 'OperationsApi',
          1,
        );
      },
    },
  });
  const { endpoint, region, adminCredentials: credentials, outputs } = run.local;
  const summaries = await startSummaryRelay(outputs.WebhookUrl ?? '');
  await run.controls?.setWebhook(summaries.url);
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const { TableNames: tableNames = [] } = await client.send(new ListTablesCommand({}));
  return new Stage({ run, summaries, bill, ofListings, sent, paused, client, tableNames });
}

function billInvocation(
  { bill, paused }: Pick<Parts, 'bill' | 'paused'>,
  functionName: string,
  messages: number,
): void {
  const duration = durations[functionName];
  if (duration === undefined) throw new Error(`no duration is stated for ${functionName}`);
  const seconds = (duration.baseMs + duration.perMessageMs * messages) / 1000;
  bill.add('invocation', 1);
  // The most that Lambda samples; under load it is less.
  bill.add('trace', 1);
  bill.add('gigabyteSecond', paused.memoryOf(functionName) * seconds);
}
