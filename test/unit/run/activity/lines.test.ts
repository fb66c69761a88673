import { describe, expect, test } from 'vitest';
import { formatActivity } from '../../../../local/run/activity/activity-line.ts';
import { callLines } from '../../../../local/run/activity/call-lines.ts';
import { failureLine, shortNames } from '../../../../local/run/activity/log-lines.ts';
import { requestLine } from '../../../../local/run/activity/request-line.ts';
import { sandboxRequest } from './sandbox-request.ts';

describe('a line of activity', () => {
  test('is one line with time and kind, whatever its text', () => {
    const time = new Date(2026, 0, 2, 3, 4, 5);
    const line = { kind: 'batch', text: 'a\n  b', isBad: false } as const;
    expect(formatActivity(line, time, (_style, text) => text)).toBe('03:04:05 batch     a b');
  });

  test('shows characters of others that act on a terminal as escapes', () => {
    const line = { kind: 'rejected', text: 'sku \u001b[2Jx\u202e', isBad: true } as const;
    expect(formatActivity(line, new Date(2026, 0, 2), (_style, text) => text)).toMatch(
      /sku \\u001b\[2Jx\\u202e$/,
    );
  });

  test('is red for bad news', () => {
    const paint = (style: string, text: string) => `<${style}>${text.trim()}`;
    const time = new Date(2026, 0, 2, 3, 4, 5);
    expect(formatActivity({ kind: 'request', text: 'x', isBad: true }, time, paint)).toBe(
      '<dim>03:04:05 <red>request x',
    );
  });
});

describe('a request to the marketplace', () => {
  test('is shown with store, rows and answer', () => {
    expect(requestLine(sandboxRequest({ items: 1 }))).toEqual({
      kind: 'request',
      text: 'PATCH /partner/stores/inventory, store-0wh, 1 row: 200',
      isBad: false,
    });
  });

  test('is bad news when it is refused or cut off', () => {
    const refused = sandboxRequest({ storeClientId: null, status: 401, errorCode: 'AUTH_010' });
    expect(requestLine(refused)).toMatchObject({
      text: 'PATCH /partner/stores/inventory: 401 AUTH_010',
      isBad: true,
    });
    expect(requestLine(sandboxRequest({ status: null }))).toMatchObject({
      text: 'PATCH /partner/stores/inventory, store-0wh: connection cut',
      isBad: true,
    });
  });
});

test('calls of the HTTP API are shown, but for reads that succeed', () => {
  expect(callLines({ method: 'GET', path: '/stores', status: 200 })).toEqual([]);
  expect(callLines({ method: 'GET', path: '/stores', status: 500 })).toMatchObject([{ isBad: true }]);
  expect(callLines({ method: 'POST', path: '/webhooks/marketplace', status: 200 })).toEqual([
    { kind: 'call in', text: 'POST /webhooks/marketplace: 200', isBad: false },
  ]);
});

describe('a failure in the log', () => {
  const log = (source: string, message: string) =>
    failureLine({ time: 0, source, stream: 'stdout', message });
  const name = 'MarketplaceConnector-ChangeIntakeFunction2F52A127';

  test('is an error that a function logs, with its reason', () => {
    const error = { level: 'ERROR', message: 'changes not written', error: 'TypeError', reason: 'no\nluck' };
    expect(log(name, JSON.stringify(error))).toEqual({
      kind: 'failed',
      text: 'change-intake: changes not written: TypeError: no\nluck',
      isBad: true,
    });
  });

  test.each([
    JSON.stringify({ level: 'INFO', message: 'changes taken' }),
    'No application metrics to publish.',
    '{broken',
  ])('is not %s', (message) => {
    expect(log(name, message)).toBeUndefined();
  });

  test('is what the local run reports, without the stack of an error', () => {
    const message = `arn:aws:sqs:us-east-1:000000000000:MarketplaceConnector-QueuesChangesQueue6F9AC516 → ${name}: 2 messages failed: Error: boom\n    at x`;
    expect(log('local', message)?.text).toBe('changes-queue → change-intake: 2 messages failed: Error: boom');
  });
});

test('names that CloudFormation gives are shortened to our own', () => {
  expect(
    shortNames(
      'arn:aws:lambda:us-east-1:000000000000:function:MarketplaceConnector-OperationsApiFunction860EAEA2 x',
    ),
  ).toBe('operations-api x');
  expect(shortNames('MarketplaceConnectorEventsBus60A8B4FE')).toBe('MarketplaceConnectorEventsBus60A8B4FE');
});
