import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { definedOf } from '../../shared/collections/defined-of.ts';
import type { Target } from '../target/target.ts';

/** Clients of the AWS services. */
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
  const config = { ...definedOf({ region, credentials, endpoint, profile }), logger: SILENT };
  const clients = {
    queues: new SQSClient(config),
    events: new EventBridgeClient(config),
    objects: new S3Client({ ...config, forcePathStyle: endpoint !== undefined }),
    stacks: new CloudFormationClient(config),
    logs: new CloudWatchLogsClient(config),
    functions: new LambdaClient(config),
    topics: new SNSClient(config),
  };
  return {
    ...clients,
    [Symbol.dispose]: () => {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}
