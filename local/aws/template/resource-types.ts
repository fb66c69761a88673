import { createHash } from 'node:crypto';
import { account, arn, iamArn, ruleArn } from './account.ts';

/** The URLs of the run, for attributes that are URLs. */
export interface Endpoints {
  readonly aws: string;
  readonly api: string;
}

/** A resource with the facts from which its `Ref` and `Fn::GetAtt` are derived. */
export interface ResourceIdentity {
  readonly logicalId: string;
  /** The physical name: from the template if it gives one, otherwise derived from stack and logical ID. */
  readonly name: string;
  /** A resolved property as text, empty where it is absent. */
  property(name: string): string;
  readonly endpoints: Endpoints;
}

type Derive = (identity: ResourceIdentity) => string;

/** A type of resource that the local run supports. */
export interface ResourceType {
  /** The property that may hold a name given by the template. */
  readonly nameProperty?: string;
  readonly nameLimit?: number;
  readonly hasLowerCaseName?: boolean;
  readonly ref: Derive;
  readonly attributes?: Readonly<Record<string, Derive>>;
  /** Why a resource of this type has no effect in the local run. */
  readonly inert?: string;
}

const name: Derive = (identity) => identity.name;

/** A stable ID in UUID form, where AWS gives a random one. */
export function stableId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

function inert(
  reason: string,
  attributes: Readonly<Record<string, Derive>> = {},
  ref: Derive = name,
): ResourceType {
  return { inert: reason, ref, attributes };
}

const NO_VPC = 'functions run on this machine, outside of any VPC';

const table: ResourceType = {
  nameProperty: 'TableName',
  ref: name,
  attributes: { Arn: ({ name }) => arn('dynamodb', `table/${name}`) },
};

const busRuleArn: Derive = ({ name, property }) =>
  ruleArn(property('EventBusName').split('/').at(-1) || 'default', name);

const secretArn: Derive = ({ name, logicalId }) =>
  arn('secretsmanager', `secret:${name}-${stableId(logicalId).slice(0, 6)}`);

/** Every type of resource that a template may hold. Any other stops the run. */
export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    nameLimit: 80,
    ref: ({ name, endpoints }) => `${endpoints.aws}/${account.id}/${name}`,
    attributes: {
      Arn: ({ name }) => arn('sqs', name),
      QueueName: name,
      QueueUrl: ({ name, endpoints }) => `${endpoints.aws}/${account.id}/${name}`,
    },
  },
  'AWS::SQS::QueuePolicy': { ref: name },
  'AWS::DynamoDB::Table': table,
  'AWS::S3::Bucket': {
    nameProperty: 'BucketName',
    nameLimit: 63,
    hasLowerCaseName: true,
    ref: name,
    attributes: { Arn: ({ name }) => `arn:${account.partition}:s3:::${name}` },
  },
  'AWS::S3::BucketPolicy': { ref: name },
  'AWS::Events::EventBus': {
    nameProperty: 'Name',
    ref: name,
    attributes: { Arn: ({ name }) => arn('events', `event-bus/${name}`), Name: name },
  },
  'AWS::Events::Rule': { nameProperty: 'Name', nameLimit: 64, ref: name, attributes: { Arn: busRuleArn } },
  'AWS::Events::EventBusPolicy': inert('no other account is here'),
  'AWS::Events::Archive': inert('the local run keeps no events to replay', {
    Arn: ({ name }) => arn('events', `archive/${name}`),
  }),
  'AWS::Lambda::Function': {
    nameProperty: 'FunctionName',
    nameLimit: 64,
    ref: name,
    attributes: { Arn: ({ name }) => arn('lambda', `function:${name}`) },
  },
  'AWS::Lambda::Permission': { ref: name },
  'AWS::Lambda::EventSourceMapping': {
    ref: ({ logicalId }) => stableId(logicalId),
    attributes: { Id: ({ logicalId }) => stableId(logicalId) },
  },
  'AWS::Lambda::EventInvokeConfig': inert('no invocation by a schedule is repeated here'),
  'AWS::IAM::Role': {
    nameProperty: 'RoleName',
    nameLimit: 64,
    ref: name,
    attributes: { Arn: ({ name }) => iamArn(`role/${name}`), RoleId: ({ logicalId }) => roleId(logicalId) },
  },
  'AWS::IAM::Policy': { ref: name },
  'AWS::ApiGatewayV2::Api': {
    ref: ({ logicalId }) => apiId(logicalId),
    attributes: { ApiEndpoint: ({ endpoints }) => endpoints.api, ApiId: ({ logicalId }) => apiId(logicalId) },
  },
  'AWS::ApiGatewayV2::Stage': { nameProperty: 'StageName', ref: name },
  'AWS::ApiGatewayV2::Route': { ref: name },
  'AWS::ApiGatewayV2::Integration': { ref: name },
  'AWS::SecretsManager::Secret': {
    nameProperty: 'Name',
    ref: secretArn,
    attributes: { Id: secretArn },
  },
  'AWS::KMS::Key': {
    ref: ({ logicalId }) => stableId(logicalId),
    attributes: {
      Arn: ({ logicalId }) => arn('kms', `key/${stableId(logicalId)}`),
      KeyId: ({ logicalId }) => stableId(logicalId),
    },
  },
  'AWS::Logs::LogGroup': inert('the log lines of a function go to the run itself', {
    Arn: ({ name }) => arn('logs', `log-group:${name}:*`),
  }),
  'AWS::CloudWatch::Alarm': inert('there are no metrics to alarm on', {
    Arn: ({ name }) => arn('cloudwatch', `alarm:${name}`),
  }),
  'AWS::CloudWatch::CompositeAlarm': inert('there are no metrics to alarm on', {
    Arn: ({ name }) => arn('cloudwatch', `alarm:${name}`),
  }),
  'AWS::CloudWatch::Dashboard': inert('there are no metrics to show'),
  'AWS::Logs::QueryDefinition': inert('the log lines of a function go to the run itself'),
  'AWS::SNS::Topic': inert(
    'only alarms publish to it',
    { TopicArn: ({ name }) => arn('sns', name) },
    ({ name }) => arn('sns', name),
  ),
  'AWS::SNS::TopicPolicy': inert('only alarms publish to the topic'),
  'AWS::SNS::Subscription': inert('only alarms publish to the topic'),
  'AWS::EC2::SecurityGroup': inert(NO_VPC, { GroupId: name, VpcId: ({ property }) => property('VpcId') }),
  'AWS::EC2::VPC': inert(NO_VPC, {
    VpcId: name,
    CidrBlock: ({ property }) => property('CidrBlock'),
    DefaultSecurityGroup: ({ name }) => `${name}-default`,
  }),
  'AWS::EC2::Subnet': inert(NO_VPC, { SubnetId: name }),
  'AWS::EC2::RouteTable': inert(NO_VPC, { RouteTableId: name }),
  'AWS::EC2::EIP': inert(NO_VPC, { AllocationId: name }),
  ...Object.fromEntries(
    [
      'InternetGateway',
      'NatGateway',
      'Route',
      'SubnetRouteTableAssociation',
      'VPCGatewayAttachment',
      'VPCEndpoint',
    ].map((type) => [`AWS::EC2::${type}`, inert(NO_VPC)]),
  ),
  'AWS::CDK::Metadata': inert('it describes the CDK version'),
};

/** The ID that IAM gives a role: 21 characters with the prefix of roles. */
export function roleId(logicalId: string): string {
  return `AROA${stableId(logicalId).replaceAll('-', '').toUpperCase().slice(0, 17)}`;
}

function apiId(logicalId: string): string {
  return stableId(logicalId).replaceAll('-', '').slice(0, 10);
}
