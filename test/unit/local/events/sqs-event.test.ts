import { expect, test } from 'vitest';
import { toSqsRecord } from '../../../../local/aws/events/sqs-event.ts';

test('a message becomes a record with the field names of Lambda', () => {
  const message = {
    messageId: 'm-1',
    receiptHandle: 'r-1',
    body: '{"detail-type":"stock.changed"}',
    md5OfBody: 'abc',
    attributes: { ApproximateReceiveCount: '2', SentTimestamp: '1795262400000' },
    messageAttributes: {
      kind: { DataType: 'String', StringValue: 'test' },
      blob: { DataType: 'Binary', BinaryValue: 'AAE=' },
    },
  };
  expect(toSqsRecord(message, 'arn:aws:sqs:eu-west-3:000000000000:changes')).toEqual({
    messageId: 'm-1',
    receiptHandle: 'r-1',
    body: '{"detail-type":"stock.changed"}',
    md5OfBody: 'abc',
    attributes: { ApproximateReceiveCount: '2', SentTimestamp: '1795262400000' },
    messageAttributes: {
      kind: { dataType: 'String', stringValue: 'test', stringListValues: [], binaryListValues: [] },
      blob: { dataType: 'Binary', binaryValue: 'AAE=', stringListValues: [], binaryListValues: [] },
    },
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-3:000000000000:changes',
    awsRegion: 'eu-west-3',
  });
});
