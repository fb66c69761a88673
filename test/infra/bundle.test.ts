import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
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
  const zod = JSON.stringify(fileURLToPath(import.meta.resolve('zod')));
  writeFileSync(
    join(directory, 'functions', 'summary-processor', 'handler.ts'),
    `import { z } from ${zod};
     export const handler = async (value: unknown) => z.number().safeParse(value).error?.issues[0]?.message;`,
  );
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

  it('leaves out the messages of zod in other languages and keeps all English ones', async () => {
    const folder = (await bundle())['summary-processor'];
    const { handler } = await import(pathToFileURL(join(folder, 'index.mjs')).href);

    expect(await handler('hello')).toBe('Invalid input: expected number, received string');
    const code = readFileSync(join(folder, 'index.mjs'), 'utf8');
    expect(['Ongeldige invoer', 'Input non valido'].filter((text) => code.includes(text))).toEqual([]);
  });

  it('has no X-Ray SDK in any function: Lambda writes the traces', async () => {
    const bundles = await bundleHandlers({ outputDirectory: join(directory, 'real') });
    const withSdk = Object.entries(bundles).filter(([, folder]) =>
      /AWS_XRAY_|aws-xray-sdk/.test(readFileSync(join(folder, 'index.mjs'), 'utf8')),
    );

    expect(withSdk.map(([name]) => name)).toEqual([]);
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
