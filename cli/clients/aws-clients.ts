import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Target } from '../target/target.ts';

/** Clients of the AWS services, made when they are used first. */
export interface AwsClients extends Disposable {
  readonly queues: SQSClient;
  readonly events: EventBridgeClient;
  readonly objects: S3Client;
}

export function createAwsClients({ region, credentials, endpoint }: Target): AwsClients {
  const config = { region, credentials, ...(endpoint !== undefined && { endpoint }) };
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
    [Symbol.dispose]: () => {
      for (const client of made) client.destroy();
    },
  };
}
