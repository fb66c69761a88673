import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Target } from '../target/target.ts';

/** Clients of the AWS services, made when they are used first. */
export interface AwsClients extends Disposable {
  readonly queues: SQSClient;
  readonly events: EventBridgeClient;
  readonly objects: S3Client;
  readonly stacks: CloudFormationClient;
  readonly logs: CloudWatchLogsClient;
  readonly functions: LambdaClient;
  readonly topics: SNSClient;
}

/** The SDK warns on standard error unless it has a logger; its errors are thrown as well. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** @param where a stack; what is not given is read as the AWS CLI does */
export function createAwsClients(
  where: Partial<Pick<Target, 'region' | 'credentials' | 'endpoint'>> & { readonly profile?: string },
): AwsClients {
  const { region, credentials, endpoint, profile } = where;
  const config = {
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    ...(endpoint !== undefined && { endpoint }),
    ...(profile !== undefined && { profile }),
    logger: SILENT,
  };
  const made: { destroy(): void }[] = [];
  const lazily = <Client extends { destroy(): void }>(make: () => Client) => {
    let client: Client | undefined;
    return () => {
      if (client === undefined) {
        client = make();
        made.push(client);
      }
      return client;
    };
  };
  const queues = lazily(() => new SQSClient(config));
  const events = lazily(() => new EventBridgeClient(config));
  const objects = lazily(() => new S3Client({ ...config, forcePathStyle: endpoint !== undefined }));
  const stacks = lazily(() => new CloudFormationClient(config));
  const logs = lazily(() => new CloudWatchLogsClient(config));
  const functions = lazily(() => new LambdaClient(config));
  const topics = lazily(() => new SNSClient(config));
  return {
    get queues() {
      return queues();
    },
    get events() {
      return events();
    },
    get objects() {
      return objects();
    },
    get stacks() {
      return stacks();
    },
    get logs() {
      return logs();
    },
    get functions() {
      return functions();
    },
    get topics() {
      return topics();
    },
    [Symbol.dispose]: () => {
      for (const client of made) client.destroy();
    },
  };
}
