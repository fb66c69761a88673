import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startLocalRun } from '../../local/aws/index.ts';
import { CreationError, inOrderOfCreation } from '../../local/aws/run/create-resources.ts';
import { startBackends } from '../../local/aws/run/start-services.ts';
import type { CloudFormationTemplate } from '../../local/aws/template/cloudformation.ts';
import { readStack } from '../../local/aws/template/read-stack.ts';
import { startConnector } from '../../local/run/connector-run.ts';
import { synthesize } from '../../local/run/synthesize.ts';

const parameters = { MarketplaceBaseUrl: 'http://127.0.0.1:9', PartnerClientId: 'partner' };
const stackName = 'MarketplaceConnector';

let assembly: string;
let templatePath: string;
let first: CloudFormationTemplate;
let dataDirectory: string;

beforeAll(async () => {
  assembly = await mkdtemp(join(tmpdir(), 'first-deployment-'));
  const settings = { firstDeployment: 'true' };
  templatePath = await synthesize({ outputDirectory: join(assembly, 'cdk.out'), settings });
  first = JSON.parse(await readFile(templatePath, 'utf8'));
});

afterAll(() => rm(assembly, { recursive: true }));

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'local-data-'));
});

afterEach(() => rm(dataDirectory, { recursive: true }));

/** Deploys a template until the resource at this part of its creation fails. */
async function failAt(template: CloudFormationTemplate, part: number): Promise<CreationError> {
  const endpoints = { aws: 'http://127.0.0.1:1', api: 'http://127.0.0.1:2' };
  const order = inOrderOfCreation(readStack(template, { stackName, parameters, endpoints }).resources);
  const failsAt = order[Math.min(order.length - 1, Math.floor(part * order.length))]?.logicalId ?? '';
  const assetDirectory = dirname(templatePath);
  const failed = await startLocalRun({ template, assetDirectory, parameters, dataDirectory, failsAt }).then(
    async (run) => run.stop(),
    (error: unknown) => error,
  );
  if (!(failed instanceof CreationError))
    throw new Error(`no creation failed at ${failsAt}`, { cause: failed });
  expect(failed.cause).toMatchObject({ message: expect.stringContaining(failsAt) });
  return failed;
}

/** The names of everything with a state in the account. */
async function everythingKept(): Promise<string[]> {
  const backends = await startBackends(dataDirectory);
  try {
    const { TableNames } = await backends.dynamodb.json<{ TableNames: string[] }>(
      'DynamoDB_20120810.ListTables',
      {},
    );
    const queues = (await backends.queues.depths()).map(({ name }) => name);
    const list = { method: 'GET', rawPath: '/', rawQuery: '', headers: {}, body: Buffer.alloc(0) };
    const { body } = await backends.storage.forward(list);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    const buckets = [
      ...Buffer.concat(chunks)
        .toString()
        .matchAll(/<Name>(.+?)<\/Name>/g),
    ];
    const file = await readFile(join(dataDirectory, 'secrets.json'), 'utf8').catch(() => '{}');
    return [
      ...TableNames,
      ...queues,
      ...buckets.map(([, name = '']) => name),
      ...Object.keys(JSON.parse(file)),
    ];
  } finally {
    await backends.stop();
  }
}

test('a first deployment that fails at any point leaves nothing over, and the next one works', async () => {
  for (const part of [0.1, 0.3, 0.5, 1]) {
    expect((await failAt(first, part)).leftOver).toEqual([]);
    expect(await everythingKept()).toEqual([]);
  }
  await using run = await startConnector({ templatePath, dataDirectory, schedules: 'manual' });
  expect((await run.partner.callApi('GET', '/stores')).body.stores).toHaveLength(run.stores.length);
});

test('with the protection that later deployments have, a first one that fails leaves each table over', async () => {
  const isTable = ({ Type }: { Type: string }) => Type === 'AWS::DynamoDB::Table';
  const later = structuredClone(first);
  const tables = Object.values(later.Resources).filter(isTable);
  for (const { Properties = {} } of tables) Properties.DeletionProtectionEnabled = true;
  const { leftOver } = await failAt(later, 1);
  expect(leftOver).toHaveLength(tables.length);
  expect(leftOver.join()).toContain('the table refuses deletion');
  expect(await everythingKept()).toHaveLength(tables.length);
});

test('with the deletion policy Retain, a first deployment that fails leaves over what it retains', async () => {
  const retained = structuredClone(first);
  for (const resource of Object.values(retained.Resources))
    if (resource.DeletionPolicy === 'RetainExceptOnCreate') resource.DeletionPolicy = 'Retain';
  const { leftOver } = await failAt(retained, 1);
  const types = leftOver.map((left) => retained.Resources[left.split(':')[0] ?? '']?.Type);
  expect(new Set(types)).toEqual(
    new Set(['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret']),
  );
  expect(await everythingKept()).toHaveLength(leftOver.length);
});
