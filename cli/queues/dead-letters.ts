import { type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { definedOf } from '../../shared/collections/defined-of.ts';
import { parseJson } from '../../shared/collections/parse-json.ts';
import type { IsoTime } from '../../shared/time/times.ts';
import type { Context } from '../context.ts';
import type { DeadLetterQueue } from './dead-letter-queues.ts';

/** A message that could not be processed. */
export interface DeadLetter {
  readonly messageId: string;
  readonly sentAt?: IsoTime;
  /** How often it was received, by functions and by readers of this queue. */
  readonly received?: number;
  readonly eventId?: string;
  readonly detailType?: string;
  readonly storeClientId?: string;
  /** Parsed, if it is JSON. */
  readonly body: unknown;
}

/** The maximum of one receive in SQS. */
const PER_CALL = 10;
/** Receives without a new message after which the queue counts as read: SQS answers from a part of its servers. */
const MAX_IDLE_CALLS = 3;
/** How long read messages are hidden, so that further receives give others. They are visible again afterwards. */
const HIDDEN_SECONDS = 2;

const bodySchema = z.looseObject({
  id: z.string().optional(),
  'detail-type': z.string().optional(),
  detail: z
    .looseObject({ storeClientId: z.string().optional(), commandId: z.string().optional() })
    .optional(),
});

/** Reads up to `limit` messages. They stay in the queue; if one call is not enough, they are hidden for 2 seconds. */
export async function readDeadLetters(
  { aws }: Pick<Context, 'aws'>,
  { url: QueueUrl }: DeadLetterQueue,
  limit: number,
): Promise<DeadLetter[]> {
  const letters = new Map<string, DeadLetter>();
  let idleCalls = 0;
  while (letters.size < limit && idleCalls < MAX_IDLE_CALLS) {
    const { Messages = [] } = await aws.queues.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: Math.min(PER_CALL, limit - letters.size),
        VisibilityTimeout: limit > PER_CALL ? HIDDEN_SECONDS : 0,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ['SentTimestamp', 'ApproximateReceiveCount'],
      }),
    );
    const known = letters.size;
    for (const message of Messages) letters.set(message.MessageId ?? '', letterOf(message));
    idleCalls = letters.size === known ? idleCalls + 1 : 0;
  }
  return [...letters.values()].sort((a, b) => (a.sentAt ?? '').localeCompare(b.sentAt ?? ''));
}

function letterOf({ MessageId: messageId = '', Body = '', Attributes = {} }: Message): DeadLetter {
  const { SentTimestamp, ApproximateReceiveCount } = Attributes;
  const body = parseJson(Body) ?? Body;
  const event = bodySchema.safeParse(body).data;
  return {
    messageId,
    ...(SentTimestamp !== undefined && { sentAt: new Date(Number(SentTimestamp)).toISOString() }),
    ...(ApproximateReceiveCount !== undefined && { received: Number(ApproximateReceiveCount) }),
    ...definedOf({
      eventId: event?.id ?? event?.detail?.commandId,
      detailType: event?.['detail-type'],
      storeClientId: event?.detail?.storeClientId,
    }),
    body,
  };
}
