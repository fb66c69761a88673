import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createEventSourceMapping,
  type EventSourceMapping,
} from '../../../../local/aws/events/event-source-mapping.ts';
import type { SqsRecord } from '../../../../local/aws/events/sqs-event.ts';
import type { Invoke } from '../../../../local/aws/model.ts';
import { createBackend } from '../../../../local/aws/services/backend.ts';
import { startFauxqs } from '../../../../local/aws/services/fauxqs.ts';
import type { QueueDefinition } from '../../../../local/aws/services/sqs/queue-definition.ts';
import { createQueues, type Queues } from '../../../../local/aws/services/sqs/queues.ts';
import { hostFunction } from '../lambda/temporary-function.ts';

const ARN = 'arn:aws:sqs:us-east-1:000000000000:';
let queues: Queues;
let stop: () => Promise<void>;
let mapping: EventSourceMapping | undefined;

beforeEach(async () => {
  const server = await startFauxqs(undefined);
  const backend = createBackend(server.url, 'sqs');
  queues = createQueues(backend);
  stop = async () => {
    await mapping?.stop();
    await backend.destroy();
    await server.stop();
  };
});

afterEach(() => stop());

async function createQueue(name: string, attributes: Record<string, string>): Promise<void> {
  const definition: Pick<QueueDefinition, 'name' | 'attributes'> = { name, attributes };
  await queues.create(definition as QueueDefinition);
}

function feed(queue: string, invoke: Invoke, settings: { batchSize?: number } = {}): void {
  mapping = createEventSourceMapping({
    definition: {
      queueArn: ARN + queue,
      functionName: 'under-test',
      batchSize: settings.batchSize ?? 10,
      windowSeconds: 0,
      reportBatchItemFailures: true,
    },
    queue: queues.port(queue),
    invoke,
    functionTimeoutSeconds: 1,
    visibilityTimeoutSeconds: 1,
    log: () => {},
  });
  mapping.start();
}

async function depth(name: string): Promise<{ visible: number; inFlight: number }> {
  const found = (await queues.depths()).find((queue) => queue.name === name);
  return { visible: found?.visible ?? -1, inFlight: found?.inFlight ?? -1 };
}

const bodies = (event: unknown): string[] =>
  (event as { Records: SqsRecord[] }).Records.map(({ body }) => body);

test('a message that always fails is tried as often as the redrive policy says, then moves alone to the dead-letter queue', async () => {
  await createQueue('dead', {});
  await createQueue('work', {
    VisibilityTimeout: '1',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: `${ARN}dead`, maxReceiveCount: 2 }),
  });
  const seen: string[] = [];
  for (const body of ['good', 'bad']) await queues.send('work', { body });
  feed('work', async (event) => {
    seen.push(...bodies(event));
    const bad = (event as { Records: SqsRecord[] }).Records.filter(({ body }) => body === 'bad');
    const batchItemFailures = bad.map(({ messageId }) => ({ itemIdentifier: messageId }));
    return { ok: true, payload: { batchItemFailures } };
  });
  await expect.poll(() => depth('dead')).toEqual({ visible: 1, inFlight: 0 });
  expect(seen.toSorted()).toEqual(['bad', 'bad', 'good']);
  expect(await depth('work')).toEqual({ visible: 0, inFlight: 0 });
});

test('a function whose process is killed receives its messages again', async () => {
  await createQueue('work', { VisibilityTimeout: '1' });
  await using host = await hostFunction(`
    export const handler = async ({ Records }) => {
      if (Records[0].attributes.ApproximateReceiveCount === '1') process.kill(process.pid, 'SIGKILL');
      console.log('handled ' + Records[0].body);
    };`);
  await queues.send('work', { body: 'a' });
  feed('work', host.invoke);
  await expect.poll(() => host.logs().map(({ message }) => message)).toEqual(['handled a']);
  await expect.poll(() => depth('work')).toEqual({ visible: 0, inFlight: 0 });
  await mapping?.stop();
});
