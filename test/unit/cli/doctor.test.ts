import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { clockFinding, concurrencyFinding } from '../../../cli/doctor/checks.ts';
import { isListening, portsOf } from '../../../cli/doctor/ports.ts';

const date = 'Sun, 22 Nov 2026 15:00:00 GMT';
const at = Date.parse(date);

test.each([
  ['right', at + 1000, 'ok'],
  ['a minute ahead', at + 60_000, 'warning'],
  ['ten minutes behind', at - 600_000, 'fault'],
])('a clock that is %s is found as it is', (_, now, state) => {
  expect(clockFinding(date, now)).toMatchObject({ state });
});

test('an API without a time leaves the clock unchecked', () => {
  expect(clockFinding(null, at)).toMatchObject({ state: 'warning' });
});

test.each([
  ['a new account', 10, 'warning'],
  ['an ordinary account', 1000, 'ok'],
  ['an account of unknown quota', undefined, 'warning'],
])('the concurrency of %s is judged', (_, unreserved, state) => {
  expect(concurrencyFinding(unreserved)).toMatchObject({ state });
});

test('the ports of a local run are those of its URLs, and one on which nothing listens is seen', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const outputs = {
    ApiUrl: `${url}/a`,
    WebhookUrl: `${url}/b`,
    BusName: 'bus',
    QueueArn: 'arn:aws:sqs:r:0:q',
  };
  const ports = portsOf({ outputs });
  expect(ports).toEqual([{ output: 'ApiUrl', host: '127.0.0.1', port }]);
  const isOpen = () => Promise.all(ports.map(isListening));
  expect(await isOpen()).toEqual([true]);
  await new Promise((resolve) => server.close(resolve));
  expect(await isOpen()).toEqual([false]);
});
