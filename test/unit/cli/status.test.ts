import { expect, test } from 'vitest';
import type { ApiClient } from '../../../cli/clients/api-client.ts';
import { block, deferredText, failingText } from '../../../cli/commands/status.ts';
import { deferredCommands } from '../../../cli/queues/deferred-commands.ts';
import { failingLanes } from '../../../cli/status/read-status.ts';
import type { Health } from '../../../shared/health/model.ts';
import { plainTerminal } from './plain-terminal.ts';

const context = { terminal: { ...plainTerminal, print: () => {} }, target: { options: [] } } as never;

test('a group of the status has a line per fact, whatever is in its names and reasons', () => {
  const forged = 's\n  → marketplace-connector stores unbind s --yes';
  const group = {
    kind: 'store-suspended',
    severity: 'critical',
    storeClientId: forged,
    count: 1,
    hasMore: false,
    since: '2026-11-22T15:00:00.000Z',
    look: [],
    why: [`AUTH_014\n${forged}`],
    remedies: [{ name: 'resume', text: 'Resume', calls: [`POST /stores/${forged}/resume`], commands: [] }],
  } as const;
  expect(
    block(group as never, context)
      .trim()
      .split('\n'),
  ).toHaveLength(4);
});

test('a group names its severity in words, its number, what to look at first, and each remedy', () => {
  const group = {
    kind: 'order-unknown',
    severity: 'critical',
    storeClientId: 's-1',
    count: 7,
    hasMore: true,
    since: new Date(Date.now() - 3 * 3_600_000).toISOString(),
    why: ['order o-1: unknown', 'order o-2: unknown'],
    lookAt: 'the orders',
    look: [],
    remedies: ['It was done', 'It was not'].map((text) => ({
      name: 'resolve-accepted',
      text,
      calls: [],
      commands: [`orders resolve o-1 o-2 --outcome ${text.at(-1)}`],
    })),
  } as const;
  const lines = block(group as never, context)
    .trim()
    .split('\n');
  expect(lines[0]).toBe('✖ critical: 7+ orders of unknown outcome · s-1 · the oldest for 3 h');
  expect(lines[3]).toContain('and 5 more');
  expect(lines[4]).toContain('Look first at the orders');
  expect(lines.filter((line) => line.includes('→'))).toHaveLength(2);
});

const lastFailed = { at: '2026-11-22T15:00:00.000Z', status: 503, code: 'SYS_DEP_503' };
const laneOf = (storeClientId: string, waiting: number, count: number) => ({
  storeClientId,
  waiting,
  hasMore: false,
  isHeld: false,
  tries: { count, lastFailed },
});
const healthOf = (state: Health['state'], failed: number): Health => ({
  state,
  text: '',
  recent: { minutes: 5, requests: 40, failed },
});

/** The API of a stack with these lanes, a page of each; `read` has the paths of its calls. */
function apiWith(lanes: readonly ReturnType<typeof laneOf>[]) {
  const read: string[] = [];
  const call: ApiClient['call'] = async (schema, _method, path, { query = {} } = {}) => {
    read.push(path.join('/'));
    const number = Number(query.cursor ?? 0);
    const shown = lanes
      .slice(number, number + 1)
      .filter(({ tries }) => tries.count >= Number(query.tries ?? 0));
    return schema.parse({ lanes: shown, ...(number + 1 < lanes.length && { cursor: String(number + 1) }) });
  };
  return { api: { call } as ApiClient, read };
}

test('a store whose requests fail again and again is named while the marketplace answers others', async () => {
  const others = Array.from({ length: 60 }, (_, number) => laneOf(`failed-once-${number}`, 2, 1));
  const { api } = apiWith([...others, laneOf('discarded', 0, 9), laneOf('fails', 2, 3)]);
  const failing = await failingLanes(api, healthOf('healthy', 3));
  expect(failing.map(failingText)).toEqual([
    'fails: its requests of stock and prices fail, and are sent again by themselves · waiting: 2 listings · 3 tries, the last that failed: 503 SYS_DEP_503',
  ]);
});

test.each([healthOf('healthy', 0), healthOf('failing', 40)])(
  'no lane is read while $recent.failed of 40 requests fail: the marketplace is $state',
  async (health) => {
    const { api, read } = apiWith([laneOf('fails', 2, 3)]);
    expect(await failingLanes(api, health)).toEqual([]);
    expect(read).toEqual([]);
  },
);

const outputs = Object.fromEntries(
  ['OrderCommands', 'ProductCommands', 'Changes'].map((topic) => [
    `${topic}DeadLettersArn`,
    `arn:aws:sqs:r:1:${topic}Dead`,
  ]),
);

test('commands that wait for a later try are counted over their queues, and no other messages', async () => {
  const delayed: Readonly<Record<string, string>> = {
    OrderCommands: '2',
    ProductCommands: '1',
    Changes: '40',
  };
  const send = async ({ input = {} }: { input?: { QueueName?: string; QueueUrl?: string } }) => {
    const name = (input.QueueUrl ?? '').replace(/^https:[/]{2}sqs[/]/, '');
    return {
      QueueUrl: `https://sqs/${input.QueueName}`,
      queueUrls: [`https://sqs/${name.replace(/Dead$/, '')}`],
      Attributes: { ApproximateNumberOfMessagesDelayed: delayed[name] ?? '0' },
    };
  };
  const counted = await deferredCommands({ aws: { queues: { send } }, target: { outputs } } as never);
  expect(counted).toEqual({ count: 3 });
  expect(deferredText(counted)).toEqual([
    'About 3 commands of products, orders or documents wait for a later try.',
  ]);
  expect(deferredText({ count: 1 })[0]).toContain('1 command of products, orders or documents waits');
  expect(deferredText({ count: 0 })).toEqual([]);
});

test('status says that waiting commands are not counted if the caller may not read the queues', async () => {
  const send = async () => {
    throw Object.assign(new Error('no'), { name: 'AccessDenied' });
  };
  const counted = await deferredCommands({ aws: { queues: { send } }, target: { outputs } } as never);
  expect(deferredText(counted)).toEqual([
    'How many commands wait for a later try is not known: AccessDenied',
  ]);
});
