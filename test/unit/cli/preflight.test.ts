import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Finding, runChecks } from '../../../cli/checks/finding.ts';
import { PREFLIGHT_CHECKS } from '../../../cli/checks/preflight-checks.ts';
import { VERIFY_CHECKS } from '../../../cli/checks/verify-checks.ts';
import { createAwsClients } from '../../../cli/clients/aws-clients.ts';
import type { Target } from '../../../cli/target/target.ts';
import { type AccountFacts, startDeployedAccount } from '../../doubles/deployed-account.ts';

let marketplace: Server;
let marketplaceBaseUrl: string;

beforeEach(async () => {
  marketplace = createServer((_, response) => {
    response.statusCode = 401;
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => marketplace.once('listening', resolve));
  marketplaceBaseUrl = `http://127.0.0.1:${(marketplace.address() as AddressInfo).port}`;
});

afterEach(() => {
  vi.unstubAllEnvs();
  marketplace.close();
});

const topic = 'arn:aws:sns:us-east-1:000000000000:alarms';

async function inAccount<Result>(facts: Partial<AccountFacts>, work: () => Promise<Result>): Promise<Result> {
  await using account = await startDeployedAccount({
    endpoint: 'http://127.0.0.1:9',
    stacks: { CDKToolkit: { BootstrapVersion: '21' } },
    subscriptions: [`${topic}:1`],
    concurrency: 1000,
    ...facts,
  });
  for (const [name, value] of Object.entries(account.environment)) vi.stubEnv(name, value);
  return await work();
}

const preflight = (facts: Partial<AccountFacts> = {}, stackName = 'Shop', baseUrl = marketplaceBaseUrl) =>
  inAccount(facts, async () => {
    using aws = createAwsClients({});
    return await runChecks(PREFLIGHT_CHECKS, { aws, stackName, marketplaceBaseUrl: baseUrl });
  });

const troubles = (findings: readonly Finding[]) =>
  Object.fromEntries(
    findings.flatMap(({ check, state, message, hint }) =>
      state === 'ok' ? [] : [[check, `${state}: ${message}. ${hint}`]],
    ),
  );

test('an account in which a first deployment can succeed has no finding, and each check is made', async () => {
  const findings = await preflight();
  expect(findings.map(({ check }) => check)).toEqual(Object.keys(PREFLIGHT_CHECKS));
  expect(troubles(findings)).toEqual({});
});

test.each([
  ['is not bootstrapped', { stacks: {} }, 'bootstrap', /^fault: .*npx cdk bootstrap/],
  [
    'is bootstrapped for an older CDK',
    { stacks: { CDKToolkit: { BootstrapVersion: '5' } } },
    'bootstrap',
    /^fault: .*version 5: 6 is needed/,
  ],
  ['has few concurrent executions', { concurrency: 10 }, 'quotas', /request-service-quota-increase/],
])('an account that %s is found with what to do', async (_, facts, check, what) => {
  expect(troubles(await preflight(facts))).toEqual({ [check]: expect.stringMatching(what) });
});

test('a name that is too long, and a base URL that is none, are found with their rules', async () => {
  expect(troubles(await preflight({}, 'S'.repeat(41), `${marketplaceBaseUrl}/api/v1`))).toEqual({
    name: expect.stringMatching(/at most 40/),
    marketplace: expect.stringMatching(/end neither in \/api\/v1/),
  });
});

test('a marketplace that can not be reached is one fault, which names the address', async () => {
  marketplace.close();
  expect(troubles(await preflight())).toEqual({
    marketplace: expect.stringMatching(
      /^fault: http:\/\/127\.0\.0\.1:\d+ cannot be reached: connect ECONNREFUSED .*\. Is it right, and is there a network\?$/,
    ),
  });
});

test('without a region only what needs no AWS is checked: name, marketplace and clock', async () => {
  const findings = await inAccount({}, async () => {
    vi.stubEnv('AWS_REGION', undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/no-such-file');
    using aws = createAwsClients({});
    return await runChecks(PREFLIGHT_CHECKS, { aws, stackName: 'Shop', marketplaceBaseUrl });
  });
  expect(findings).toMatchObject([
    { check: 'name', state: 'ok' },
    { check: 'marketplace', state: 'ok' },
    { check: 'clock', state: 'ok' },
    { check: 'region', state: 'fault' },
  ]);
});

test.each([
  ['confirmed', [`${topic}:1`], 'ok'],
  ['not confirmed', ['PendingConfirmation'], 'warning'],
])(
  'a subscription of the alarms that is %s is found by the topics in the outputs',
  async (_, subscriptions, state) => {
    const outputs = { AlarmTopicArn: topic, NextDayAlarmTopicArn: `${topic}-next-day` };
    const target = { isLocal: false, outputs } as unknown as Target;
    const found = await inAccount({ subscriptions }, async () => {
      using aws = createAwsClients({});
      return await VERIFY_CHECKS.alarms?.({ aws, target } as Parameters<(typeof VERIFY_CHECKS)['alarms']>[0]);
    });
    expect(found).toMatchObject({ state });
  },
);
