import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleHandlers } from '../../infra/bundle.ts';
import { functionNames } from '../../infra/function-names.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'connector-bundle-'));
  for (const name of functionNames) {
    mkdirSync(join(directory, 'functions', name), { recursive: true });
    writeFileSync(
      join(directory, 'functions', name, 'handler.ts'),
      `import { name } from './name.ts';
       export const handler = async (greeting: string): Promise<string> => greeting + ' ' + name + ' ' + require('node:path').sep;`,
    );
    writeFileSync(join(directory, 'functions', name, 'name.ts'), `export const name: string = '${name}';`);
  }
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function bundle() {
  return bundleHandlers({
    handlersDirectory: join(directory, 'functions'),
    outputDirectory: join(directory, 'build'),
  });
}

describe('bundleHandlers', () => {
  it('builds an ES module with a source map for each handler', async () => {
    const bundles = await bundle();

    expect(Object.keys(bundles).sort()).toEqual([...functionNames].sort());
    for (const folder of Object.values(bundles)) {
      expect(readdirSync(folder)).toEqual(expect.arrayContaining(['index.mjs', 'index.mjs.map']));
      expect(readFileSync(join(folder, 'index.mjs'), 'utf8')).toContain('sourceMappingURL=index.mjs.map');
    }
  });

  it('builds modules that run, also with CommonJS dependencies', async () => {
    const folder = (await bundle())['change-intake'];
    const { handler } = await import(pathToFileURL(join(folder, 'index.mjs')).href);

    expect(await handler('hello')).toBe('hello change-intake /');
  });

  it('builds equal output from equal input, so that a deployment without changes changes nothing', async () => {
    const contents = async () =>
      Object.values(await bundle()).map((folder) => readFileSync(join(folder, 'index.mjs'), 'utf8'));

    expect(await contents()).toEqual(await contents());
  });

  it('removes the files of an earlier bundle', async () => {
    const stale = join((await bundle())['lane-waker'], 'stale.mjs');
    writeFileSync(stale, '');

    expect(readdirSync((await bundle())['lane-waker'])).not.toContain('stale.mjs');
  });

  it('names every missing handler', async () => {
    const empty = join(directory, 'empty');

    await expect(
      bundleHandlers({ handlersDirectory: empty, outputDirectory: join(directory, 'none') }),
    ).rejects.toThrow(/No handler at .*change-intake\/handler\.ts, .*operations-api\/handler\.ts$/);
  });
});

describe('the bundles of the functions', () => {
  let texts: [name: string, text: string][];

  beforeAll(async () => {
    const bundles = await bundleHandlers({ outputDirectory: join(directory, 'real') });
    texts = Object.entries(bundles).map(([name, folder]) => [
      name,
      readFileSync(join(folder, 'index.mjs'), 'utf8'),
    ]);
  });

  it.each([
    ['the X-Ray SDK: Lambda writes the traces', /AWS_XRAY_|aws-xray-sdk/],
    ['messages of zod in other languages', /Ongeldige invoer|Input non valido/],
    ['ways to credentials that no function has', /credential_process|AssumeRoleWithWebIdentity/],
    ['another part of undici than its Agent', /EventSource|WebSocketStream/],
  ])('have in no function %s', (_, unwanted) => {
    expect(texts.filter(([, text]) => unwanted.test(text)).map(([name]) => name)).toEqual([]);
  });
});
