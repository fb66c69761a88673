import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { connectorTemplate } from './support/stacks.ts';
import { readable } from './support/template.ts';

const template = connectorTemplate();
const rules = Object.entries(template.findResources('AWS::Events::Rule'));
const busRules = rules.filter(([, rule]) => rule.Properties.EventBusName);

const WITH_STORE = [{ 'anything-but': [''] }];
const WITHOUT_STORE = [{ exists: false }, ''];

/** @param storeKnown whether it takes events with a store, or those without one. Default: both */
function ruleTo(queue: string, detailType: unknown, storeKnown?: boolean) {
  return Match.objectLike({
    EventBusName: { Ref: Match.stringLikeRegexp('^EventsBus') },
    EventPattern: {
      source: [{ 'anything-but': ['marketplace.connector'] }],
      'detail-type': detailType,
      ...(storeKnown !== undefined && { detail: { storeClientId: storeKnown ? WITH_STORE : WITHOUT_STORE } }),
    },
    Targets: [
      Match.objectLike({
        Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^Queues${queue}Queue`), 'Arn'] },
        Input: Match.absent(),
        InputPath: Match.absent(),
        InputTransformer: Match.absent(),
        SqsParameters: storeKnown ? { MessageGroupId: '$.detail.storeClientId' } : Match.absent(),
      }),
    ],
  });
}

/** The types of the events that get a message group. */
function commandsOfRules(): string[] {
  return busRules
    .filter(([, rule]) => rule.Properties.Targets[0].SqsParameters)
    .flatMap(([, rule]) => rule.Properties.EventPattern['detail-type']);
}

describe('the event bus', () => {
  it('sends events of stock and prices to the queue Changes, unchanged', () => {
    template.hasResourceProperties(
      'AWS::Events::Rule',
      ruleTo('Changes', ['stock.changed', 'price.changed']),
    );
  });

  it.each([
    [
      'ProductCommands',
      [
        'catalog.sync.requested',
        'product.create.requested',
        'product.update.requested',
        'product.delete.requested',
      ],
    ],
    ['OrderCommands', ['order.decision.requested', 'order.dropoff.requested']],
    ['DocumentCommands', ['order.document.requested']],
  ])(
    'sends to the queue %s, unchanged, the events %j, with their store as their message group',
    (queue, detailTypes) => {
      template.hasResourceProperties('AWS::Events::Rule', ruleTo(queue, detailTypes, true));
    },
  );

  it('takes events of the other accounts that a setting names, but none in the name of the connector', () => {
    const shared = connectorTemplate({ senderAccounts: '111111111111,222222222222' });
    const rootOf = (account: string) => ({
      'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:iam::${account}:root`]],
    });

    template.resourceCountIs('AWS::Events::EventBusPolicy', 0);
    shared.hasResourceProperties('AWS::Events::EventBusPolicy', {
      Statement: {
        Effect: 'Allow',
        Action: 'events:PutEvents',
        Principal: { AWS: ['111111111111', '222222222222'].map(rootOf) },
        Resource: { 'Fn::GetAtt': [Match.stringLikeRegexp('^EventsBus'), 'Arn'] },
        Condition: { 'ForAllValues:StringNotEquals': { 'events:source': 'marketplace.connector' } },
      },
    });
  });

  it('keeps the events of stock and prices for the days of a setting, to replay them after a restore', () => {
    const stack = connectorTemplate({ changeArchiveDays: 3 });
    stack.hasResourceProperties('AWS::Events::Archive', {
      SourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^EventsBus'), 'Arn'] },
      EventPattern: {
        source: [{ 'anything-but': ['marketplace.connector'] }],
        'detail-type': ['stock.changed', 'price.changed'],
      },
      RetentionDays: 3,
    });
  });

  it('sends commands without a store, for which there is no message group, to change-intake', () => {
    template.hasResourceProperties('AWS::Events::Rule', ruleTo('Changes', commandsOfRules(), false));
  });

  it('sends every unknown event to change-intake, so that none is lost silently', () => {
    const known = ['stock.changed', 'price.changed', ...commandsOfRules()];
    template.hasResourceProperties('AWS::Events::Rule', ruleTo('Changes', [{ 'anything-but': known }]));
  });

  it.each(busRules)('%s ignores the events of the connector itself', (_id, rule) => {
    expect(rule.Properties.EventPattern.source).toEqual([{ 'anything-but': ['marketplace.connector'] }]);
  });
});

describe('event deliveries to queues', () => {
  const toQueues = rules.filter(([, rule]) => readable(rule.Properties.Targets[0].Arn).startsWith('Queues'));

  it.each(toQueues)('%s sends undeliverable events to the dead-letter queue of its queue', (_id, rule) => {
    const [target] = rule.Properties.Targets;
    const queue = readable(target.Arn).replace(/Queue\.Arn$/, '');

    expect(readable(target.DeadLetterConfig.Arn)).toBe(`${queue}DeadLetters.Arn`);
  });

  it.each(toQueues)(
    '%s is allowed by the policy of its queue, which allows each rule by its ARN',
    (logicalId, rule) => {
      template.hasResourceProperties('AWS::SQS::QueuePolicy', {
        Queues: [{ Ref: rule.Properties.Targets[0].Arn['Fn::GetAtt'][0] }],
        PolicyDocument: {
          Statement: Match.arrayWith([
            Match.objectLike({
              Effect: 'Allow',
              Principal: { Service: 'events.amazonaws.com' },
              Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [logicalId, 'Arn'] } } },
            }),
          ]),
        },
      });
    },
  );
});

describe('other sources', () => {
  it('takes every file of the import bucket from the default bus, the only one that S3 knows', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: Match.absent(),
      EventPattern: {
        source: ['aws.s3'],
        'detail-type': ['Object Created'],
        detail: {
          bucket: { name: [{ Ref: Match.stringLikeRegexp('^BucketsImports') }] },
          // Reports about files are no files to import.
          object: { key: [{ 'anything-but': { prefix: 'reports/' } }] },
        },
      },
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^QueuesCatalogImportQueue'), 'Arn'] },
        }),
      ],
    });
  });

  it.each([
    ['LaneWaker', 60],
    ['BatchSweeper', 300],
  ])('starts %s every %i seconds and never while it may still run: no start is repeated', (name, seconds) => {
    const [id, fn] =
      Object.entries(template.findResources('AWS::Lambda::Function')).find(([id]) => id.startsWith(name)) ??
      [];
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: seconds === 60 ? 'rate(1 minute)' : `rate(${seconds / 60} minutes)`,
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [id, 'Arn'] },
          RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: seconds },
        }),
      ],
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: id },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: seconds,
    });
    expect(fn?.Properties.Timeout).toBeLessThanOrEqual(seconds);
  });

  it('wake lanes every minute', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      Targets: [
        Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^LaneWakerFunction'), 'Arn'] } }),
      ],
    });
  });
});
