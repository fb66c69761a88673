import { describe, expect, test } from 'vitest';
import type { CloudFormationTemplate } from '../../../../local/aws/template/cloudformation.ts';
import { readStack, type Stack } from '../../../../local/aws/template/read-stack.ts';

const endpoints = { aws: 'http://127.0.0.1:4566', api: 'http://127.0.0.1:4567' };

function read(template: CloudFormationTemplate, parameters: Record<string, string> = {}): Stack {
  return readStack(template, { stackName: 'Shop', parameters, endpoints });
}

/** The value of an expression, as an output would show it. */
function value(expression: unknown, rest: Partial<CloudFormationTemplate> = {}): string | undefined {
  return read({ Resources: {}, ...rest, Outputs: { Value: { Value: expression } } }).outputs.Value;
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the placeholders of Fn::Sub
describe('the reader of a template', () => {
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
  ])('resolves %s', (_name, expression, expected) => {
    expect(value(expression)).toBe(expected);
  });

  test('resolves Fn::If by conditions on parameters', () => {
    const rest: Partial<CloudFormationTemplate> = {
      Parameters: { Stage: { Type: 'String', Default: 'test' } },
      Conditions: {
        IsTest: { 'Fn::Equals': [{ Ref: 'Stage' }, 'test'] },
        IsProduction: { 'Fn::Not': [{ Condition: 'IsTest' }] },
      },
    };
    expect(value({ 'Fn::If': ['IsProduction', 'yes', 'no'] }, rest)).toBe('no');
  });

  test('resolves Fn::FindInMap in a mapping', () => {
    const rest = { Mappings: { Sizes: { small: { memory: 128 } } } };
    expect(value({ 'Fn::FindInMap': ['Sizes', 'small', 'memory'] }, rest)).toBe('128');
  });

  test('leaves out a property with AWS::NoValue', () => {
    const stack = read({
      Resources: {
        Queue: {
          Type: 'AWS::SQS::Queue',
          Properties: { DelaySeconds: { Ref: 'AWS::NoValue' }, VisibilityTimeout: 60 },
        },
      },
    });
    expect(stack.ofType('AWS::SQS::Queue')[0]?.properties).toEqual({ VisibilityTimeout: 60 });
  });

  test('keeps the condition of a policy statement, which is not the intrinsic function of that name', () => {
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
  ])('refuses %s and names the place', (_name, expression, message) => {
    expect(() => value(expression)).toThrow(message);
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the placeholders of Fn::Sub

describe('the resources of a template', () => {
  test('are refused with the logical ID when their type is unknown', () => {
    const template = { Resources: { Cluster: { Type: 'AWS::ECS::Cluster' } } };
    expect(() => read(template)).toThrow('Cluster: the type AWS::ECS::Cluster is not known to the local run');
  });

  test('with an unknown attribute are refused', () => {
    const resources = { Table: { Type: 'AWS::DynamoDB::Table' } };
    expect(() => value({ 'Fn::GetAtt': ['Table', 'StreamArn'] }, { Resources: resources })).toThrow(
      'no attribute StreamArn',
    );
  });

  test('include a queue by URL, ARN and name', () => {
    const stack = read({ Resources: { Queue: { Type: 'AWS::SQS::Queue' } } });
    expect(stack.resources[0]).toMatchObject({
      name: 'Shop-Queue',
      ref: 'http://127.0.0.1:4566/000000000000/Shop-Queue',
      attributes: { Arn: 'arn:aws:sqs:us-east-1:000000000000:Shop-Queue' },
    });
  });

  test('keep a name of the template, also a composed one', () => {
    const name = { 'Fn::Join': ['-', [{ Ref: 'AWS::StackName' }, 'events']] };
    const stack = read({ Resources: { Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: name } } } });
    expect(stack.resources[0]?.ref).toBe('Shop-events');
  });

  test('get a long name shortened to the limit of their type, with the hash at its end', () => {
    const logicalId = `${'VeryLongFunctionName'.repeat(5)}1A2B3C4D`;
    const stack = read({ Resources: { [logicalId]: { Type: 'AWS::Lambda::Function' } } });
    const name = stack.resources[0]?.name ?? '';
    expect(name).toHaveLength(64);
    expect(name.endsWith('1A2B3C4D')).toBe(true);
  });

  test('are left out when their condition does not hold', () => {
    const stack = read({
      Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } },
      Resources: { Queue: { Type: 'AWS::SQS::Queue', Condition: 'Never' } },
    });
    expect(stack.resources).toEqual([]);
  });

  test.each([['Policy'], [['Queue', 'Policy']]])(
    'are refused with both names when one depends on a missing one (%s)',
    (DependsOn) => {
      const resources = { Queue: { Type: 'AWS::SQS::Queue' }, Other: { Type: 'AWS::SQS::Queue', DependsOn } };
      expect(() => read({ Resources: resources })).toThrow(
        'Other: The template has no resource or parameter Policy',
      );
    },
  );

  test('may depend on existing ones', () => {
    const resources = {
      Queue: { Type: 'AWS::SQS::Queue' },
      Other: { Type: 'AWS::SQS::Queue', DependsOn: 'Queue' },
      Third: { Type: 'AWS::SQS::Queue', DependsOn: ['Queue', 'Other'] },
    };
    expect(read({ Resources: resources }).resources).toHaveLength(3);
  });

  test('include the HTTP API with the URL of the run', () => {
    const resources = { Api: { Type: 'AWS::ApiGatewayV2::Api' } };
    expect(value({ 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }, { Resources: resources })).toBe(
      'http://127.0.0.1:4567',
    );
  });
});

describe('the parameters of a template', () => {
  const template: CloudFormationTemplate = {
    Parameters: { Url: { Type: 'String', MinLength: 10, AllowedPattern: '^https?://.*[^/]$' } },
    Resources: {},
    Outputs: { Url: { Value: { Ref: 'Url' } } },
  };

  test('take a given value', () => {
    expect(read(template, { Url: 'http://localhost' }).outputs.Url).toBe('http://localhost');
  });

  test.each([
    ['has no value', {}, 'Parameter Url has neither a value nor a default'],
    [
      'has a value that is not allowed',
      { Url: 'http://localhost/' },
      'Parameter Url: http://localhost/ does not match',
    ],
    [
      'is not in the template',
      { Url: 'http://localhost', Other: 'b' },
      'The template has no parameter Other',
    ],
  ])('are refused when one %s', (_name, parameters, message) => {
    expect(() => read(template, parameters)).toThrow(message);
  });

  test('are refused by the constraints of the template', () => {
    const Url = { Type: 'String', AllowedPattern: '^https://.*', ConstraintDescription: 'must be https' };

    expect(() => read({ ...template, Parameters: { Url } }, { Url: 'http://a.example' })).toThrow(
      'Parameter Url: http://a.example must be https',
    );
  });
});
