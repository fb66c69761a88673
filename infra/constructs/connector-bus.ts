import { EventBus, type IEventBus, Match, Rule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';
import type { ConnectorQueues } from './connector-queues.ts';

/** The `source` of the connector's own events, which no rule routes into its queues. */
const ownSource = 'marketplace.connector';

/** The `detail-type` values that go to a queue, by its name and that of the rule. */
const ROUTES = {
  changes: ['stock.changed', 'price.changed'],
  productCommands: [
    'catalog.sync.requested',
    'product.create.requested',
    'product.update.requested',
    'product.delete.requested',
  ],
  orderCommands: ['order.decision.requested', 'order.dropoff.requested'],
  documentCommands: ['order.document.requested'],
} as const satisfies Partial<Record<keyof ConnectorQueues, readonly string[]>>;

/** The event bus that partners put events on and subscribe to. Queues get whole events, unchanged. */
export class ConnectorBus extends Construct {
  readonly bus: IEventBus;

  /** @param existing a bus in the same account and region. Default: a new bus. */
  constructor(scope: Construct, id: string, queues: ConnectorQueues, existing: IEventBus | undefined) {
    super(scope, id);
    // Without a description, which CloudFormation refuses in us-gov-west-1.
    // Under exactOptionalPropertyTypes CDK's own class does not match its interface.
    this.bus = existing ?? (new EventBus(this, 'Bus') as IEventBus);
    for (const [name, detailTypes] of Object.entries(ROUTES)) {
      const queue = queues[name as keyof typeof ROUTES];
      this.addRule(queue.node.id, [...detailTypes], queue);
    }
    // All other events, so that a misspelt `detail-type` is rejected with a reason. An existing bus also carries events of
    // other applications.
    if (existing === undefined) {
      this.addRule('Others', Match.anythingBut(...Object.values(ROUTES).flat()), queues.changes);
    }
  }

  /** Gives `fn` the bus's name and lets it put events. */
  allowPut(fn: ConnectorFunction): void {
    fn.set({ eventBusName: this.bus.eventBusName });
    fn.allow(['events:PutEvents'], [this.bus.eventBusArn]);
  }

  private addRule(id: string, detailType: string[], queue: ConnectorQueue): void {
    new Rule(this, id, {
      eventBus: this.bus,
      eventPattern: { source: Match.anythingBut(ownSource), detailType },
      targets: [queue.asRuleTarget()],
    });
  }
}
