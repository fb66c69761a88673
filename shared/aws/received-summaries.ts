import { hash } from 'node:crypto';
import type { SummaryArchive, SummaryQueue } from '../batches/ports.ts';
import { toMessageText } from '../collections/parse-json.ts';
import { jsonRequest, type SendAwsRequest } from './aws-request.ts';

/** Puts webhook bodies into the archive bucket, under `webhooks/{yyyy-mm-dd}/{sha256}.json`. */
export function createSummaryWriter(send: SendAwsRequest, bucket: string): Pick<SummaryArchive, 'put'> {
  return {
    put: async (rawBody, receivedAt) => {
      const digest = hash('sha256', rawBody);
      const key = `webhooks/${receivedAt.slice(0, 10)}/${digest}.json`;
      await send({
        service: 's3',
        method: 'PUT',
        path: `/${bucket}/${key}`,
        // S3 refuses a body with another digest.
        headers: { 'Content-Type': 'application/json', 'X-Amz-Content-Sha256': digest },
        body: Buffer.from(rawBody),
      });
      return key;
    },
  };
}

/** The queue of received summaries. */
export function createSummaryQueue(send: SendAwsRequest, queueUrl: string): SummaryQueue {
  return {
    send: async (summary) => {
      const MessageBody = toMessageText(JSON.stringify(summary));
      const message = { QueueUrl: queueUrl, MessageBody };
      await send(jsonRequest('sqs', 'AmazonSQS.SendMessage', message, '1.0'));
    },
  };
}
