import { ListRulesCommand, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEventTap, type EventTap } from '../../../local/run/event-tap.ts';
import { ref, type StartedStack, startStack } from '../local/fixture.ts';

let stack: StartedStack;

beforeAll(async () => {
  stack = await startStack({
    resources: { Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'shop' } } },
    outputs: { EventBusName: ref('Bus') },
  });
});

afterAll(() => stack?.stop());

async function say(source: string, ...detailTypes: string[]): Promise<void> {
  const Entries = detailTypes.map((DetailType, n) => ({
    EventBusName: 'shop',
    Source: source,
    DetailType,
    Detail: JSON.stringify({ n }),
  }));
  await stack.eventbridge.send(new PutEventsCommand({ Entries }));
}

async function heard(tap: EventTap): Promise<string[]> {
  await stack.run.idle();
  return (await tap.events()).map((event) => event['detail-type']);
}

test('a tap receives the events of the connector in order, and no others', async () => {
  const tap = await createEventTap(stack.run);
  await say('partner.erp', 'stock.changed');
  await say('marketplace.connector', ...Array.from({ length: 10 }, (_, n) => `early.${n}`));
  await say('marketplace.connector', 'late');
  expect(await heard(tap)).toEqual([...Array.from({ length: 10 }, (_, n) => `early.${n}`), 'late']);
  await say('marketplace.connector', 'later');
  expect((await heard(tap)).at(-1)).toBe('later');
  expect((await tap.events()).at(-1)).toMatchObject({ source: 'marketplace.connector', detail: { n: 0 } });
  await tap.close();
});

test('a tap for some detail types receives no others', async () => {
  const tap = await createEventTap(stack.run, { detailTypes: ['wanted'] });
  await say('marketplace.connector', 'other', 'wanted');
  expect(await heard(tap)).toEqual(['wanted']);
  await tap.close();
});

test('a closed tap leaves nothing behind', async () => {
  const tap = await createEventTap(stack.run);
  await tap.close();
  const { Rules } = await stack.eventbridge.send(new ListRulesCommand({ EventBusName: 'shop' }));
  const { QueueUrls } = await stack.sqs.send(new ListQueuesCommand({}));
  expect(Rules).toEqual([]);
  expect(QueueUrls ?? []).toEqual([]);
});
