import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { logGroupOf } from '../../../cli/logs/log-group.ts';
import { logReader } from '../../../cli/logs/read-logs.ts';
import { logLine } from '../../../cli/render/log-line.ts';
import type { Target } from '../../../cli/target/target.ts';

interface Event {
  readonly eventId: string;
  readonly timestamp: number;
  readonly message: string;
}

/** What AWS answers over its protocols: two pages of log groups, and one event per page of a log. */
let events: Event[] = [];
let asked: { logGroupName: string; startTime: number; filterPattern?: string }[] = [];
let server: Server;
let endpoint: string;
const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.headers['x-amz-target']?.toString().endsWith('FilterLogEvents')) {
      const { nextToken = '0', ...query } = JSON.parse(body);
      if (nextToken === '0') asked.push(query);
      const found = events.filter(({ timestamp }) => timestamp >= query.startTime);
      const index = Number(nextToken);
      const next = index + 1 < found.length ? { nextToken: String(index + 1) } : {};
      response.setHeader('content-type', 'application/x-amz-json-1.1');
      response.end(JSON.stringify({ events: found.slice(index, index + 1), ...next }));
    } else {
      response.setHeader('content-type', 'text/xml');
      const isSecond = new URLSearchParams(body).get('NextToken') === 'second';
      response.end(isSecond ? resources(['ListingProducer']) : resources(['ChangeIntake'], 'second'));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  events = [];
  asked = [];
});

function resources(names: readonly string[], next?: string): string {
  const members = names.map(
    (name) =>
      `<member><LogicalResourceId>Connector${name}LogsE01EDD3E</LogicalResourceId><PhysicalResourceId>group-of-${name}</PhysicalResourceId><ResourceType>AWS::Logs::LogGroup</ResourceType></member>`,
  );
  const token = next === undefined ? '' : `<NextToken>${next}</NextToken>`;
  return `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${members.join('')}</StackResourceSummaries>${token}</ListStackResourcesResult></ListStackResourcesResponse>`;
}

describe('the log group of a function', () => {
  const target = (): Target => ({
    name: 'Shop',
    isLocal: false,
    region: 'eu-west-1',
    credentials,
    endpoint,
    outputs: {},
  });

  test.each([
    ['change-intake', 'group-of-ChangeIntake'],
    ['listing-producer', 'group-of-ListingProducer'],
  ])('of %s is found on any page of the resources', async (name, group) => {
    expect(await logGroupOf(target(), name)).toBe(group);
  });

  test('that the stack does not have is an error that names the function', async () => {
    await expect(logGroupOf(target(), 'order-producer')).rejects.toThrow(
      'the stack Shop has no log group of order-producer',
    );
  });
});

describe('a reader of a log', () => {
  const open = (filter?: string) => {
    const client = new CloudWatchLogsClient({ region: 'eu-west-1', credentials, endpoint });
    return logReader(client, { group: 'group', since: 1000, filter });
  };
  const event = (timestamp: number, eventId = String(timestamp)): Event => ({
    eventId,
    timestamp,
    message: `line ${eventId}\n`,
  });
  const textsOf = async (read: ReturnType<typeof open>) => (await read()).map(({ text: line }) => line);

  test('gives the lines of all pages from the given time on, oldest first', async () => {
    events = [event(3000), event(900), event(2000)];
    expect(await textsOf(open('ERROR'))).toEqual(['line 2000', 'line 3000']);
    expect(asked).toEqual([{ logGroupName: 'group', startTime: 1000, filterPattern: 'ERROR' }]);
  });

  test('gives each line once, also one that came late', async () => {
    const read = open();
    events = [event(20_000)];
    expect(await textsOf(read)).toEqual(['line 20000']);
    events.push(event(15_000, 'late'), event(21_000));
    expect(await textsOf(read)).toEqual(['line late', 'line 21000']);
    expect(await textsOf(read)).toEqual([]);
    expect(asked.map(({ startTime }) => startTime)).toEqual([1000, 10_000, 11_000]);
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

  test('stays as it is if it is no JSON', () => {
    expect(line('START RequestId: 1')).toBe('10:00:00.123 START RequestId: 1');
  });
});
