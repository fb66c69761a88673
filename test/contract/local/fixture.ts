import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type LocalRun, type LocalRunOptions, startLocalRun } from '../../../local/aws/index.ts';

/** Resources of a hand-made template, and the code of its functions by asset name. */
export interface HandMadeStack {
  readonly resources: Record<string, object>;
  readonly outputs?: Record<string, object>;
  /** Bodies of `index.mjs`. They find the SDK through the project's node_modules. */
  readonly functions?: Record<string, string>;
}

export interface StartedStack extends AsyncDisposable {
  readonly run: LocalRun;
  readonly sqs: SQSClient;
  readonly s3: S3Client;
  readonly dynamodb: DynamoDBClient;
  readonly eventbridge: EventBridgeClient;
  readonly secrets: SecretsManagerClient;
  stop(): Promise<void>;
}

/** Starts a hand-made stack with clients of the administrator. */
export async function startStack(stack: HandMadeStack, options: LocalRunOptions = {}): Promise<StartedStack> {
  const assetDirectory = await layAssets(stack.functions ?? {});
  const run = await startLocalRun({
    template: { Resources: resourcesOf(stack), Outputs: outputsOf(stack) },
    assetDirectory,
    schedules: 'manual',
    ...options,
  }).catch(async (error: unknown) => {
    await rm(assetDirectory, { recursive: true });
    throw error;
  });
  const client = clientSettings(run);
  const clients = {
    sqs: new SQSClient(client),
    s3: new S3Client(client),
    dynamodb: new DynamoDBClient(client),
    eventbridge: new EventBridgeClient(client),
    secrets: new SecretsManagerClient(client),
  };
  const stop = async () => {
    for (const one of Object.values(clients)) one.destroy();
    await run.stop();
    await rm(assetDirectory, { recursive: true });
  };
  return { run, ...clients, stop, [Symbol.asyncDispose]: stop };
}

/** Settings of an SDK client, by default with the administrator's credentials. */
export function clientSettings(
  run: LocalRun,
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } = run.adminCredentials,
): { endpoint: string; region: string; credentials: typeof credentials } {
  return { endpoint: run.endpoint, region: run.region, credentials };
}

/** A role that Lambda may assume, with one inline policy. */
export function functionRole(...statements: object[]): object {
  const trust = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } };
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [trust] },
      Policies: [{ PolicyName: 'inline', PolicyDocument: { Version: '2012-10-17', Statement: statements } }],
    },
  };
}

/** A function whose code is the asset of that name. */
export function lambdaFunction(asset: string, role: string, variables: Record<string, unknown> = {}): object {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Code: { S3Bucket: 'assets', S3Key: `${asset}.zip` },
      Handler: 'index.handler',
      Role: { 'Fn::GetAtt': [role, 'Arn'] },
      Runtime: 'nodejs24.x',
      Timeout: 10,
      Environment: { Variables: variables },
    },
  };
}

/**
 * The code of a function that makes one AWS call with its own role: its event is `{client, command, input}`, its answer
 * the output, or `{error}` with the error's name.
 */
export const callerCode = `
import { createRequire } from 'node:module';
const require = createRequire('${import.meta.filename}');
export async function handler({ client, command, input }) {
  const sdk = require('@aws-sdk/client-' + client.toLowerCase().replace('secretsmanager', 'secrets-manager'));
  try {
    const { $metadata, Body, ...output } = await new sdk[client + 'Client']({}).send(new sdk[command + 'Command'](input));
    return { ...output, ...(Body ? { Body: await Body.transformToString() } : {}) };
  } catch (error) {
    return { error: error.name };
  }
}`;

/** Makes an AWS call with the role of the function `Caller`, whose code is `callerCode`. */
export async function callAs(
  run: LocalRun,
  client: string,
  command: string,
  input: object,
): Promise<unknown> {
  const result = await run.functions.invoke('Caller', { client, command, input });
  return result.ok ? result.payload : result;
}

/** A table with one key attribute, `id`. */
export function table(properties: object = {}): object {
  return {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      ...properties,
    },
  };
}

/** A key whose use is decided by the account's identity policies, as CDK makes them. */
export function key(): object {
  const principal = { AWS: { 'Fn::Join': ['', ['arn:aws:iam::', { Ref: 'AWS::AccountId' }, ':root']] } };
  const statement = { Effect: 'Allow', Action: 'kms:*', Resource: '*', Principal: principal };
  return {
    Type: 'AWS::KMS::Key',
    Properties: { KeyPolicy: { Version: '2012-10-17', Statement: [statement] } },
  };
}

export function allow(action: string | string[], resource: unknown, condition?: object): object {
  return {
    Effect: 'Allow',
    Action: action,
    Resource: resource,
    ...(condition ? { Condition: condition } : {}),
  };
}

export function arnOf(logicalId: string): object {
  return { 'Fn::GetAtt': [logicalId, 'Arn'] };
}

export function ref(logicalId: string): object {
  return { Ref: logicalId };
}

async function layAssets(functions: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'local-run-'));
  for (const [asset, code] of Object.entries(functions)) {
    await mkdir(join(directory, `asset.${asset}`));
    await writeFile(join(directory, `asset.${asset}`, 'index.mjs'), code);
  }
  return directory;
}

function resourcesOf(
  stack: HandMadeStack,
): Record<string, { Type: string; Properties?: Record<string, unknown> }> {
  return stack.resources as Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

function outputsOf(stack: HandMadeStack): Record<string, { Value: unknown }> {
  return Object.fromEntries(
    Object.entries(stack.outputs ?? {}).map(([name, value]) => [name, { Value: value }]),
  );
}
