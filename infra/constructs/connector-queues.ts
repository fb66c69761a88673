import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ConnectorQueue } from './connector-queue.ts';

/** The connector's queues. */
export class ConnectorQueues extends Construct {
  /** Price and stock changes, and events of an unknown kind, which are rejected with a reason. */
  readonly changes: ConnectorQueue;
  /** Tickets: "look at this lane". */
  readonly wake = new ConnectorQueue(this, 'Wake', {
    variable: 'wakeQueueUrl',
    consumerTimeout: Duration.minutes(2),
  });
  /** Files that arrived in the import bucket. */
  readonly catalogImport = new ConnectorQueue(this, 'CatalogImport', {
    variable: 'catalogImportQueueUrl',
    consumerTimeout: Duration.minutes(5),
    maxReceiveCount: 3,
  });
  /** Commands that create, sync, update or delete products. */
  readonly productCommands = new ConnectorQueue(this, 'ProductCommands', {
    variable: 'productCommandsQueueUrl',
    consumerTimeout: Duration.minutes(2),
    batchingWindow: Duration.seconds(1),
  });
  /** Commands that decide orders or request their dropoff. */
  readonly orderCommands = new ConnectorQueue(this, 'OrderCommands', {
    variable: 'orderCommandsQueueUrl',
    consumerTimeout: Duration.seconds(110),
    batchingWindow: Duration.seconds(1),
  });
  /** Commands that fetch a shipping label or an invoice. */
  readonly documentCommands = new ConnectorQueue(this, 'DocumentCommands', {
    variable: 'documentCommandsQueueUrl',
    consumerTimeout: Duration.minutes(1),
  });
  /** Final summaries with a valid signature. */
  readonly summaries = new ConnectorQueue(this, 'Summaries', {
    variable: 'summariesQueueUrl',
    consumerTimeout: Duration.minutes(1),
  });

  constructor(scope: Construct, id: string, { gatherChangesSeconds }: { gatherChangesSeconds: number }) {
    super(scope, id);
    this.changes = new ConnectorQueue(this, 'Changes', {
      variable: 'changesQueueUrl',
      consumerTimeout: Duration.minutes(1),
      batchingWindow: Duration.seconds(gatherChangesSeconds),
      // An invocation that runs out of time leaves its last messages to a redelivery, so receives are not all failures.
      maxReceiveCount: 10,
    });
  }

  all(): ConnectorQueue[] {
    return Object.values(this).filter((it) => it instanceof ConnectorQueue);
  }
}
