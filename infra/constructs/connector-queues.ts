import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ConnectorQueue } from './connector-queue.ts';

/** The queues between the parts of the connector; data moves through them one way. */
export class ConnectorQueues extends Construct {
  /** Price and stock changes, and events of an unknown kind, which are rejected with a reason. */
  readonly changes: ConnectorQueue;
  /** Tickets: "look at this lane". */
  readonly wake: ConnectorQueue;
  /** Catalog files that arrived in the import bucket. */
  readonly catalogImport: ConnectorQueue;
  /** Commands that create, sync, update or delete products. */
  readonly productCommands: ConnectorQueue;
  /** Commands that decide orders or request their dropoff. */
  readonly orderCommands: ConnectorQueue;
  /** Commands that fetch a shipping label or an invoice. */
  readonly documentCommands: ConnectorQueue;
  /** Final summaries with a valid signature. */
  readonly summaries: ConnectorQueue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.changes = new ConnectorQueue(this, 'Changes', {
      variable: 'changesQueueUrl',
      consumerTimeout: Duration.minutes(1),
      batchingWindow: Duration.seconds(1),
      // What there was no time for is redelivered, and each time finds more of it done.
      maxReceiveCount: 10,
    });
    this.wake = new ConnectorQueue(this, 'Wake', {
      variable: 'wakeQueueUrl',
      consumerTimeout: Duration.minutes(2),
    });
    this.catalogImport = new ConnectorQueue(this, 'CatalogImport', {
      consumerTimeout: Duration.minutes(15),
      maxReceiveCount: 3,
    });
    this.productCommands = new ConnectorQueue(this, 'ProductCommands', {
      variable: 'productCommandsQueueUrl',
      consumerTimeout: Duration.minutes(2),
      batchingWindow: Duration.seconds(1),
    });
    this.orderCommands = new ConnectorQueue(this, 'OrderCommands', {
      variable: 'orderCommandsQueueUrl',
      consumerTimeout: Duration.seconds(110),
    });
    this.documentCommands = new ConnectorQueue(this, 'DocumentCommands', {
      variable: 'documentCommandsQueueUrl',
      consumerTimeout: Duration.minutes(1),
    });
    this.summaries = new ConnectorQueue(this, 'Summaries', {
      variable: 'summariesQueueUrl',
      consumerTimeout: Duration.minutes(1),
    });
  }

  /** All queues, for those who watch them. */
  all(): ConnectorQueue[] {
    return Object.values(this).filter((it) => it instanceof ConnectorQueue);
  }
}
