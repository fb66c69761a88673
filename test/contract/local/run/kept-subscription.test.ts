import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteRuleCommand, DisableRuleCommand, ListRulesCommand } from '@aws-sdk/client-eventbridge';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type StartedStack, startStack } from '../fixture.ts';
import { createSubscriber, EventBusName, letIn, queueArn, shop } from '../services/subscriber.ts';

let dataDirectory: string;
let started: StartedStack | undefined;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'local-data-'));
});

afterEach(async () => {
  await started?.stop();
  started = undefined;
  await rm(dataDirectory, { recursive: true });
});

const stack = {
  ...shop,
  resources: {
    ...shop.resources,
    OfStack: {
      Type: 'AWS::Events::Rule',
      Properties: { Name: 'of-stack', EventBusName, EventPattern: { source: ['shop'] } },
    },
  },
};

async function restart(): Promise<StartedStack> {
  await started?.stop();
  started = await startStack(stack, { dataDirectory });
  return started;
}

test('a subscription outlives the run when there is a data directory', async () => {
  const before = createSubscriber(await restart());
  await before.createQueue('mine', letIn('subscription', 'mine'));
  await before.putRule('subscription');
  await before.putTargets('subscription', { Id: 'q', Arn: queueArn('mine') });
  const after = createSubscriber(await restart());
  await after.put(1);
  expect(await after.bodies(await after.createQueue('mine'))).toMatchObject([{ detail: { n: 1 } }]);
});

test('a deleted rule stays deleted, and a rule of the stack starts as the template has it', async () => {
  const before = await restart();
  await createSubscriber(before).putRule('short-lived');
  await before.eventbridge.send(new DeleteRuleCommand({ Name: 'short-lived', EventBusName }));
  await before.eventbridge.send(new DisableRuleCommand({ Name: 'of-stack', EventBusName }));
  const after = await restart();
  const { Rules } = await after.eventbridge.send(new ListRulesCommand({ EventBusName }));
  expect(Rules).toMatchObject([{ Name: 'of-stack', State: 'ENABLED' }]);
});
