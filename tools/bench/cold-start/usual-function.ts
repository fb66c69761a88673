import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import { z } from 'zod';

// A webhook receiver as most would write it: with Powertools, middy, zod and the SDK.
const logger = new Logger();
const metrics = new Metrics();
const [s3, sqs, secrets] = [new S3Client({}), new SQSClient({}), new SecretsManagerClient({})];
const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: 'partner' }));
const secret = z.object({ partnerSecretKey: z.string() }).parse(JSON.parse(SecretString ?? '{}'));

export const handler = middy<{ body: string }>()
  .use(injectLambdaContext(logger))
  .use(logMetrics(metrics))
  .handler(async (event) => {
    if (!event.body.includes(secret.partnerSecretKey)) return { statusCode: 401 };
    await s3.send(new PutObjectCommand({ Bucket: 'archive', Key: 'webhook.json', Body: event.body }));
    const Entries = [{ Id: '0', MessageBody: event.body }];
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: 'https://queue.example', Entries }));
    return { statusCode: 202 };
  });
