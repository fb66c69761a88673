import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { readPage } from '../../tools/describe/pages/pages.ts';
import { examplesOf } from './examples.ts';
import { paste, repository } from './pasted.ts';
import { type ShellSession, startShell } from './shell-session.ts';

/** Port of the page's own webhook receiver. */
const RECEIVER_PORT = '9000';

describe.each(['docs/sandbox.md', 'docs/write-a-client.md'])('%s', (path) => {
  let sandbox: Sandbox;
  let shell: ShellSession;
  let receiverPort: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    receiverPort = String(await freePort());
    shell = await startShell(repository, { BASE_URL: sandbox.url });
  });

  afterAll(async () => {
    await shell?.[Symbol.asyncDispose]();
    await sandbox?.close();
  });

  const here = (text: string) =>
    text.replaceAll(/http:\/\/127\.0\.0\.1:4568\b/g, sandbox.url).replaceAll(RECEIVER_PORT, receiverPort);

  test.each(examplesOf(readPage(path).text))('line $line gives what the page shows', async (example) => {
    await paste(shell, { ...example, code: here(example.code) });
    await sandbox.idle();
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
