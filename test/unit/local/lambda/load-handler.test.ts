import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadHandler } from '../../../../local/aws/lambda/load-handler.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'handler-'));
  await writeFile(
    join(directory, 'index.mjs'),
    `export const handler = async () => 'top';
     export const nested = { handler: async () => 'nested' };
     export const callback = (event, context, done) => done();`,
  );
  await writeFile(join(directory, 'common.cjs'), `exports.handler = async () => 'common';`);
});

afterAll(() => rm(directory, { recursive: true }));

test.each([
  ['index.handler', 'top'],
  ['index.nested.handler', 'nested'],
  ['common.handler', 'common'],
])('a handler is found: %s', async (name, answer) => {
  const handler = await loadHandler(directory, name);
  expect(await handler({}, {})).toBe(answer);
});

test.each([
  ['index', 'Runtime.MalformedHandlerName'],
  ['absent.handler', 'Runtime.ImportModuleError'],
  ['index.absent', 'Runtime.HandlerNotFound'],
  ['index.absent.handler', 'Runtime.HandlerNotFound'],
  ['index.callback', 'Runtime.CallbackHandlerDeprecated'],
])('a handler is refused with the error name of Lambda: %s', async (name, errorType) => {
  await expect(loadHandler(directory, name)).rejects.toMatchObject({ name: errorType });
});
