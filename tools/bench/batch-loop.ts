import type { Context, SQSEvent } from 'aws-lambda';
import { markdownTable } from '../describe/pages/markdown.ts';
import { barOf, interleaved, spread } from './interleaved.ts';
import type { Section } from './page.ts';
import type { Bar } from './plot.ts';
import { timedAsync } from './timed.ts';

const ROUNDS = 15;
const WARM_UP = 5;
const context = {
  functionName: 'bench',
  awsRequestId: 'request-1',
  getRemainingTimeInMillis: () => 60_000,
} as unknown as Context;

function eventOf(messages: number): SQSEvent {
  const Records = Array.from({ length: messages }, (_, number) => ({
    messageId: `message-${number}`,
    receiptHandle: `handle-${number}`,
    body: JSON.stringify({ storeClientId: `store-${number}` }),
    attributes: { SentTimestamp: '1790000000000' },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:queue',
    awsRegion: 'eu-central-1',
  }));
  return { Records } as unknown as SQSEvent;
}

/**
 * The loop over a queue's messages with the same middleware around it and the same work in it: a message's JSON is parsed.
 * The metrics' own output is switched off for all.
 */
async function handlers() {
  process.env.POWERTOOLS_METRICS_DISABLED = 'true';
  process.env.POWERTOOLS_SERVICE_NAME = 'bench';
  const { metrics, observability } = await import('../../shared/lambda/observability.ts');
  const { withLogKeys } = await import('../../shared/correlation/log-keys.ts');
  const { queueHandler } = await import('../../shared/lambda/queue-handler.ts');
  const { BatchProcessor, EventType, processPartialResponse } = await import('@aws-lambda-powertools/batch');
  const { default: middy } = await import('@middy/core');
  const { default: partialBatch } = await import('@middy/sqs-partial-batch-failure');
  const work = async ({ body }: { body: string }) => void JSON.parse(body);
  const processor = new BatchProcessor(EventType.SQS);
  const loops = {
    connector: queueHandler(work),
    'Powertools, BatchProcessor': middy<SQSEvent>()
      .use(observability())
      .handler((event) => processPartialResponse(event, work, processor)),
    'middy, sqs-partial-batch-failure': middy<SQSEvent>()
      .use(observability())
      .use(partialBatch())
      .handler((event) => Promise.allSettled(event.Records.map(work)) as Promise<never>),
    'middy, with the log keys': middy<SQSEvent>()
      .use(observability())
      .use(partialBatch())
      .handler(
        (event) =>
          Promise.allSettled(
            event.Records.map((record) => withLogKeys({ messageId: record.messageId }, () => work(record))),
          ) as Promise<never>,
      ),
  };
  // Without a metric Powertools would write a warning to the log.
  const count = () => metrics.addMetric('Invocations', 'Count', 1);
  return { loops, count };
}

/** The loop over the messages of a queue beside those of Powertools and middy, as a table. */
export async function benchBatchLoop(): Promise<Section> {
  const { loops, count } = await handlers();
  const table: string[][] = [];
  const bars: Bar[] = [];
  for (const messages of [10, 1_000]) {
    const event = eventOf(messages);
    const contenders = Object.fromEntries(
      Object.entries(loops).map(([name, handler]) => [
        name,
        timedAsync(async () => {
          count();
          // An array of its own: the middlewares keep facts of an invocation by its event.
          const { batchItemFailures } = await handler({ Records: [...event.Records] }, context);
          if (batchItemFailures.length > 0) throw new Error(`${name} failed`);
        }),
      ]),
    );
    await interleaved(contenders, WARM_UP);
    for (const { name, values, ratios } of await interleaved(contenders, ROUNDS)) {
      const times = values.map((value) => (value * 1000) / messages);
      table.push([`${messages} messages`, name, spread(times), spread(ratios)]);
      bars.push(barOf(`${messages} messages: ${name}`, times));
    }
  }
  return {
    text: markdownTable(['', 'by', 'µs of CPU a message', 'of the connector'], table),
    plot: { title: 'The loop over a queue’s messages', unit: 'µs of CPU a message', bars },
  };
}
