import { Duration } from 'aws-cdk-lib';
import {
  Archive,
  EventBus,
  type EventPattern,
  type IEventBus,
  type IRuleTarget,
  Match,
  Rule,
} from 'aws-cdk-lib/aws-events';
import { AccountPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { EVENT_SOURCE } from '../../shared/settings/stack-rules.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueues } from './connector-queues.ts';

/** The `detail-type` values that go to each queue, by the names of queue and rule. */
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

interface ConnectorBusProps {
  /** A bus in the same account and region. Default: a new bus. */
  readonly existing: IEventBus | undefined;
  /** IDs of other accounts that may put events on a new bus, with commas between them. Default: none. */
  readonly senderAccounts?: string | undefined;
  /** Days for which events of stock and prices can be replayed. */
  readonly changeArchiveDays: number;
}

/** The event bus that partners put events on and subscribe to. Queues get whole events, unchanged. */
export class ConnectorBus extends Construct {
  readonly bus: IEventBus;
  /** Archive of the incoming events of stock and prices, to replay them. */
  readonly archive: Archive;
  /** The rule that brings events of stock and prices to the intake. */
  readonly changesRule: Rule;

  constructor(scope: Construct, id: string, queues: ConnectorQueues, props: ConnectorBusProps) {
    super(scope, id);
    const { existing } = props;
    this.bus = existing ?? this.createBus(props.senderAccounts?.split(',') ?? []);
    const { changes, ...commands } = ROUTES;
    const toChanges = queues.changes.asRuleTarget();
    this.changesRule = this.addRule(queues.changes.node.id, { detailType: [...changes] }, toChanges);
    for (const [name, detailTypes] of Object.entries(commands)) {
      const queue = queues[name as keyof typeof commands];
      const detail = { storeClientId: Match.anythingBut('') };
      // The store is the message group, so that a flood of commands for one store does not delay the commands of others.
      const target = queue.asRuleTarget('$.detail.storeClientId');
      this.addRule(queue.node.id, { detailType: [...detailTypes], detail }, target);
    }
    this.archive = new Archive(this, 'Archive', {
      sourceEventBus: this.bus,
      eventPattern: { source: Match.anythingBut(EVENT_SOURCE), detailType: [...ROUTES.changes] },
      retention: Duration.days(props.changeArchiveDays),
    });
    // Events without a store have no message group, and SQS refuses an empty group. They go to the changes queue, to be rejected with a
    // reason.
    const storeClientId = [...Match.doesNotExist(), ...Match.exactString('')];
    const withoutStore = { detailType: Object.values(commands).flat(), detail: { storeClientId } };
    this.addRule('WithoutStore', withoutStore, toChanges);
    // All other events go to the changes queue too, so that a misspelt `detail-type` is rejected with a reason. Not on an existing bus,
    // which also carries events of other applications.
    if (existing === undefined) {
      const detailType = Match.anythingBut(...Object.values(ROUTES).flat());
      this.addRule('Others', { detailType }, toChanges);
    }
  }

  /** Gives `fn` the bus's name and lets it put events. */
  allowPut(fn: ConnectorFunction): void {
    fn.set({ eventBusName: this.bus.eventBusName });
    fn.allow(['events:PutEvents'], [this.bus.eventBusArn]);
  }

  private createBus(senderAccounts: readonly string[]): IEventBus {
    // The bus has no description, as CloudFormation refuses one in us-gov-west-1.
    const bus = new EventBus(this, 'Bus');
    if (senderAccounts.length > 0) {
      bus.addToResourcePolicy(
        new PolicyStatement({
          sid: 'Senders',
          principals: senderAccounts.map((accountId) => new AccountPrincipal(accountId)),
          actions: ['events:PutEvents'],
          resources: [bus.eventBusArn],
          // No other account may use the connector's own source: subscribers take such events as its answers.
          conditions: { 'ForAllValues:StringNotEquals': { 'events:source': EVENT_SOURCE } },
        }),
      );
    }
    // Under exactOptionalPropertyTypes CDK's own class does not match its interface.
    return bus as IEventBus;
  }

  private addRule(id: string, pattern: Omit<EventPattern, 'source'>, target: IRuleTarget): Rule {
    return new Rule(this, id, {
      eventBus: this.bus,
      eventPattern: { source: Match.anythingBut(EVENT_SOURCE), ...pattern },
      targets: [target],
    });
  }
}
