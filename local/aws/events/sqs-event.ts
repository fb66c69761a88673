import type { QueueMessage } from '../model.ts';

/** One element of `Records` in the event that Lambda passes to a function for a queue. */
export interface SqsRecord {
  messageId: string;
  receiptHandle: string;
  body: string;
  attributes: Readonly<Record<string, string>>;
  messageAttributes: Record<string, object>;
  md5OfBody: string;
  eventSource: 'aws:sqs';
  eventSourceARN: string;
  awsRegion: string;
}

/** The field names of an attribute value: in SQS and in Lambda's event. */
interface MessageAttribute {
  DataType?: string;
  StringValue?: string;
  BinaryValue?: string;
}

/** A message as a function sees it. The queue's region is read from its ARN. */
export function toSqsRecord(message: QueueMessage, queueArn: string): SqsRecord {
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: message.attributes,
    messageAttributes: Object.fromEntries(
      Object.entries(message.messageAttributes).map(([name, value]) => [name, toRecordAttribute(value)]),
    ),
    md5OfBody: message.md5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}

function toRecordAttribute(value: unknown): object {
  const { DataType, StringValue, BinaryValue } = value as MessageAttribute;
  return {
    ...(StringValue === undefined ? {} : { stringValue: StringValue }),
    ...(BinaryValue === undefined ? {} : { binaryValue: BinaryValue }),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType ?? 'String',
  };
}
