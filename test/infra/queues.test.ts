import { readFile } from 'node:fs/promises';
import { Duration } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { ConnectorFunction } from '../../infra/constructs/connector-function.ts';
import { ConnectorQueue } from '../../infra/constructs/connector-queue.ts';
import { settingsSchema } from '../../infra/settings.ts';
import { MAX_MESSAGE_BYTES } from '../../shared/aws/queue-sender.ts';
import { pauseSecondsAfter } from '../../shared/aws/redelivery.ts';
import { MOST_READ_OF_STORE } from '../../shared/imports/use-cases/reading-place.ts';
import { connectorTemplate, createPartnerStack, inlineCode } from './support/stacks.ts';
import { functionsOf } from './support/template.ts';

const template = connectorTemplate();
const queues = template.findResources('AWS::SQS::Queue');
const isDeadLetterQueue = (logicalId: string) => logicalId.includes('DeadLetters');
const sources = Object.entries(queues).filter(([logicalId]) => !isDeadLetterQueue(logicalId));

function queueOf(value: { 'Fn::GetAtt': [string, string] }): Record<string, number> {
  return queues[value['Fn::GetAtt'][0]]?.Properties;
}

describe('queues', () => {
  it('are exactly these', () => {
    expect(sources.map(([logicalId]) => logicalId.replace(/^Queues|Queue[0-9A-F]{8}$/g, '')).sort()).toEqual([
      'CatalogImport',
      'Changes',
      'DocumentCommands',
      'OrderCommands',
      'ProductCommands',
      'Summaries',
      'Wake',
    ]);
  });

  it.each(sources)(
    '%s moves poison messages to a dead-letter queue with a longer retention',
    (_id, queue) => {
      const { deadLetterTargetArn, maxReceiveCount } = queue.Properties.RedrivePolicy;

      expect(queueOf(deadLetterTargetArn).MessageRetentionPeriod).toBe(14 * 24 * 3600);
      expect(queue.Properties.MessageRetentionPeriod).toBeLessThan(14 * 24 * 3600);
      expect(maxReceiveCount).toBe(12);
    },
  );

  it('move a message that always fails within half an hour, and none that failed for a quarter of an hour', () => {
    const pauses = Array.from({ length: 12 - 1 }, (_, index) => pauseSecondsAfter(index + 1));
    const seconds = pauses.reduce((sum, pause) => sum + pause, 0);
    expect(seconds).toBeLessThan(30 * 60);
    expect(seconds).toBeGreaterThan(15 * 60);
  });

  it('keep messages for less time than the archive keeps their bodies', () => {
    const periods = Object.values(queues).map(({ Properties }) => Properties.MessageRetentionPeriod);
    const daysOf = (seconds: number) => ({ archiveRetentionDays: seconds / (24 * 3600) });

    expect(settingsSchema.safeParse(daysOf(Math.max(...periods))).success).toBe(false);
    expect(settingsSchema.safeParse({ archiveRetentionDays: 15 }).success).toBe(true);
  });

  it('take messages as large as the functions send, whatever the default of SQS', () => {
    const sizes = Object.values(queues).map(({ Properties }) => Properties.MaximumMessageSize);
    expect(new Set(sizes)).toEqual(new Set([MAX_MESSAGE_BYTES]));
  });

  it('each have their own dead-letter queue', () => {
    const targets = sources.map(([, queue]) =>
      JSON.stringify(queue.Properties.RedrivePolicy.deadLetterTargetArn),
    );
    expect(new Set(targets).size).toBe(sources.length);
  });

  it('are all known to the operations API, which counts their messages and dead letters', () => {
    const api = functionsOf(template).find(({ name }) => name === 'OperationsApi');
    const known = Object.entries(api?.environment ?? {}).filter(([name]) => name.endsWith('_QUEUE_URL'));
    expect(known.map(([, queue]) => queue).sort()).toEqual(
      sources.map(([logicalId]) => logicalId.replace(/[0-9A-F]{8}$/, '')).sort(),
    );
  });

  it.each(Object.keys(queues))('%s is encrypted and refuses access without TLS', (logicalId) => {
    expect(queues[logicalId]?.Properties.SqsManagedSseEnabled).toBe(true);
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      Queues: [{ Ref: logicalId }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Action: 'sqs:*',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      },
    });
  });
});

describe('event source mappings', () => {
  it('let each function change the visibility of messages of its own queue, whose URL it has', () => {
    const rows = Object.values(template.findResources('AWS::Lambda::EventSourceMapping')).map((mapping) => {
      const fn = template.findResources('AWS::Lambda::Function')[mapping.Properties.FunctionName.Ref];
      const queue = mapping.Properties.EventSourceArn['Fn::GetAtt'][0];
      return [fn?.Properties.Environment.Variables.SOURCE_QUEUE_URL, { Ref: queue }];
    });
    expect(rows).toHaveLength(7);
    for (const [given, own] of rows) expect(given).toEqual(own);
  });

  const functions = template.findResources('AWS::Lambda::Function');
  const mappings = Object.entries(template.findResources('AWS::Lambda::EventSourceMapping'));

  it('read every queue', () => {
    const read = mappings.map(([, mapping]) => mapping.Properties.EventSourceArn['Fn::GetAtt'][0]);
    expect(read.sort()).toEqual(sources.map(([logicalId]) => logicalId).sort());
  });

  it.each(mappings)(
    '%s hides messages for six times the timeout plus the batching window',
    (_id, mapping) => {
      const fn = functions[mapping.Properties.FunctionName.Ref];
      const windowSeconds = mapping.Properties.MaximumBatchingWindowInSeconds ?? 0;

      expect(queueOf(mapping.Properties.EventSourceArn).VisibilityTimeout).toBeGreaterThanOrEqual(
        6 * fn?.Properties.Timeout + windowSeconds,
      );
    },
  );

  it.each(mappings)('%s reports partial failures and has a maximum concurrency', (_id, mapping) => {
    expect(mapping.Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
    expect(mapping.Properties.ScalingConfig.MaximumConcurrency).toBeGreaterThanOrEqual(2);
  });

  it('receive many product commands together, so that they share requests', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^QueuesProductCommands'), 'Arn'] },
      FunctionName: { Ref: Match.stringLikeRegexp('^ProductProducer') },
      BatchSize: 1000,
      MaximumBatchingWindowInSeconds: 1,
      ScalingConfig: { MaximumConcurrency: 2 },
    });
  });

  it('receive up to a thousand changes at a time, so that changes of a product meet, and tickets one by one', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^QueuesChanges'), 'Arn'] },
      BatchSize: 1000,
      MaximumBatchingWindowInSeconds: 1,
    });
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^QueuesWake'), 'Arn'] },
      BatchSize: 1,
      MaximumBatchingWindowInSeconds: Match.absent(),
    });
  });

  it('take together as many executions as docs/deploy.md says', async () => {
    const mappings = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
    const most = mappings.reduce((sum, it) => sum + it.Properties.ScalingConfig.MaximumConcurrency, 0);
    expect(await readFile('docs/deploy.md', 'utf8')).toContain(`Queues alone may take ${most},`);
  });

  it('receive changes at once, ten at a time as Lambda requires, when they are not gathered', () => {
    connectorTemplate({ gatherChangesSeconds: 0 }).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^QueuesChanges'), 'Arn'] },
      BatchSize: 10,
      MaximumBatchingWindowInSeconds: 0,
    });
  });

  it.each([
    [1, 2],
    [3, 2],
    [5, 4],
    [20, 5],
  ])(
    'with %i requests in flight fetch %i documents at a time, and leave a permit if they can',
    (requestsInFlight, most) => {
      connectorTemplate({ requestsInFlight }).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
        EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^QueuesDocumentCommands'), 'Arn'] },
        ScalingConfig: { MaximumConcurrency: most },
      });
    },
  );

  it('read files of one store in half of their executions at most', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: Match.stringLikeRegexp('^CatalogImporter') },
      ScalingConfig: { MaximumConcurrency: 2 * MOST_READ_OF_STORE },
    });
  });

  it('drain many lanes concurrently, so that no store waits for another', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^QueuesWake'), 'Arn'] },
      ScalingConfig: { MaximumConcurrency: 6 },
    });
  });
});

describe('a function that may run for 2 minutes', () => {
  const stack = createPartnerStack();
  const slow = new ConnectorFunction(stack, 'Slow', {
    serviceName: 'slow',
    description: 'Takes its time',
    isTraced: true,
    code: inlineCode(),
    timeout: Duration.minutes(2),
    logRetentionDays: 30,
  });

  it('reads a queue that hides messages for six times as long', () => {
    new ConnectorQueue(stack, 'Queue', { variable: 'wakeQueueUrl' }).feed(slow, {
      batchSize: 1,
      maxConcurrency: 2,
    });

    Template.fromStack(stack).hasResourceProperties('AWS::SQS::Queue', { VisibilityTimeout: 12 * 60 });
  });

  it('must not have a schedule by which it may run twice at a time', () => {
    expect(() => slow.startEvery('Often', Duration.seconds(119))).toThrow('Partner/Slow may run for longer');
  });
});
