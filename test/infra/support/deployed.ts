import type { Template } from 'aws-cdk-lib/assertions';

interface Resource {
  readonly Type: string;
  readonly Properties?: Record<string, unknown>;
}

/** Characters that CloudFormation adds to a name. */
const RANDOM = '-1A2B3C4D5E6F7';
/** Longest names, by type; 255 for the others. CloudFormation shortens longer ones. */
const NAME_LIMITS: Readonly<Record<string, number>> = {
  'AWS::SQS::Queue': 80,
  'AWS::S3::Bucket': 63,
  'AWS::Lambda::Function': 64,
  'AWS::IAM::Role': 64,
};
/** The region with the longest names of all that are supported. */
const AT = 'us-gov-west-1:123456789012';
const ARNS: Readonly<Record<string, (name: string) => string>> = {
  'AWS::DynamoDB::Table': (name) => `dynamodb:${AT}:table/${name}`,
  'AWS::SQS::Queue': (name) => `sqs:${AT}:${name}`,
  'AWS::S3::Bucket': (name) => `s3:::${name}`,
  'AWS::Events::EventBus': (name) => `events:${AT}:event-bus/${name}`,
  'AWS::KMS::Key': () => `kms:${AT}:key/12345678-1234-1234-1234-123456789012`,
  'AWS::Logs::LogGroup': (name) => `logs:${AT}:log-group:${name}:*`,
  'AWS::SecretsManager::Secret': (name) => `secretsmanager:${AT}:secret:${name}-AbCdEf`,
};
const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Region': 'us-gov-west-1',
  'AWS::Partition': 'aws-us-gov',
  'AWS::AccountId': '123456789012',
};

/** The template's values as a deployment makes them of intrinsics, with names as long as CloudFormation's. */
export function deployedValues(template: Template, stackName: string, parameters: Record<string, string>) {
  const resources: Record<string, Resource> = template.toJSON().Resources;
  const nameOf = (id: string): string => {
    const { Type = '', Properties = {} } = resources[id] ?? {};
    if (typeof Properties.Name === 'string') return Properties.Name;
    if (Type === 'AWS::SecretsManager::Secret') return `${id}${RANDOM}`;
    return `${stackName}-${id}${RANDOM}`.slice(0, NAME_LIMITS[Type] ?? 255);
  };
  const arnOf = (id: string): string => {
    const { Type = '' } = resources[id] ?? {};
    const own = ARNS[Type];
    if (own === undefined) throw new Error(`no ARN of a ${Type}`);
    return `arn:aws-us-gov:${own(nameOf(id))}`;
  };
  const refer = (id: string): string => {
    const type = resources[id]?.Type;
    if (type === 'AWS::SQS::Queue')
      return `https://sqs.us-gov-west-1.amazonaws.com/123456789012/${nameOf(id)}`;
    if (type === 'AWS::SecretsManager::Secret') return arnOf(id);
    return PSEUDO[id] ?? parameters[id] ?? nameOf(id);
  };
  const attribute = (id: string, name: string): string => {
    if (name === 'Arn') return arnOf(id);
    if (name === 'QueueName') return nameOf(id);
    if (name === 'ApiEndpoint') return 'https://a1b2c3d4e5.execute-api.us-gov-west-1.amazonaws.com';
    throw new Error(`no attribute ${name} of a ${resources[id]?.Type}`);
  };
  const deployed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(deployed);
    if (typeof value !== 'object' || value === null) return value;
    if ('Ref' in value) return refer(String(value.Ref));
    if ('Fn::GetAtt' in value) return attribute(...(value['Fn::GetAtt'] as [string, string]));
    if ('Fn::Join' in value) {
      const [separator, parts] = value['Fn::Join'] as [string, unknown[]];
      return parts.map(deployed).join(separator);
    }
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, deployed(part)]));
  };
  return deployed;
}
