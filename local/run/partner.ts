import { Sha256 } from '@aws-crypto/sha256-js';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  GetQueueAttributesCommand,
  ListQueuesCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { SignatureV4 } from '@smithy/signature-v4';
import type { LocalRun } from '../aws/index.ts';

/** An event for the bus. */
export interface PartnerEvent {
  readonly detailType: string;
  readonly detail: unknown;
  readonly source?: string;
}

const PER_CALL = 10;

/**
 * The partner's side of a running stack. The partner uses only AWS's SDK and the stack's outputs, so the same calls work against a
 * deployed stack with an account's credentials.
 */
export function createPartner({
  endpoint,
  region,
  adminCredentials: credentials,
  outputs,
  apiUrl,
}: LocalRun) {
  const config = { endpoint, region, credentials };
  const events = new EventBridgeClient(config);
  const queues = new SQSClient(config);
  const objects = new S3Client({ ...config, forcePathStyle: true });
  const secrets = new SecretsManagerClient(config);
  const tables = DynamoDBDocumentClient.from(new DynamoDBClient(config));
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: Sha256 });
  const output = (name: string) => {
    const value = outputs[name];
    if (value === undefined)
      throw new Error(
        `the stack has no output ${name}: it needs all \`outputs\` of the construct as its own`,
      );
    return value;
  };

  return {
    /** @returns the ID of each event. */
    putEvents: async (entries: readonly PartnerEvent[]) => {
      const eventIds: string[] = [];
      for (let start = 0; start < entries.length; start += PER_CALL) {
        const part = entries.slice(start, start + PER_CALL);
        const answer = await events.send(
          new PutEventsCommand({
            Entries: part.map(({ detailType, detail, source = 'partner.erp' }) => ({
              EventBusName: output('EventBusName'),
              Source: source,
              DetailType: detailType,
              Detail: JSON.stringify(detail),
            })),
          }),
        );
        if (answer.FailedEntryCount) throw new Error(`${answer.FailedEntryCount} events were not accepted`);
        eventIds.push(...(answer.Entries ?? []).map(({ EventId = '' }) => EventId));
      }
      return eventIds;
    },

    sendChanges: async (bodies: readonly string[]) => {
      for (let start = 0; start < bodies.length; start += PER_CALL) {
        const Entries = bodies
          .slice(start, start + PER_CALL)
          .map((MessageBody, index) => ({ Id: String(index), MessageBody }));
        const answer = await queues.send(
          new SendMessageBatchCommand({ QueueUrl: output('ChangesQueueUrl'), Entries }),
        );
        if (answer.Failed?.length) throw new Error(`${answer.Failed.length} messages were not accepted`);
      }
    },

    putImportFile: async (key: string, body: Uint8Array | string) => {
      await objects.send(new PutObjectCommand({ Bucket: output('ImportBucketName'), Key: key, Body: body }));
    },

    /** The text of an object in the import bucket. */
    getImportFile: async (key: string) => {
      const answer = await objects.send(
        new GetObjectCommand({ Bucket: output('ImportBucketName'), Key: key }),
      );
      return (await answer.Body?.transformToString()) ?? '';
    },

    getDocument: async (key: string) => {
      const answer = await objects.send(
        new GetObjectCommand({ Bucket: output('DocumentBucketName'), Key: key }),
      );
      return { bytes: await answer.Body?.transformToByteArray(), contentType: answer.ContentType };
    },

    hasDocument: async (key: string) =>
      objects.send(new HeadObjectCommand({ Bucket: output('DocumentBucketName'), Key: key })).then(
        () => true,
        () => false,
      ),

    /** URLs and depths of the dead-letter queues that are not empty. */
    deadLetters: async () => {
      const { QueueUrls = [] } = await queues.send(new ListQueuesCommand({}));
      const depths = await Promise.all(
        QueueUrls.filter((url) => /DeadLetter|Dlq|DLQ/.test(url)).map(async (QueueUrl) => {
          const { Attributes } = await queues.send(
            new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
          );
          return { queue: QueueUrl, messages: Number(Attributes?.ApproximateNumberOfMessages) };
        }),
      );
      return depths.filter(({ messages }) => messages > 0);
    },

    getItem: async (outputName: string, key: Record<string, string>) =>
      (await tables.send(new GetCommand({ TableName: output(outputName), Key: key, ConsistentRead: true })))
        .Item,

    putSecret: async (value: unknown) => {
      await secrets.send(
        new PutSecretValueCommand({
          SecretId: output('PartnerSecretArn'),
          SecretString: JSON.stringify(value),
        }),
      );
    },

    /** Calls the operations API, signed with SigV4. The answer's `body` is parsed if it is JSON, otherwise a text. */
    callApi: async (method: string, path: string, body?: unknown) => {
      const url = new URL(path, apiUrl);
      const signed = await signer.sign({
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        port: Number(url.port),
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: { host: url.host, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await fetch(url, {
        method,
        headers: signed.headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
      return { status: answer.status, body: isJson ? JSON.parse(text) : text };
    },

    close: () => {
      for (const client of [events, queues, objects, secrets, tables]) client.destroy();
    },
  };
}

export type Partner = ReturnType<typeof createPartner>;
