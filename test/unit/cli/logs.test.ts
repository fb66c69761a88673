import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AwsClients, createAwsClients } from '../../../cli/clients/aws-clients.ts';
import { logGroupsOf } from '../../../cli/logs/log-group.ts';
import { logReader } from '../../../cli/logs/read-logs.ts';
import { logLine } from '../../../cli/render/log-line.ts';
import { type DeployedStack, type LoggedEvent, startDeployedStack } from '../../doubles/deployed-stack.ts';

let stack: DeployedStack;
let aws: AwsClients;

beforeAll(async () => {
  stack = await startDeployedStack([['ChangeIntake'], ['ListingProducer']]);
  aws = createAwsClients(stack.target);
});
afterAll(() => {
  aws[Symbol.dispose]();
  stack.close();
});
beforeEach(() => {
  stack.events.clear();
  stack.asked.splice(0);
});

describe('the log groups of functions', () => {
  const groupsOf = (...names: string[]) => logGroupsOf({ aws, target: stack.target }, names);

  test('are found on any page of the resources', async () => {
    expect(await groupsOf('listing-producer', 'change-intake')).toEqual([
      'group-of-ListingProducer',
      'group-of-ChangeIntake',
    ]);
  });

  test('that the stack does not have are an error that names the function', async () => {
    await expect(groupsOf('change-intake', 'order-producer')).rejects.toThrow(
      'the stack Shop has no log group of order-producer',
    );
  });
});

describe('a reader of a log', () => {
  const open = (filter?: string) => logReader(aws.logs, { group: 'group', begin: 1000, filter });
  const event = (timestamp: number, eventId = String(timestamp)): LoggedEvent => ({
    eventId,
    timestamp,
    message: `line ${eventId}\n`,
  });
  const textsOf = async (read: ReturnType<typeof open>) => (await read()).map(({ text: line }) => line);

  test('gives the lines of all pages from the given time on, oldest first', async () => {
    stack.events.set('group', [event(3000), event(900), event(2000)]);
    expect(await textsOf(open('ERROR'))).toEqual(['line 2000', 'line 3000']);
    expect(stack.asked).toEqual([{ logGroupName: 'group', startTime: 1000, filterPattern: 'ERROR' }]);
  });

  test('gives each line once, also one that came late', async () => {
    const read = open();
    const events = [event(20_000)];
    stack.events.set('group', events);
    expect(await textsOf(read)).toEqual(['line 20000']);
    events.push(event(15_000, 'late'), event(21_000));
    expect(await textsOf(read)).toEqual(['line late', 'line 21000']);
    expect(await textsOf(read)).toEqual([]);
    expect(stack.asked.map(({ startTime }) => startTime)).toEqual([1000, 10_000, 11_000]);
  });
});

describe('a log line', () => {
  const style = (name: unknown, shown: string) => `<${name}>${shown}`;
  const line = (shown: string) =>
    logLine({ id: '1', at: Date.parse('2026-11-22T10:00:00.123Z'), text: shown }, { style });

  test('shows time, level and message of JSON, with the fields of the work', () => {
    const fields = { level: 'ERROR', message: 'failed', service: 'x', commandId: 'c-1', rows: 3 };
    expect(line(JSON.stringify(fields))).toBe('10:00:00.123 <red>ERROR failed commandId=c-1 rows=3');
    expect(line(JSON.stringify({ level: 'INFO', message: 'done' }))).toBe('10:00:00.123 INFO done');
  });

  test('is one line whatever its fields have', () => {
    const text = JSON.stringify({ level: 'INFO', message: 'failed', reason: 'a\n10:00:00.000 INFO done' });
    expect(line(text)).toBe('10:00:00.123 INFO failed reason=a\\u000a10:00:00.000 INFO done');
  });

  test('stays as it is if it is no JSON', () => {
    expect(line('START RequestId: 1')).toBe('10:00:00.123 START RequestId: 1');
  });
});

test('a log line that is no JSON is one line, in which no character acts on the terminal', () => {
  const line = logLine({ at: 0, text: 'Error: x\n\tat \u001b[2J\n' } as never, { style: (_, text) => text });
  expect(line).toBe('00:00:00.000 Error: x\\u000a\\u0009at \\u001b[2J');
});
