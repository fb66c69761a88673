import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const shellSh = join(import.meta.dirname, '..', '..', 'docs', 'shell.sh');

const seen: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
const server = createServer(({ method, url, headers }, answer) => {
  seen.push({ method, url, headers });
  answer.statusCode = url === '/missing' ? 404 : 200;
  answer.end('{"ok":true}');
});
let folder: string;
let url: string;

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'shell-sh-'));
  const outputs = { MarketplaceConnector: { EventBusName: 'bus', ApiUrl: url, OldApiUrl: 'http://old' } };
  await writeFile(join(folder, 'outputs.json'), JSON.stringify(outputs, null, 2));
  // The AWS CLI, as far as it is asked.
  const aws = `#!/bin/sh
case "$*" in
  'configure get region') echo eu-west-1 ;;
  'configure export-credentials --format env')
    printf 'export AWS_ACCESS_KEY_ID=key\\nexport AWS_SECRET_ACCESS_KEY=secret\\nexport AWS_SESSION_TOKEN=session\\n' ;;
  'cloudformation describe-stacks --stack-name My'*"OutputKey=='ApiUrl'"*) echo ${url} ;;
esac
`;
  await writeFile(join(folder, 'aws'), aws);
  await chmod(join(folder, 'aws'), 0o755);
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a script after `. docs/shell.sh` in bash. */
function inShell(script: string, environment: Readonly<Record<string, string>> = {}) {
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    OUTPUTS: join(folder, 'outputs.json'),
    ...environment,
  };
  return new Promise<{ code: number; stdout: string }>((done) => {
    execFile('bash', ['-c', `. ${shellSh}\n${script}`], { env, timeout: 15_000 }, (error, stdout) => {
      done({ code: Number(error?.code ?? 0), stdout });
    });
  });
}

describe('docs/shell.sh', () => {
  test('reads an output of the local run by its whole name', async () => {
    expect(await inShell('output EventBusName; echo "$api"')).toEqual({ code: 0, stdout: `bus\n${url}\n` });
  });

  test('calls the API of the local run, signed, and fails for an answer with an error, which it prints', async () => {
    const { code, stdout } = await inShell(`call "$api/batches?limit=1" -d '{"a": 1}'`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"ok":true}\n' });
    const { method, url: path, headers } = seen.at(-1) ?? expect.unreachable();
    expect([method, path]).toEqual(['POST', '/batches?limit=1']);
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=local\/\d+\/us-east-1\/execute-api\//,
    );
    expect(headers['x-amz-security-token']).toBeUndefined();
    expect(await inShell('call "$api/missing"')).toEqual({ code: 22, stdout: '{"ok":true}\n' });
  });

  test('calls the API of a deployed stack with the region and the temporary credentials of the AWS CLI', async () => {
    expect((await inShell('call "$api/stores"', { STACK: 'My' })).code).toBe(0);
    const { headers } = seen.at(-1) ?? expect.unreachable();
    expect(headers.authorization).toMatch(/Credential=key\/\d+\/eu-west-1\/execute-api\//);
    expect(headers['x-amz-security-token']).toBe('session');
  });

  test('takes a region of the environment before that of the configuration', async () => {
    await inShell('call "$api/stores"', { STACK: 'My', AWS_DEFAULT_REGION: 'eu-north-1' });
    expect(seen.at(-1)?.headers.authorization).toMatch(/Credential=key\/\d+\/eu-north-1\/execute-api\//);
  });
});
