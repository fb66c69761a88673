import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import {
  arnOf,
  functionRole,
  type HandMadeStack,
  lambdaFunction,
  ref,
  startStack,
  table,
} from '../fixture.ts';

const echo = `
export async function handler(event) {
  console.log(event['detail-type'] ?? event.routeKey);
  return { statusCode: 200, body: JSON.stringify({ url: process.env.API_URL, pid: process.pid }) };
}`;

const permission = (principal: string, properties: object = {}): object => ({
  Type: 'AWS::Lambda::Permission',
  Properties: {
    Action: 'lambda:InvokeFunction',
    FunctionName: ref('Echo'),
    Principal: principal,
    ...properties,
  },
});

function route(routeKey: string, integration: string): object {
  const Target = { 'Fn::Join': ['/', ['integrations', ref(integration)]] };
  return {
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: { ApiId: ref('Api'), RouteKey: routeKey, Target, AuthorizationType: 'NONE' },
  };
}

const webhook: HandMadeStack = {
  resources: {
    Role: functionRole(),
    Echo: lambdaFunction('echo', 'Role', { API_URL: { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] } }),
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'api', ProtocolType: 'HTTP' } },
    Stage: {
      Type: 'AWS::ApiGatewayV2::Stage',
      Properties: { ApiId: ref('Api'), StageName: '$default', AutoDeploy: true },
    },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        ApiId: ref('Api'),
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: arnOf('Echo'),
        PayloadFormatVersion: '2.0',
      },
    },
    Permitted: route('POST /permitted', 'Integration'),
    Forgotten: route('POST /forgotten', 'Integration'),
    MayInvoke: permission('apigateway.amazonaws.com', {
      SourceArn: {
        'Fn::Join': ['', ['arn:aws:execute-api:us-east-1:000000000000:', ref('Api'), '/*/*/permitted']],
      },
    }),
    EveryMinute: {
      Type: 'AWS::Events::Rule',
      Properties: { ScheduleExpression: 'rate(1 minute)', Targets: [{ Id: 't', Arn: arnOf('Echo') }] },
    },
    ScheduleMayInvoke: permission('events.amazonaws.com', { SourceArn: arnOf('EveryMinute') }),
  },
  outputs: { ApiUrl: { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] } },
  functions: { echo },
};

describe('the HTTP API', () => {
  test('invokes the function of a route, and the function knows the URL of the API', async () => {
    await using started = await startStack(webhook);
    const { run } = started;
    expect(run.outputs.ApiUrl).toBe(run.apiUrl);
    const answer = await fetch(`${run.apiUrl}/permitted`, { method: 'POST' });
    expect(await answer.json()).toMatchObject({ url: run.apiUrl });
  });

  test('can not invoke a function that does not permit the route', async () => {
    await using started = await startStack(webhook);
    const answer = await fetch(`${started.run.apiUrl}/forgotten`, { method: 'POST' });
    expect(answer.status).toBe(500);
    expect(started.run.accessDenied).toMatchObject([{ principal: 'apigateway.amazonaws.com' }]);
  });
});

describe('a function', () => {
  test('runs its schedule on request', async () => {
    await using started = await startStack(webhook);
    await started.run.triggerSchedule('Echo');
    expect(started.run.functions.logs('Echo').map(({ message }) => message)).toEqual(['Scheduled Event']);
  });

  test('continues in a new process after its process was killed', async () => {
    await using started = await startStack(webhook);
    const { functions } = started.run;
    const pid = async (): Promise<number> => {
      const result = await functions.invoke('Echo', {});
      return JSON.parse((result.ok ? (result.payload as { body: string }) : { body: '{}' }).body).pid;
    };
    const before = await pid();
    expect(functions.kill('Echo')).toBe(true);
    await expect.poll(() => functions.kill('Echo')).toBe(false);
    expect(await pid()).not.toBe(before);
  });

  test('that has a VPC at AWS runs on this machine, outside of it', async () => {
    const { Properties } = lambdaFunction('echo', 'Role') as { Properties: object };
    const subnet = {
      VpcId: ref('Vpc'),
      CidrBlock: '10.0.0.0/18',
      AvailabilityZone: { 'Fn::Select': [0, { 'Fn::GetAZs': '' }] },
    };
    await using started = await startStack({
      resources: {
        Role: functionRole(),
        Vpc: { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/16' } },
        Subnet: { Type: 'AWS::EC2::Subnet', Properties: subnet },
        Group: { Type: 'AWS::EC2::SecurityGroup', Properties: { VpcId: ref('Vpc') } },
        Echo: {
          Type: 'AWS::Lambda::Function',
          Properties: {
            ...Properties,
            VpcConfig: {
              SubnetIds: [ref('Subnet')],
              SecurityGroupIds: [{ 'Fn::GetAtt': ['Group', 'GroupId'] }],
            },
          },
        },
      },
      functions: { echo },
    });
    expect(await started.run.functions.invoke('Echo', {})).toMatchObject({ ok: true });
  });

  test('can not be named by a part that two logical IDs share', async () => {
    const twice = { ...webhook.resources, Echo2: webhook.resources.Echo ?? {} };
    await using started = await startStack({ ...webhook, resources: twice });
    const { run } = started;
    expect(() => run.functions.logs('cho')).toThrow('cho fits Echo and Echo2');
    expect(() => run.functions.logs('Missing')).toThrow('No function of the stack is called Missing');
  });
});

const kept: HandMadeStack = {
  resources: {
    Table: table(),
    Bucket: { Type: 'AWS::S3::Bucket' },
    Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } },
    Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { SecretString: 'first' } },
  },
  outputs: { Table: ref('Table'), Bucket: ref('Bucket'), Queue: ref('Queue'), Secret: ref('Secret') },
};

test('state outlives the run when there is a data directory', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'local-data-'));
  const first = await startStack(kept, { dataDirectory });
  const { Table, Bucket, Queue, Secret } = first.run.outputs;
  await first.dynamodb.send(new PutItemCommand({ TableName: Table, Item: { id: { S: '1' } } }));
  await first.s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'kept' }));
  await first.sqs.send(new SendMessageCommand({ QueueUrl: Queue, MessageBody: 'kept' }));
  await first.secrets.send(new PutSecretValueCommand({ SecretId: Secret, SecretString: 'second' }));
  await first.stop();

  await using started = await startStack(kept, { dataDirectory });
  const { dynamodb, s3, sqs, secrets, run } = started;
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName: Table, Key: { id: { S: '1' } } }));
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: run.outputs.Queue }));
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: Secret }));
  expect(Item).toEqual({ id: { S: '1' } });
  expect(await Body?.transformToString()).toBe('kept');
  expect(Messages?.map((message) => message.Body)).toEqual(['kept']);
  expect(SecretString).toBe('second');
  await rm(dataDirectory, { recursive: true });
});

describe('a template does not start', () => {
  const withQueue = (properties: object): HandMadeStack => ({
    resources: { Queue: { Type: 'AWS::SQS::Queue', Properties: properties } },
  });

  test.each<[string, HandMadeStack, string]>([
    ['with an unknown property', withQueue({ Colour: 'red' }), 'Queue (AWS::SQS::Queue) can not run locally'],
    [
      'with a permissions boundary, which the local run does not enforce',
      {
        resources: {
          Role: {
            Type: 'AWS::IAM::Role',
            Properties: { AssumeRolePolicyDocument: {}, PermissionsBoundary: 'p' },
          },
        },
      },
      'Role (AWS::IAM::Role) can not run locally',
    ],
    [
      'with a rule on a missing bus',
      {
        resources: {
          Rule: {
            Type: 'AWS::Events::Rule',
            Properties: { EventBusName: 'other', EventPattern: { source: ['a'] } },
          },
        },
      },
      'the stack has no bus other',
    ],
    [
      'with a second HTTP API',
      { resources: { Api: webhook.resources.Api ?? {}, Other: webhook.resources.Api ?? {} } },
      'Other: the local run has one HTTP API only',
    ],
    [
      'with more variables of a function than Lambda takes',
      {
        ...webhook,
        resources: {
          ...webhook.resources,
          Echo: lambdaFunction('echo', 'Role', { NAMES: 'n'.repeat(4_096) }),
        },
      },
      'Echo: its variables have 4108 bytes; Lambda takes 4096',
    ],
    ['whose functions have no bundle', { ...webhook, functions: {} }, 'Echo: the bundle'],
    [
      'with a role that Lambda may not assume',
      {
        ...webhook,
        resources: {
          ...webhook.resources,
          Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: { Statement: [] } } },
        },
      },
      'Lambda may not assume Role',
    ],
    [
      'with a rule whose target is neither a queue nor a function',
      {
        resources: {
          Rule: {
            Type: 'AWS::Events::Rule',
            Properties: {
              EventPattern: { source: ['a'] },
              Targets: [{ Id: 't', Arn: 'arn:aws:sns:us-east-1:000000000000:t' }],
            },
          },
        },
      },
      'is neither a queue nor a function',
    ],
  ])('%s', async (_name, stack, message) => {
    await expect(startStack(stack)).rejects.toThrow(message);
  });
});
