import { EventBus, type IEventBus, Match, Rule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';

/** The `source` of the connector's own events, which never come back in. */
const ownSource = 'marketplace.connector';

export interface EventRoute {
  /** The `detail-type` values that go to `queue`. */
  readonly detailTypes: readonly string[];
  readonly queue: ConnectorQueue;
}

export interface ConnectorBusProps {
  /** Which events go where, by the construct ID of the rule. */
  readonly routes: Readonly<Record<string, EventRoute>>;
  /**
   * Queue of all other events, so that a misspelt `detail-type` is rejected with a reason and not lost. Only a bus of the
   * connector's own has it: on an existing bus, other events are none of the connector's.
   */
  readonly others: ConnectorQueue;
  /** A bus that exists, in the same account and region. Default: a new bus. */
  readonly existing?: IEventBus;
}

/** The event bus that partners put events on and subscribe to. The queues get events as they are. */
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
