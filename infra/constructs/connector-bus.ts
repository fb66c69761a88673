import { EventBus, type IEventBus, Match, Rule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';

/** The `source` of the connector's own events, which no rule routes into its queues. */
const ownSource = 'marketplace.connector';

export interface EventRoute {
  /** The `detail-type` values that go to `queue`. */
  readonly detailTypes: readonly string[];
  readonly queue: ConnectorQueue;
}

export interface ConnectorBusProps {
  /** Routes by the construct ID of their rule. */
  readonly routes: Readonly<Record<string, EventRoute>>;
  /**
   * Queue for all other events, so that a misspelt `detail-type` is rejected with a reason. Only the connector's own bus
   * has this rule: an existing bus also carries events of other applications.
   */
  readonly others: ConnectorQueue;
  /** A bus that exists, in the same account and region. Default: a new bus. */
  readonly existing?: IEventBus;
}

/** The event bus that partners put events on and subscribe to. Queues get whole events, unchanged. */
export class ConnectorBus extends Construct {
  readonly bus: IEventBus;

  constructor(scope: Construct, id: string, props: ConnectorBusProps) {
    super(scope, id);
    // Without a description, which CloudFormation refuses in us-gov-west-1.
    // Under exactOptionalPropertyTypes CDK's own class does not match its interface.
    this.bus = props.existing ?? (new EventBus(this, 'Bus') as IEventBus);
    for (const [routeId, route] of Object.entries(props.routes)) {
      this.addRule(routeId, [...route.detailTypes], route.queue);
    }
    if (props.existing) return;
    const routed = Object.values(props.routes).flatMap((route) => route.detailTypes);
    this.addRule('Others', Match.anythingBut(...routed), props.others);
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
