import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListBucketsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { ListQueuesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { LocalRun } from '../../../local/aws/index.ts';

/** A stored item as text, with its place. */
export interface KeptText {
  readonly place: string;
  readonly text: string;
}

/** More than the messages of any queue in a test. */
const MAX_RECEIVES = 1_000;

/** Everything in the tables, queues and buckets of a stack, as an administrator reads it. */
export async function everythingKept(run: LocalRun): Promise<KeptText[]> {
  const config = { endpoint: run.endpoint, region: run.region, credentials: run.adminCredentials };
  return (await Promise.all([tables(config), queues(config), buckets(config)])).flat();
}

type Config = Pick<LocalRun, 'endpoint' | 'region'> & { credentials: LocalRun['adminCredentials'] };

async function tables(config: Config): Promise<KeptText[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(config));
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  const kept: KeptText[] = [];
  for (const TableName of TableNames) {
    for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
      kept.push(...Items.map((item) => ({ place: `table ${TableName}`, text: JSON.stringify(item) })));
    }
  }
  client.destroy();
  return kept;
}

/** The visible messages of a queue; dead letters are always visible. */
async function queues(config: Config): Promise<KeptText[]> {
  const client = new SQSClient(config);
  const { QueueUrls = [] } = await client.send(new ListQueuesCommand({}));
  const kept: KeptText[] = [];
  for (const QueueUrl of QueueUrls) {
    for (let receives = 0; receives < MAX_RECEIVES; receives += 1) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }),
      );
      if (Messages.length === 0) break;
      kept.push(...Messages.map(({ Body = '' }) => ({ place: `queue ${QueueUrl}`, text: Body })));
    }
  }
  client.destroy();
  return kept;
}

async function buckets(config: Config): Promise<KeptText[]> {
  const client = new S3Client({ ...config, forcePathStyle: true });
  const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
  const kept: KeptText[] = [];
  for (const { Name: Bucket } of Buckets) {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
    for (const { Key } of Contents) {
      const { Body, Metadata } = await client.send(new GetObjectCommand({ Bucket, Key }));
      const text = `${Key} ${JSON.stringify(Metadata)} ${await Body?.transformToString('latin1')}`;
      kept.push({ place: `bucket ${Bucket}`, text });
    }
  }
  client.destroy();
  return kept;
}
