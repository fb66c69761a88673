import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { generatedDirectory } from '../../tools/describe/documents.ts';
import { readPage } from '../../tools/describe/pages/pages.ts';
import { examplesOf } from '../docs/examples.ts';
import { paste, repository } from '../docs/pasted.ts';
import { type ShellSession, startShell } from '../docs/shell-session.ts';

let run: ConnectorRun;
let shell: ShellSession;

beforeAll(async () => {
  run = await startQuickRun();
  shell = await startShell(repository);
});

afterAll(async () => {
  await shell?.[Symbol.asyncDispose]();
  await run?.[Symbol.asyncDispose]();
});

const here = (text: string) =>
  text
    .replaceAll(/http:\/\/127\.0\.0\.1:4567\b/g, run.local.apiUrl)
    .replaceAll(/http:\/\/127\.0\.0\.1:4568\b/g, run.marketplace.baseUrl);

test.each(examplesOf(readPage('docs/http-api.md').text))(
  'docs/http-api.md: line $line gives what the page shows',
  async (example) => {
    await paste(shell, { ...example, code: here(example.code) });
    await run.local.idle();
  },
);

test('the stack serves the published description of its routes', async () => {
  const published = await readFile(join(generatedDirectory, 'openapi.json'), 'utf8');

  expect((await run.partner.callApi('GET', '/openapi.json')).body).toEqual(JSON.parse(published));
});

test('the examples of docs/http-api.md lack no permission', () => {
  expect(run.local.accessDenied).toEqual([]);
});
