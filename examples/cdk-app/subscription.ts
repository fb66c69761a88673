import { CfnOutput, Duration } from 'aws-cdk-lib';
import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EVENT_SOURCE, type EventOutType } from 'marketplace-connector/events';

/** A queue of your own that gets the connector's events of some types. */
export class Subscription extends Construct {
  constructor(scope: Construct, id: string, props: { bus: IEventBus; types: EventOutType[] }) {
    super(scope, id);
    // What your consumer fails on five times, and what the rule cannot deliver.
    const deadLetters = new Queue(this, 'DeadLetters', {
      retentionPeriod: Duration.days(14),
      enforceSSL: true,
    });
    const queue = new Queue(this, 'Queue', {
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
      visibilityTimeout: Duration.minutes(1),
      enforceSSL: true,
    });
    new Rule(this, 'Rule', {
      eventBus: props.bus,
      eventPattern: { source: [EVENT_SOURCE], detailType: props.types },
      // Adds to the policies of both queues that this rule, and no other, may send to them.
      targets: [new SqsQueue(queue, { deadLetterQueue: deadLetters })],
    });
    new CfnOutput(this, 'QueueUrl', { value: queue.queueUrl }).overrideLogicalId(`${id}QueueUrl`);
  }
}
