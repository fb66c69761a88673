import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { functionNames } from '../../infra/function-names.ts';
import { simpleProduct } from '../../local/run/catalog.ts';
import { type ConnectorRun, startConnector } from '../../local/run/connector-run.ts';
import { createDemoProduct } from '../../local/run/demo-product.ts';
import { until } from '../../local/run/until.ts';
import { createCommandLine } from './support/command-line.ts';
import { type Consumer, installPackage } from './support/install-package.ts';

const repository = join(import.meta.dirname, '..', '..');
const LARGEST_PACKAGE_MB = 60;
/** Building and packing take 15 s on 2 idle cores. */
const PACK_LIMIT_MS = 300_000;

/** A Node.js 20 on the PATH, beside the version that npm installs here. */
const oldestNode = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file) && execFileSync(file, ['--version']).toString().startsWith('v20.'));

let consumer: Consumer;

beforeAll(async () => {
  consumer = await installPackage();
}, PACK_LIMIT_MS);

afterAll(() => consumer[Symbol.asyncDispose]());

/** The packages that a module of the package imports; Node's own are left out. */
function packagesImportedBy(file: string): string[] {
  const text = readFileSync(join(consumer.packageDirectory, file), 'utf8');
  return [...text.matchAll(/\bfrom '([^']+)'/g)]
    .map(([, specifier = '']) => specifier)
    .filter((specifier) => !/^(\.|node:)/.test(specifier))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}

describe('the package', () => {
  it('holds compiled modules with their types, bundles of functions and programs, pages, examples, documents, licences', () => {
    const compiled = /^dist\/(infra|shared)\/.*\.(js|d\.ts)$/;
    const inRepository = (...patterns: string[]) =>
      globSync(patterns, { cwd: repository, exclude: ['**/node_modules/**'] }).filter((path) =>
        path.includes('.'),
      );
    const pageOf = (folder: string, program: string) =>
      globSync('**/*.*', { cwd: join(repository, folder) }).map((file) => `dist/${program}/public/${file}`);

    expect(consumer.files.filter((file) => !compiled.test(file))).toEqual(
      [
        ...['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
        ...inRepository('docs/**/*.*', 'examples/**/*.*', 'shared/api-description/generated/**/*.*'),
        ...[
          'sandbox/README.md',
          'sandbox/openapi.json',
          'test/vectors/README.md',
          'test/vectors/signing.json',
        ],
        'dist/THIRD-PARTY-NOTICES.txt',
        ...functionNames.flatMap((name) => [
          `dist/assets/${name}/index.mjs`,
          `dist/assets/${name}/index.mjs.map`,
        ]),
        'dist/assets/operations-api/openapi.json',
        ...['dist/cli/bin.mjs', 'dist/cli/main.mjs', 'dist/sandbox/main.mjs', 'dist/sandbox/index.mjs'],
        ...['dist/local/main.mjs', 'dist/local/bootstrap.mjs'],
        ...['template', 'assets'].map((kind) => `dist/local/cdk.out/MarketplaceConnector.${kind}.json`),
        ...pageOf('cli/console/public', 'cli'),
        ...pageOf('cli/console/public', 'local'),
        ...pageOf('sandbox/page/public', 'sandbox'),
      ].sort(),
    );
    const modules = consumer.files.filter((file) => file.endsWith('.js') && compiled.test(file));
    expect(consumer.files).toEqual(
      expect.arrayContaining(modules.map((file) => file.replace(/js$/, 'd.ts'))),
    );
  });

  it('exports the documents of its HTTP API and of its events, and a JSON Schema for each event', () => {
    const { resolve } = createRequire(join(consumer.directory, 'app.js'));
    const read = (path: string) => JSON.parse(readFileSync(resolve(`marketplace-connector/${path}`), 'utf8'));
    expect(read('openapi.json')).toMatchObject({ openapi: expect.stringMatching(/^3\./) });
    const { components } = read('asyncapi.json') as { components: { messages: Record<string, object> } };
    const types = Object.keys(components.messages);
    expect(types).toContain('stock.changed');
    expect(types.map((type) => read(`schemas/${type}.schema.json`).title)).toEqual(types);
  });

  it('says where it comes from and what it is for, and `npm pack` says what it made', () => {
    const { name, version, repository: origin, keywords } = consumer.manifest;
    expect(origin.url).toMatch(/^git\+https:\/\/\S+\.git$/);
    expect(keywords).toEqual(expect.arrayContaining(['marketplace', 'aws-cdk']));
    expect(consumer.packOutput).toMatch(new RegExp(`${name}-${version}\\.tgz: \\d+ files, \\d+\\.\\d MB\n`));
  });

  it('has a list of all whose code it holds or needs, as CycloneDX', async () => {
    const sbom = JSON.parse(await readFile(join(repository, '.build', 'sbom.cdx.json'), 'utf8'));
    const names = sbom.components.map(({ name }: { name: string }) => name);
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: consumer.manifest.name, version: consumer.manifest.version } },
    });
    expect(names).toEqual(expect.arrayContaining(['@aws-sdk/client-sqs', 'fauxqs', 'undici', 'zod']));
    expect(names).not.toContain('vitest');
  });

  it(`is smaller than ${LARGEST_PACKAGE_MB} MB`, async () => {
    const sizes = consumer.files.map(
      async (file) => (await stat(join(consumer.packageDirectory, file))).size,
    );
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);

    expect(total / 1024 ** 2).toBeLessThan(LARGEST_PACKAGE_MB);
  });

  it('depends on what its modules import and on nothing else; the CDK is the one of the app', () => {
    const imported = consumer.files.filter((file) => file.endsWith('.js')).flatMap(packagesImportedBy);

    expect(Object.keys(consumer.manifest.dependencies)).toEqual(['undici', 'zod']);
    expect(Object.keys(consumer.manifest.peerDependencies)).toEqual(['aws-cdk-lib', 'constructs']);
    expect([...new Set(imported)].sort()).toEqual(['aws-cdk-lib', 'constructs', 'undici', 'zod']);
  });

  it('has types that a strict TypeScript app compiles with', async () => {
    const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');

    expect(await consumer.node([tsc, '--project', consumer.directory])).toBe('');
  });

  it('is also loaded by `require`, as apps of CommonJS modules do', async () => {
    const names = ['marketplace-connector', 'marketplace-connector/client', 'marketplace-connector/events'];
    const script = `console.log(JSON.stringify(${JSON.stringify(names)}.map((it) => Object.keys(require(it)))))`;

    expect(JSON.parse(await consumer.node(['--input-type=commonjs', '--eval', script]))).toEqual([
      ['MarketplaceConnector'],
      expect.arrayContaining(['createMarketplaceClient', 'createHttpTransport', 'MarketplaceError']),
      ['EVENT_SOURCE', 'eventInSchemas', 'eventOutSchemas'],
    ]);
  });
});

describe('the examples, with the package installed', () => {
  let run: ConnectorRun;
  let environment: NodeJS.ProcessEnv;
  const assembly = () => join(consumer.directory, 'cdk.out');
  const hasTool = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

  beforeAll(async () => {
    await consumer.node(['cdk-app/app.ts'], { CDK_OUTDIR: assembly() });
    run = await startConnector({ templatePath: join(assembly(), 'Shop.template.json') });
    const { endpoint, region, adminCredentials, outputs } = run.local;
    environment = {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region,
      AWS_ACCESS_KEY_ID: adminCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: adminCredentials.secretAccessKey,
      EVENT_BUS_NAME: outputs.EventBusName,
      MARKETPLACE_BASE_URL: run.marketplace.baseUrl,
      PARTNER_SECRET_KEY: run.marketplace.partnerSecretKey,
    };
    const products = [{ ...simpleProduct(1), sku: 'SHOP-1' }];
    await run.partner.callApi('POST', '/stores/store-1wh/products/bulk', { products });
    // As in each local run.
    await createDemoProduct(run);
    await stockBecomes(0);
  });
  afterAll(() => run?.[Symbol.asyncDispose]());

  const stockBecomes = (stock: number) =>
    until('the stock at the marketplace', async () => {
      const shown = await consumer.node(['client/read-product.ts'], environment);
      return shown === `DEMO-1: ${stock}\n`;
    });

  async function typesIn(queueUrl: string | undefined, type: string) {
    const { endpoint, region, adminCredentials: credentials } = run.local;
    const sqs = new SQSClient({ endpoint, region, credentials });
    const types: string[] = [];
    await until(`${type} in the queue`, async () => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
      );
      types.push(...Messages.map(({ Body = '' }) => JSON.parse(Body)['detail-type']));
      return types.includes(type);
    });
    sqs.destroy();
    return new Set(types);
  }

  it('a CDK app runs whole on the local AWS, and its subscription gets the events that it names', async () => {
    expect(await typesIn(run.local.outputs.AnswersQueueUrl, 'batch.completed')).toEqual(
      new Set(['store.connected', 'batch.completed']),
    );
    expect(run.local.accessDenied).toEqual([]);
  });

  it('a sender in TypeScript changes a stock at the marketplace, and sends nothing to no bus', async () => {
    const withoutBus = consumer.node(['senders/send-stock.ts'], { ...environment, EVENT_BUS_NAME: '' });
    await expect(withoutBus).rejects.toThrow('EVENT_BUS_NAME must be the output EventBusName');
    await consumer.node(['senders/send-stock.ts'], environment);
    expect(await stockBecomes(7)).toBe(true);
  });

  it.skipIf(!hasTool('python3', '-c', 'import boto3'))(
    'a sender in Python changes a stock at the marketplace, and sends nothing to no bus',
    async () => {
      const send = (own: NodeJS.ProcessEnv) =>
        promisify(execFile)('python3', ['senders/send_stock.py', 'store-0wh', 'DEMO-1', '8'], {
          cwd: consumer.directory,
          env: { ...process.env, ...environment, ...own },
        });
      await expect(send({ EVENT_BUS_NAME: '' })).rejects.toMatchObject({
        stderr: 'EVENT_BUS_NAME must be the output EventBusName\n',
      });
      await send({});
      expect(await stockBecomes(8)).toBe(true);
    },
  );

  it.skipIf(!hasTool('aws', '--version'))('a subscription by the AWS CLI gets the events', async () => {
    const { stdout } = await promisify(execFile)('./subscribe.sh', ['cli-answers'], {
      cwd: consumer.directory,
      env: { ...process.env, ...environment },
    });
    const products = [{ ...simpleProduct(2), sku: 'SHOP-2' }];
    await run.partner.callApi('POST', '/stores/store-1wh/products/bulk', { products });
    expect(await typesIn(stdout.trim(), 'batch.completed')).toEqual(new Set(['batch.completed']));
  });

  it('a relay sends events to an HTTPS endpoint, and keeps what the endpoint does not take', async () => {
    const outputDirectory = join(consumer.directory, 'relay.out');
    await consumer.node(['https-relay/app.ts'], { CDK_OUTDIR: outputDirectory });
    const template = Template.fromJSON(
      JSON.parse(await readFile(join(outputDirectory, 'Relay.template.json'), 'utf8')),
    );
    template.hasResourceProperties('AWS::Events::ApiDestination', {
      InvocationEndpoint: { Ref: 'Endpoint' },
      HttpMethod: 'POST',
    });
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { source: ['marketplace.connector'] },
      Targets: [
        Match.objectLike({ DeadLetterConfig: Match.anyValue(), RetryPolicy: { MaximumRetryAttempts: 185 } }),
      ],
    });
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' } }),
        ]),
      },
    });
  });

  it('a workflow deploys the stack of the app, by a role that only its protected jobs may assume', async () => {
    const outputDirectory = join(consumer.directory, 'role.out');
    await consumer.node(['deploy-from-github/role.ts'], { CDK_OUTDIR: outputDirectory });
    const role = Template.fromJSON(
      JSON.parse(await readFile(join(outputDirectory, 'GitHubDeploy.template.json'), 'utf8')),
    );
    role.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          Match.objectLike({
            Action: 'sts:AssumeRoleWithWebIdentity',
            Condition: {
              StringEquals: Match.objectLike({
                'token.actions.githubusercontent.com:sub': {
                  'Fn::Join': ['', ['repo:', { Ref: 'Repository' }, ':environment:production']],
                },
              }),
            },
          }),
        ],
      },
    });
    const text = await readFile(join(consumer.directory, 'deploy-from-github/deploy.yml'), 'utf8');
    const { permissions, jobs } = parse(text) as {
      permissions: object;
      jobs: { deploy: { environment: string; steps: { run?: string; env?: object }[] } };
    };
    expect(permissions).toEqual({ 'id-token': 'write', contents: 'read' });
    expect(jobs.deploy.environment).toBe('production');
    const deployment = jobs.deploy.steps.at(-1)?.run ?? '';
    const [, stack] = /cdk deploy (\w+) /.exec(deployment) ?? [];
    const template = JSON.parse(await readFile(join(assembly(), `${stack}.template.json`), 'utf8'));
    const given = [...deployment.matchAll(/--parameters (\w+)=/g)].map(([, name]) => name);
    expect(Object.keys(template.Parameters)).toEqual(expect.arrayContaining(given));
    expect(given).toHaveLength(2);
  });
});

describe('in a folder with nothing but the package', () => {
  let folder: string;
  const bin = () => join(folder, 'node_modules', 'marketplace-connector', 'dist', 'cli', 'bin.mjs');
  const node = oldestNode ?? process.execPath;
  const start = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
    const child = spawn(node, [bin(), ...args], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: '', ...environment },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const closed = once(child, 'close');
    return { child, output: () => output, closed };
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'connector-alone-'));
    const modules = join(folder, 'node_modules');
    await cp(consumer.packageDirectory, join(modules, 'marketplace-connector'), { recursive: true });
    // An older Node.js takes the one of this package; npm would get it.
    await symlink(join(repository, 'node_modules', 'node'), join(modules, 'node'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('the sandbox starts, with its page and its controls', async () => {
    const { child, output, closed } = start(['sandbox', 'start', '--port', '0']);
    const url = await until('the sandbox', () => /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0]);
    const read = async (path: string) => (await fetch(`${url}${path}`)).text();

    expect(JSON.parse(await read('/sandbox/health'))).toMatchObject({ ok: true });
    expect(await read('/sandbox')).toContain('<title>Sandbox marketplace</title>');
    expect(await read('/sandbox/page/main.js')).toContain('import ');

    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
  });

  const FREE_PORTS = { LOCAL_AWS_PORT: '0', LOCAL_API_PORT: '0', SANDBOX_PORT: '0' };

  it('the stack of the package runs with its tour, and each comparison holds', async () => {
    const { output, closed } = start(['local', '--exit'], FREE_PORTS);
    const [exitCode] = await closed;
    expect(output()).toMatch(/^holds +unbinding /m);
    expect(output()).not.toMatch(/^fails /m);
    expect(exitCode).toBe(0);
    expect(existsSync(join(folder, '.local', 'outputs.json'))).toBe(false);
  }, 180_000);

  it("the stack of a partner's app runs from the folder into which it was synthesized", async () => {
    const app = relative(folder, join(consumer.directory, 'cdk.out'));
    const { output, closed } = start(['local', '--exit', '--no-tour', '--cdk-out', app], FREE_PORTS);
    const [exitCode] = await closed;
    expect(output()).toMatch(/^Up: \d+ functions, connected to store-0wh, store-1wh, store-2wh\.$/m);
    expect(exitCode).toBe(0);
  });

  it('says what state that outlives the run needs', async () => {
    const { output, closed } = start(['local', '--exit', '--data', 'state'], FREE_PORTS);
    expect(await closed).toEqual([1, null]);
    expect(output()).toBe('--data needs the npm package classic-level: npm install classic-level@3.0.0\n');
  });
});

describe('the command line of the package', () => {
  const bin = () => join(consumer.packageDirectory, consumer.manifest.bin['marketplace-connector'] ?? '');
  let run: ConnectorRun;
  beforeAll(async () => {
    run = await startConnector();
  });
  afterAll(() => run?.[Symbol.asyncDispose]());

  it('has its version and its help, and runs without further packages', async () => {
    expect(await readFile(bin(), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(await consumer.node([bin(), '--version'])).toBe(`${consumer.manifest.version}\n`);
    expect(await consumer.node([bin(), '--help'])).toContain('Usage: marketplace-connector ');
  });

  it('serves the console with its page', async () => {
    const outputs = join(consumer.directory, 'outputs.json');
    await writeFile(outputs, JSON.stringify({ MarketplaceConnector: run.local.outputs }));
    const child = spawn(process.execPath, [bin(), 'console', '--outputs', outputs], { stdio: 'pipe' });
    const [printed] = await once(child.stdout, 'data');
    const { origin, href } = new URL(String(printed).trim());
    const opened = await fetch(href, { redirect: 'manual' });
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    const read = async (path: string) => (await fetch(`${origin}${path}`, { headers: { cookie } })).text();

    expect(await read('/')).toContain('<title>Marketplace Connector</title>');
    expect(await read('/screens/needs-you.js')).toContain('export const needsYou');
    expect(JSON.parse(await read('/state'))).toMatchObject({ target: 'local', attention: [] });

    const ended = once(child, 'close');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it.skipIf(oldestNode === undefined)('runs on the Node.js 20 of this machine', async () => {
    await using run = await startConnector();
    await using connector = await createCommandLine(run, {
      script: bin(),
      ...(oldestNode && { node: oldestNode }),
    });
    let hasHeard = false;
    const listening = connector.run('listen --count 1 --json').finally(() => {
      hasHeard = true;
    });
    await until('an event', async () => {
      await run.partner.putEvents([
        {
          detailType: 'stock.changed',
          detail: { storeClientId: 'store-0wh', items: [{ sku: 'A-1', stock: 1 }] },
        },
      ]);
      return hasHeard;
    });

    expect(await listening).toMatchObject({ exitCode: 0 });
    // The event is heard before its change is stored.
    await until('the trace', async () => {
      const { status, body } = await run.partner.callApi('GET', '/trace?target=sku%3AA-1');
      return status === 200 && body.steps.length > 0;
    });
    expect(await connector.run('trace A-1')).toMatchObject({ exitCode: 0 });
    expect(await connector.run('dlq list')).toEqual({
      exitCode: 0,
      stdout: 'No dead letters in 7 queues.\n',
      stderr: '',
    });
  });

  it('shows the status of a running stack', async () => {
    await using connector = await createCommandLine(run, { script: bin() });

    expect(await connector.run('status')).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^.*marketplace.*\nNothing needs you\.\n3 stores \(3 connected\) · open batches: 0 · rejections of 24 h: 0\nThat was read at .*\n$/,
      ),
      stderr: '',
    });
  });
});
