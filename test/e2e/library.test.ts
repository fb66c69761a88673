import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { functionNames } from '../../infra/function-names.ts';
import { simpleProduct } from '../../local/run/catalog.ts';
import { startConnector } from '../../local/run/connector-run.ts';
import { until } from '../../local/run/until.ts';
import { type Consumer, installPackage } from '../library/install-package.ts';
import { createCommandLine } from './support/command-line.ts';

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
  it('holds compiled modules with their types, the bundles of functions and command line, the description of the API, the page of the console, licences, and the documentation', () => {
    const compiled = /^dist\/(infra|shared)\/.*\.(js|d\.ts)$/;
    const pages = globSync('docs/**/*.*', { cwd: repository });
    const bundles = functionNames.flatMap((name) =>
      ['index.mjs', 'index.mjs.map'].map((file) => `dist/assets/${name}/${file}`),
    );
    const description = ['dist/assets/operations-api/openapi.json'];
    const commandLine = ['dist/cli/main.mjs', 'dist/cli/main.mjs.map'];
    const page = globSync('**/*.*', { cwd: join(repository, 'cli/console/public') }).map(
      (file) => `dist/cli/public/${file}`,
    );

    expect(consumer.files.filter((file) => !compiled.test(file))).toEqual(
      [
        'LICENSE',
        'README.md',
        'package.json',
        'dist/THIRD-PARTY-NOTICES.txt',
        ...pages,
        ...bundles,
        ...description,
        ...commandLine,
        ...page,
      ].sort(),
    );
    const modules = consumer.files.filter((file) => file.endsWith('.js') && compiled.test(file));
    expect(consumer.files).toEqual(
      expect.arrayContaining(modules.map((file) => file.replace(/js$/, 'd.ts'))),
    );
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

describe("a partner's own CDK app with the package", () => {
  it('synthesizes, runs, and takes the stock that the partner sends to the marketplace', async () => {
    const outputDirectory = join(consumer.directory, 'cdk.out');
    await consumer.node(['app.ts'], { CDK_OUTDIR: outputDirectory });
    await using run = await startConnector({ templatePath: join(outputDirectory, 'Shop.template.json') });
    const { endpoint, region, adminCredentials: credentials, outputs } = run.local;
    const product = { ...simpleProduct(1), sku: 'SHOP-1', stock: 1 };
    const creation = await run.partner.callApi('POST', '/stores/store-1wh/products/bulk', {
      products: [product],
    });
    expect(creation.status).toBeLessThan(300);
    const readStock = () =>
      consumer.node(['read-product.ts'], {
        MARKETPLACE_BASE_URL: run.marketplace.baseUrl,
        PARTNER_SECRET_KEY: run.marketplace.partnerSecretKey,
      });
    await until('the product', async () => (await readStock()) === 'SHOP-1: 1\n');

    await consumer.node(['send-stock.ts'], {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      EVENT_BUS_NAME: outputs.EventBusName,
    });

    expect(await until('the stock', async () => (await readStock()) === 'SHOP-1: 7\n')).toBe(true);
  });
});

describe('the command line of the package', () => {
  const bin = () => join(consumer.packageDirectory, consumer.manifest.bin['marketplace-connector'] ?? '');

  it('has its version and its help, and runs without further packages', async () => {
    expect(await readFile(bin(), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(await consumer.node([bin(), '--version'])).toBe(`${consumer.manifest.version}\n`);
    expect(await consumer.node([bin(), '--help'])).toContain('Usage: marketplace-connector ');
  });

  it('serves the console with its page', async () => {
    await using run = await startConnector();
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
    await using run = await startConnector();
    await using connector = await createCommandLine(run, { script: bin() });

    expect(await connector.run('status')).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^.*marketplace.*\nNothing needs you\.\n3 stores \(3 connected\) · open batches: 0\n$/,
      ),
      stderr: '',
    });
  });
});
