import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StartedStack, startStack } from '../fixture.ts';
import { createSubscriber, letIn, queueArn, type Subscriber, shop } from './subscriber.ts';

let stack: StartedStack;
let subscriber: Subscriber;

beforeEach(async () => {
  stack = await startStack(shop);
  subscriber = createSubscriber(stack);
});

afterEach(() => stack?.stop());

describe("a queue's own policy", () => {
  async function subscribe(Policy?: string): Promise<string | undefined> {
    const url = await subscriber.createQueue('guarded', Policy);
    await subscriber.createQueue('dead-letters', letIn('knocking', 'dead-letters'));
    await subscriber.putRule('knocking');
    const DeadLetterConfig = { Arn: queueArn('dead-letters') };
    await subscriber.putTargets('knocking', { Id: 'q', Arn: queueArn('guarded'), DeadLetterConfig });
    return url;
  }

  test.each<[string, string | undefined]>([
    ['is missing', undefined],
    ['lets another rule in', letIn('another', 'guarded')],
  ])(
    'blocks a rule when it %s, and the event goes to the dead letters of the target',
    async (_name, policy) => {
      const url = await subscribe(policy);
      await subscriber.put(1);
      expect(await subscriber.bodies(url)).toEqual([]);
      expect(await subscriber.bodies(await subscriber.createQueue('dead-letters'))).toMatchObject([
        { detail: { n: 1 } },
      ]);
      expect(stack.run.accessDenied).toMatchObject([
        { principal: 'events.amazonaws.com', action: 'sqs:SendMessage', resource: queueArn('guarded') },
      ]);
    },
  );

  test('applies from when it is set until it is removed', async () => {
    const QueueUrl = await subscribe();
    const setPolicy = (Policy: string) =>
      stack.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    await setPolicy(letIn('knocking', 'guarded'));
    await subscriber.put(1);
    await setPolicy('');
    await subscriber.put(2);
    expect(await subscriber.bodies(QueueUrl)).toMatchObject([{ detail: { n: 1 } }]);
  });

  test.each([
    ['no JSON', '{'],
    ['a condition that the local run does not know', letIn('a', 'b').replace('ArnEquals', 'DateLessThan')],
  ])('is refused when it is %s', async (_name, policy) => {
    await expect(subscriber.createQueue('refused', policy)).rejects.toMatchObject({
      name: 'InvalidAttributeValue',
    });
  });
});
