import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { MarketplaceConnector, type MarketplaceConnectorProps } from '../../infra/marketplace-connector.ts';
import { connectorTemplate, inlineCode } from './support/stacks.ts';
import { functionsOf, readable } from './support/template.ts';

const required = {
  marketplaceBaseUrl: 'https://api.marketplace.example',
  partnerClientId: 'partner',
  code: inlineCode,
};

/** A stack of an app with no other context than `flags`. */
function createStack(flags: Record<string, unknown> = {}): Stack {
  return new Stack(new App({ context: flags }), 'Partner');
}

/** The connector with these props, alone in a stack of the partner. */
function templateWith(props: Partial<MarketplaceConnectorProps>, stack = createStack()): Template {
  new MarketplaceConnector(stack, 'Connector', { ...required, ...props });
  return Template.fromStack(stack);
}

/** The template as text, without the order of actions and resources in policies, which depends on the app's flags. */
function comparable(template: Template): string {
  const unordered = (key: string, value: unknown) =>
    ['Action', 'Resource'].includes(key) && Array.isArray(value)
      ? value.map((it) => JSON.stringify(it)).sort()
      : value;
  return JSON.stringify(template.toJSON(), unordered, 1);
}

describe("the connector in a partner's own stack", () => {
  const template = templateWith({});

  it('has every resource that the stack of this repository has', () => {
    const typesIn = ({ Resources }: { Resources?: Record<string, { Type: string }> }) =>
      Object.values(Resources ?? {})
        .map(({ Type }) => Type)
        .sort();
    expect(typesIn(template.toJSON())).toEqual(typesIn(connectorTemplate().toJSON()));
  });

  it('adds no parameter and no output to it', () => {
    expect(template.findParameters('*', {})).not.toHaveProperty('MarketplaceBaseUrl');
    expect(template.findOutputs('*')).toEqual({});
  });

  it('is the same whatever the feature flags of the app', () => {
    const without = comparable(template);

    expect(comparable(templateWith({}, createStack(CURRENTLY_RECOMMENDED_FLAGS)))).toBe(without);
    const opposite = Object.fromEntries(
      Object.entries(CURRENTLY_RECOMMENDED_FLAGS).flatMap(([flag, value]) =>
        typeof value === 'boolean' ? [[flag, !value]] : [],
      ),
    );
    expect(comparable(templateWith({}, createStack(opposite)))).toBe(without);
  });

  it('names in `outputs` what the stack of this repository has as outputs', () => {
    const { outputs } = new MarketplaceConnector(createStack(), 'Connector', required);
    const own = connectorTemplate().findOutputs('*');

    expect(Object.keys(outputs).sort()).toEqual(Object.keys(own).sort());
  });

  it("lets a function of the partner's call the operations API, and nothing else", () => {
    const stack = createStack();
    const role = new Role(stack, 'Mine', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    new MarketplaceConnector(stack, 'Connector', required).grantInvokeApi(role);
    const policies = Object.entries(Template.fromStack(stack).findResources('AWS::IAM::Policy'))
      .filter(([logicalId]) => logicalId.startsWith('Mine'))
      .map(([, { Properties }]) => Properties.PolicyDocument.Statement);

    expect(policies).toEqual([
      [
        {
          Action: 'execute-api:Invoke',
          Effect: 'Allow',
          Resource: {
            'Fn::Join': [
              '',
              expect.arrayContaining([{ Ref: expect.stringMatching(/^ConnectorHttpApi/) }, '/*/*/*']),
            ],
          },
        },
      ],
    ]);
  });

  it('gives settings that are left out their defaults', () => {
    const [environment] = functionsOf(templateWith({ settings: { requestsPerSecond: 7 } }))
      .filter(({ name }) => name.endsWith('ListingProducer'))
      .map((fn) => fn.environment);

    expect(environment).toMatchObject({ REQUESTS_PER_SECOND: '7', REQUESTS_IN_FLIGHT: '5' });
  });

  it.each([
    [{ settings: { pageSize: 0 } }, /^Unusable settings:\n.*\n.*pageSize/],
    [{ settings: { pageSizes: 1 } as object }, /^Unknown settings: pageSizes; allowed: itemsPerRequest, /],
    [{ settings: { stackName: 'Mine' } as object }, /^Unknown settings: stackName; allowed: /],
    [{ marketplaceBaseUrl: 'https://api.marketplace.example/api/v1' }, /^marketplaceBaseUrl must start with/],
    [{ partnerClientId: 'partner ' }, /^partnerClientId must be visible ASCII without spaces$/],
    [{ partnerClientId: undefined as unknown as string }, /^partnerClientId must be visible ASCII/],
    [{ marketplaceBaseUrl: undefined as unknown as string }, /^marketplaceBaseUrl must start with/],
    [{ securityGroups: [] }, /^vpcSubnets and securityGroups need vpc$/],
  ] satisfies [Partial<MarketplaceConnectorProps>, RegExp][])('refuses %j', (props, message) => {
    expect(() => templateWith(props)).toThrow(message);
  });

  it('refuses a region of aws-cn, which is not supported, and takes one of aws-us-gov', () => {
    const stackIn = (region: string) => new Stack(new App(), 'Partner', { env: { region } });

    expect(() => templateWith({}, stackIn('cn-north-1'))).toThrow('the region cn-north-1 is not supported');
    expect(() => templateWith({}, stackIn('us-gov-west-1'))).not.toThrow();
  });

  it('refuses a second connector in a stack, whose metrics would be added to those of the first', () => {
    const stack = createStack();
    new MarketplaceConnector(stack, 'First', required);

    expect(() => new MarketplaceConnector(stack, 'Second', required)).toThrow(
      'a stack has at most one connector',
    );
  });
});

describe('the connector with resources of the partner', () => {
  it('takes its events from an existing bus, and leaves events of other kinds alone', () => {
    const stack = createStack();
    const eventBus = EventBus.fromEventBusName(stack, 'Bus', 'orders');
    const template = templateWith({ eventBus }, stack);

    template.resourceCountIs('AWS::Events::EventBus', 0);
    const patterns = Object.values(template.findResources('AWS::Events::Rule'))
      .filter(({ Properties }) => Properties.EventBusName === 'orders')
      .map(({ Properties }) => Properties.EventPattern['detail-type']);
    expect(patterns).toHaveLength(5);
    expect(patterns.flat().every((it) => typeof it === 'string')).toBe(true);
    const publishers = functionsOf(template).flatMap(({ statements }) =>
      statements.filter(({ actions }) => actions.includes('events:PutEvents')),
    );
    for (const { resources } of publishers) expect(resources.join()).toMatch(/event-bus\/orders$/);
    expect(publishers.length).toBeGreaterThan(0);
  });

  it.each([
    ['orders', 'orders', 2],
    ['default', undefined, 1],
  ])('watches the delivery of events of the bus %s', (busName, dimension, segment) => {
    const stack = createStack();
    const eventBus = EventBus.fromEventBusName(stack, 'Bus', busName);
    const [alarm] = Object.values(
      templateWith({ eventBus }, stack).findResources('AWS::CloudWatch::Alarm'),
    ).filter(({ Properties }) => Properties.AlarmDescription.includes('#eventsundelivered'));
    const ofBus = JSON.stringify(alarm?.Properties.Metrics).match(/ConnectorEventsChanges\w+/);

    expect(ofBus).not.toBeNull();
    const metric = alarm?.Properties.Metrics.map(
      (it: { MetricStat?: { Metric: unknown } }) => it.MetricStat?.Metric,
    ).find((it: unknown) => JSON.stringify(it)?.includes(String(ofBus)));
    const { EventBusName, RuleName } = Object.fromEntries(
      metric.Dimensions.map(({ Name, Value }: { Name: string; Value: unknown }) => [Name, Value]),
    );
    expect(EventBusName).toBe(dimension);
    expect(RuleName['Fn::Select'][0]).toBe(segment);
  });

  it("refuses accounts of senders beside it, as its policy is not the connector's", () => {
    const stack = createStack();
    const eventBus = EventBus.fromEventBusName(stack, 'Bus', 'orders');

    expect(() => templateWith({ eventBus, settings: { senderAccounts: '123456789012' } }, stack)).toThrow(
      'senderAccounts are for a bus of the connector',
    );
  });

  it('encrypts by an existing key, which its functions may use through the services only', () => {
    const stack = createStack();
    const keyArn = 'arn:aws:kms:eu-west-1:111111111111:key/11111111-2222-4333-8444-555555555555';
    const template = templateWith({ encryptionKey: Key.fromKeyArn(stack, 'Key', keyArn) }, stack);

    template.resourceCountIs('AWS::KMS::Key', 0);
    template.hasResourceProperties('AWS::SecretsManager::Secret', { KmsKeyId: keyArn });
    const uses = functionsOf(template).flatMap(({ statements }) =>
      statements.filter(({ actions }) => actions.some((action) => action.startsWith('kms:'))),
    );
    expect(uses.length).toBeGreaterThan(0);
    for (const { resources, condition } of uses) {
      expect(resources).toEqual([keyArn]);
      expect(condition).toHaveProperty(['StringEquals', 'kms:ViaService']);
    }
  });

  it('notifies an existing topic, for the next day as well', () => {
    const stack = createStack();
    const alarmTopic = Topic.fromTopicArn(stack, 'Topic', 'arn:aws:sns:eu-west-1:111111111111:operators');
    const alarms = Object.values(templateWith({ alarmTopic }, stack).findResources('AWS::CloudWatch::Alarm'));

    expect(alarms.length).toBeGreaterThan(0);
    const notified = alarms.flatMap(({ Properties }) => Properties.AlarmActions ?? []);
    expect(new Set(notified)).toEqual(new Set([alarmTopic.topicArn]));
    expect(notified.length).toBeGreaterThan(70);
  });

  it('runs its functions in private subnets of a VPC, with a security group that lets nothing in', () => {
    const stack = createStack();
    const template = templateWith({ vpc: new Vpc(stack, 'Vpc') as IVpc }, stack);
    const functions = functionsOf(template).filter(({ name }) => name.startsWith('Connector'));

    expect(functions).toHaveLength(13);
    for (const { properties, statements } of functions) {
      const { SubnetIds, SecurityGroupIds } = properties.VpcConfig;
      expect(SubnetIds.map(readable).join()).toMatch(/^(VpcPrivateSubnet\dSubnet,?)+$/);
      expect(SecurityGroupIds.map(readable)).toEqual(['ConnectorSecurityGroup.GroupId']);
      expect(statements.flatMap(({ actions }) => actions)).toContain('ec2:CreateNetworkInterface');
    }
    const [group] = Object.values(template.findResources('AWS::EC2::SecurityGroup', {})).filter(
      ({ Properties }) => Properties.GroupDescription === 'Functions of the Marketplace Connector',
    );
    expect(group?.Properties).not.toHaveProperty('SecurityGroupIngress');
    expect(functionsOf(templateWith({})).every(({ properties }) => !('VpcConfig' in properties))).toBe(true);
  });

  it('warns of subnets without a way to the marketplace, which are the private ones of a VPC without NAT', () => {
    const warningsOf = (natGateways: number) => {
      const stack = createStack();
      templateWith({ vpc: new Vpc(stack, 'Vpc', { natGateways }) as IVpc }, stack);
      return Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('isolated subnets'));
    };

    expect(warningsOf(0)).toHaveLength(1);
    expect(warningsOf(1)).toEqual([]);
  });

  it('has no finding of cdk-nag that is not acknowledged', () => {
    const stack = createStack();
    const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', {
      vpcId: 'vpc-1',
      availabilityZones: ['eu-west-1a'],
      privateSubnetIds: ['subnet-1'],
    });
    const connector = new MarketplaceConnector(stack, 'Connector', { ...required, vpc });

    expect(new AwsSolutionsChecks(connector).validateScope(connector).violations).toEqual([]);
  });
});
