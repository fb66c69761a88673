import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { clockFinding } from '../../../cli/checks/clock.ts';
import { concurrencyFinding } from '../../../cli/checks/concurrency.ts';
import { runChecks } from '../../../cli/checks/finding.ts';
import { marketplaceFinding } from '../../../cli/checks/marketplace.ts';
import { isListening, portsOf } from '../../../cli/checks/ports.ts';
import type { StackContext } from '../../../cli/checks/stack-checks.ts';
import { subscriptionsFinding, VERIFY_CHECKS } from '../../../cli/checks/verify-checks.ts';
import type { ApiClient } from '../../../cli/clients/api-client.ts';
import { ApiError } from '../../../cli/errors.ts';

const date = 'Sun, 22 Nov 2026 15:00:00 GMT';
const at = Date.parse(date);

test.each([
  ['right', at + 1000, 'ok'],
  ['a minute ahead', at + 60_000, 'warning'],
  ['ten minutes behind', at - 600_000, 'fault'],
])('a clock that is %s is found as it is', (_, now, state) => {
  expect(clockFinding('the API', date, now)).toMatchObject({ state });
});

test('an API without a time leaves the clock unchecked', () => {
  expect(clockFinding('the API', null, at)).toMatchObject({ state: 'warning' });
});

test.each([
  ['a new account', 10, 'warning'],
  ['an account with less than docs/deploy.md asks for', 49, 'warning'],
  ['an account with what docs/deploy.md asks for', 50, 'ok'],
  ['an account of unknown quota', undefined, 'warning'],
])('the concurrency of %s is judged', (_, unreserved, state) => {
  expect(concurrencyFinding(unreserved)).toMatchObject({ state });
});

test('an event that can not be followed is found with the reason, and not as lost', async () => {
  const context = {
    aws: { events: { send: async () => ({ Entries: [{ EventId: 'e-1' }] }) } },
    target: { outputs: { EventBusName: 'bus' } },
    api: {
      call: async () => {
        throw new ApiError('not allowed', { status: 403, code: 'FORBIDDEN' });
      },
    },
  } as unknown as StackContext;
  expect(await runChecks({ event: VERIFY_CHECKS.event ?? expect.fail() }, context)).toMatchObject([
    { state: 'fault', message: 'FORBIDDEN: not allowed' },
  ]);
});

describe('the marketplace', () => {
  const store = (state: string) => ({
    storeClientId: 'shop',
    state,
    names: { products: 'sku', orders: 'orderId' },
    connectedAt: '2026-11-22T15:00:00.000Z',
    updatedAt: '2026-11-22T15:00:00.000Z',
  });
  /** An API with one store; a call of the marketplace fails with this code, if any. */
  const apiWith = (state: string, code?: string, outcome?: string) => {
    const called: string[] = [];
    const api: ApiClient = {
      call: async (schema) => schema.parse({ stores: [store(state)] }),
      text: async (_, path) => {
        called.push(path.join('/'));
        const details = outcome === undefined ? undefined : { marketplace: { outcome } };
        if (code !== undefined) throw new ApiError('no', { status: 502, code, details });
        return '{}';
      },
    };
    return { api, called };
  };

  test('is called with the credentials of a connected store', async () => {
    const { api, called } = apiWith('connected');
    expect(await marketplaceFinding(api)).toMatchObject({ state: 'ok' });
    expect(called).toEqual(['stores/shop/warehouses']);
  });

  test('is said to have tried no credentials without a connected store', async () => {
    const { api, called } = apiWith('unbound');
    expect(await marketplaceFinding(api)).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('only tried with a connected store'),
    });
    expect(called).toEqual(['brands']);
  });

  test.each([
    ['AUTH_010', /refuses the partner's credentials/],
    ['SECRET_PLACEHOLDER', /SECRET_PLACEHOLDER: no/],
    ['CONNECT_FAILED', /cannot be called: CONNECT_FAILED/, 'not-sent'],
    ['HTTP_404', /cannot be called: HTTP_404/, 'refused'],
    ['SYS_DEP_503', /the marketplace answers SYS_DEP_503/, 'refused'],
    ['LIMIT_REACHED', /was not called: LIMIT_REACHED/, 'not-sent'],
  ])('is found to fail with %s', async (code, message, outcome?: string) => {
    const found = await marketplaceFinding(apiWith('connected', code, outcome).api);
    expect(found).toMatchObject({ state: 'fault', message: expect.stringMatching(message) });
  });

  test.each([
    ['SYS_DEP_503', 'refused'],
    ['LIMIT_REACHED', 'not-sent'],
  ])('that answers, or was not called, is not said to have a wrong base URL: %s', async (code, outcome) => {
    const { hint } = await marketplaceFinding(apiWith('connected', code, outcome).api);
    expect(hint).not.toContain('base URL');
  });
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

test.each([
  ['without subscribers', [], 'warning'],
  [
    'whose subscriber has not confirmed',
    [{ SubscriptionArn: 'PendingConfirmation', Endpoint: 'a@b.example' }],
    'warning',
  ],
  [
    'with a confirmed subscriber',
    [{ SubscriptionArn: 'arn:aws:sns:r:1:t:s', Endpoint: 'a@b.example' }],
    'ok',
  ],
])('a topic of alarms %s is found as it is', (_, subscriptions, state) => {
  expect(subscriptionsFinding(subscriptions)).toMatchObject({ state });
});

test('a concurrency that is too low comes with the request that raises it', () => {
  expect(concurrencyFinding(10).hint).toContain('aws service-quotas request-service-quota-increase');
});

test('checks end at a fault of one that the others need, and go on after any other', async () => {
  const checks = {
    clock: async () => {
      throw new Error('no');
    },
    credentials: async () => ({ state: 'fault', message: 'none' }) as const,
    never: async () => ({ state: 'ok', message: 'reached' }) as const,
  };
  expect(await runChecks(checks, undefined)).toEqual([
    { check: 'clock', state: 'fault', message: 'Error: no' },
    { check: 'credentials', state: 'fault', message: 'none' },
  ]);
});
