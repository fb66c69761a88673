import {
  type AwsRequest,
  type AwsService,
  jsonBody,
  jsonOperation,
} from '../../../local/aws/gateway/messages.ts';
import type { Bill } from './bill.ts';
import { meteredDynamoDb } from './dynamodb.ts';

/** A message that a function has sent. */
export interface SentMessage {
  readonly queueUrl: string;
  readonly body: string;
  readonly delaySeconds: number;
}

interface Records {
  readonly bill: Bill;
  /** The part of `bill` that is about the Listings table. */
  readonly ofListings: Bill;
  readonly sent: SentMessage[];
}

/** Bytes that EventBridge counts of an entry beside its text: its time. */
const TIME_BYTES = 14;

/** Puts the meter in front of a service of the local AWS. What the administrator calls is not billed, but for events. */
export function metered(scope: string, service: AwsService, records: Records): AwsService {
  if (scope === 'dynamodb') return meteredDynamoDb(service, records);
  const count = counts[scope];
  if (count === undefined) return service;
  return {
    protocol: service.protocol,
    handle: (request) => {
      count(request, records);
      return service.handle(request);
    },
  };
}

const counts: Readonly<Record<string, (request: AwsRequest, records: Records) => void>> = {
  events: (request, { bill }) => {
    if (jsonOperation(request) !== 'PutEvents') return;
    const { Entries } = jsonBody(request) as { Entries: Readonly<Record<string, string>>[] };
    for (const { Source = '', DetailType = '', Detail = '' } of Entries) {
      bill.addChunks('event', Buffer.byteLength(Source + DetailType + Detail) + TIME_BYTES);
    }
  },

  sqs: (request, { bill, sent }) => {
    if (request.principal.kind !== 'role') return;
    bill.addChunks('queueRequest', request.body.length);
    const { QueueUrl = '', Entries = [] } = jsonBody(request) as {
      QueueUrl?: string;
      Entries?: readonly { readonly MessageBody?: string; readonly DelaySeconds?: number }[];
    };
    for (const { MessageBody: body, DelaySeconds: delaySeconds = 0 } of Entries) {
      if (body !== undefined) sent.push({ queueUrl: QueueUrl, body, delaySeconds });
    }
  },

  s3: ({ principal, method, rawQuery }, { bill }) => {
    if (principal.kind !== 'role' || method === 'DELETE') return;
    const isGet = method === 'HEAD' || (method === 'GET' && !rawQuery.includes('list-type'));
    bill.add(isGet ? 'get' : 'put', 1);
  },
};
