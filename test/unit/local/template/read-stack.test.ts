import { describe, expect, test } from 'vitest';
import type { CloudFormationTemplate } from '../../../local/template/cloudformation.ts';
import { readStack, type Stack } from '../../../local/template/read-stack.ts';

const endpoints = { aws: 'http://127.0.0.1:4566', api: 'http://127.0.0.1:4567' };

function read(template: CloudFormationTemplate, parameters: Record<string, string> = {}): Stack {
  return readStack(template, { stackName: 'Shop', parameters, endpoints });
}

/** The value of an expression, as an output would show it. */
function value(expression: unknown, rest: Partial<CloudFormationTemplate> = {}): string | undefined {
  return read({ Resources: {}, ...rest, Outputs: { Value: { Value: expression } } }).outputs.Value;
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the placeholders of Fn::Sub
describe('intrinsic functions', () => {
  test.each([
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['Fn::Join', { 'Fn::Join': ['-', ['a', { Ref: 'AWS::AccountId' }]] }, 'a-000000000000'],
    ['Fn::Sub', { 'Fn::Sub': '${AWS::Partition}/${!kept}' }, 'aws/${kept}'],
    [
      'Fn::Sub with variables',
      { 'Fn::Sub': ['${who}@${AWS::URLSuffix}', { who: 'me' }] },
      'me@amazonaws.com',
    ],
    ['Fn::Select of Fn::Split', { 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
  ])('%s', (_name, expression, expected) => {
    expect(value(expression)).toBe(expected);
  });

  test('Fn::If follows conditions made of parameters', () => {
    const rest: Partial<CloudFormationTemplate> = {
      Parameters: { Stage: { Type: 'String', Default: 'test' } },
      Conditions: {
        IsTest: { 'Fn::Equals': [{ Ref: 'Stage' }, 'test'] },
        IsProduction: { 'Fn::Not': [{ Condition: 'IsTest' }] },
      },
    };
    expect(value({ 'Fn::If': ['IsProduction', 'yes', 'no'] }, rest)).toBe('no');
  });

  test('Fn::FindInMap looks up a mapping', () => {
    const rest = { Mappings: { Sizes: { small: { memory: 128 } } } };
    expect(value({ 'Fn::FindInMap': ['Sizes', 'small', 'memory'] }, rest)).toBe('128');
  });

  test('AWS::NoValue leaves a property out', () => {
    const stack = read({
      Resources: {
        Queue: {
          Type: 'AWS::SQS::Queue',
          Properties: { DelaySeconds: { Ref: 'AWS::NoValue' }, FifoQueue: false },
        },
      },
    });
    expect(stack.ofType('AWS::SQS::Queue')[0]?.properties).toEqual({ FifoQueue: false });
  });

  test('the condition of a policy statement is not taken for the intrinsic of that name', () => {
    const condition = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } };
    const stack = read({
      Resources: {
        Policy: { Type: 'AWS::IAM::Policy', Properties: { PolicyDocument: { Condition: condition } } },
      },
    });
    expect(stack.resources[0]?.properties.PolicyDocument).toEqual({
      Condition: { StringEquals: { 'aws:SourceAccount': '000000000000' } },
    });
  });

  test.each([
    [
      'an intrinsic that is not known',
      { 'Fn::ImportValue': 'other' },
      'Output Value: Fn::ImportValue is not known',
    ],
    ['a dynamic reference', '{{resolve:ssm:/a}}', 'Output Value: The dynamic reference'],
    [
      'a reference to nothing',
      { Ref: 'Nothing' },
      'Output Value: The template has no resource or parameter Nothing',
    ],
  ])('%s stops the reading and names the place', (_name, expression, message) => {
    expect(() => value(expression)).toThrow(message);
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the placeholders of Fn::Sub

describe('resources', () => {
  test('a type that is not known stops the reading and names the logical ID', () => {
    const template = { Resources: { Cluster: { Type: 'AWS::ECS::Cluster' } } };
    expect(() => read(template)).toThrow('Cluster: the type AWS::ECS::Cluster is not known to the local run');
  });

  test('an attribute that is not known stops the reading', () => {
    const resources = { Table: { Type: 'AWS::DynamoDB::Table' } };
    expect(() => value({ 'Fn::GetAtt': ['Table', 'StreamArn'] }, { Resources: resources })).toThrow(
      'no attribute StreamArn',
    );
  });

  test('a queue is known by its URL, its ARN and its name', () => {
    const stack = read({
      Resources: { Queue: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } } },
    });
    expect(stack.resources[0]).toMatchObject({
      name: 'Shop-Queue.fifo',
      ref: 'http://127.0.0.1:4566/000000000000/Shop-Queue.fifo',
      attributes: { Arn: 'arn:aws:sqs:us-east-1:000000000000:Shop-Queue.fifo' },
    });
  });

  test('a name of the template is kept, also where it is put together', () => {
    const name = { 'Fn::Join': ['-', [{ Ref: 'AWS::StackName' }, 'events']] };
    const stack = read({ Resources: { Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: name } } } });
    expect(stack.resources[0]?.ref).toBe('Shop-events');
  });

  test('a long name is shortened to the limit of its type and keeps the hash at its end', () => {
    const logicalId = `${'VeryLongFunctionName'.repeat(5)}1A2B3C4D`;
    const stack = read({ Resources: { [logicalId]: { Type: 'AWS::Lambda::Function' } } });
    const name = stack.resources[0]?.name ?? '';
    expect(name).toHaveLength(64);
    expect(name.endsWith('1A2B3C4D')).toBe(true);
  });

  test('a resource whose condition does not hold is not there', () => {
    const stack = read({
      Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } },
      Resources: { Queue: { Type: 'AWS::SQS::Queue', Condition: 'Never' } },
    });
    expect(stack.resources).toEqual([]);
  });

  test.each([['Policy'], [['Queue', 'Policy']]])(
    'a resource that depends on what is not there (%s) stops the reading and names both',
    (DependsOn) => {
      const resources = { Queue: { Type: 'AWS::SQS::Queue' }, Other: { Type: 'AWS::SQS::Queue', DependsOn } };
      expect(() => read({ Resources: resources })).toThrow(
        'Other: The template has no resource or parameter Policy',
      );
    },
  );

  test('a resource may depend on others that are there', () => {
    const resources = {
      Queue: { Type: 'AWS::SQS::Queue' },
      Other: { Type: 'AWS::SQS::Queue', DependsOn: 'Queue' },
      Third: { Type: 'AWS::SQS::Queue', DependsOn: ['Queue', 'Other'] },
    };
    expect(read({ Resources: resources }).resources).toHaveLength(3);
  });

  test('the URL of the HTTP API is where the run serves it', () => {
    const resources = { Api: { Type: 'AWS::ApiGatewayV2::Api' } };
    expect(value({ 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }, { Resources: resources })).toBe(
      'http://127.0.0.1:4567',
    );
  });
});

describe('parameters', () => {
  const template: CloudFormationTemplate = {
    Parameters: { Url: { Type: 'String', MinLength: 10, AllowedPattern: '^https?://.*[^/]$' } },
    Resources: {},
    Outputs: { Url: { Value: { Ref: 'Url' } } },
  };

  test('a given value is used', () => {
    expect(read(template, { Url: 'http://localhost' }).outputs.Url).toBe('http://localhost');
  });

  test.each([
    ['without a value', {}, 'Parameter Url has neither a value nor a default'],
    [
      'with a value that is not allowed',
      { Url: 'http://localhost/' },
      'Parameter Url: http://localhost/ does not match',
    ],
    [
      'that the template does not have',
      { Url: 'http://localhost', Other: 'b' },
      'The template has no parameter Other',
    ],
  ])('a parameter %s is refused', (_name, parameters, message) => {
    expect(() => read(template, parameters)).toThrow(message);
  });

  test('a value is refused by what the template says of it', () => {
    const Url = { Type: 'String', AllowedPattern: '^https://.*', ConstraintDescription: 'must be https' };

    expect(() => read({ ...template, Parameters: { Url } }, { Url: 'http://a.example' })).toThrow(
      'Parameter Url: http://a.example must be https',
    );
  });
});
