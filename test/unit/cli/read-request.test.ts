import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProgram } from '../../../cli/program.ts';
import { readRequest } from '../../../cli/webhooks/read-request.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-'));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** A webhook that was signed with `secret` long ago, as received. */
function received(secret: string): string {
  const body = '{"batchId":"ä"}';
  const hash = createHash('sha256').update(body).digest('hex');
  const headers = ['x-partner-client-id:p', 'x-timestamp:1700000000000'];
  const signature = createHmac('sha256', secret)
    .update(['POST', '/webhooks/marketplace', ...headers, hash].join('\n'))
    .digest('hex');
  const lines = ['POST /webhooks/marketplace HTTP/1.1', ...headers, `X-Signature: sha256=${signature}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

async function verify(content: string, secret: string, ...options: string[]): Promise<string> {
  const [file, secretFile] = [join(folder, 'webhook.http'), join(folder, 'secret.txt')];
  await writeFile(file, content);
  await writeFile(secretFile, `${secret}\n`);
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const args = ['webhooks', 'verify', file, '--secret-file', secretFile, ...options];
  await createProgram().parseAsync(args, { from: 'user' });
  return String(write.mock.calls.at(-1)?.[0]);
}

test('a webhook that was signed with the secret is valid, its body byte for byte', async () => {
  expect(await verify(received('right'), 'right', '--any-age')).toBe('valid (marketplace-hmac)\n');
});

test('a webhook is refused with the reason: another secret, or too old', async () => {
  await expect(verify(received('right'), 'wrong', '--any-age')).rejects.toMatchObject({
    code: 'SIGNATURE_WRONG',
    exitCode: 1,
  });
  await expect(verify(received('right'), 'right')).rejects.toMatchObject({
    code: 'TIMESTAMP_OUTSIDE_WINDOW',
  });
});

test('a line break that an editor added behind the body is none of its bytes, if the request says its length', () => {
  const request = (length: number) => `POST /path HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n{"a":1}\r\n`;
  const bodyOf = (length: number) =>
    Buffer.from(readRequest(Buffer.from(request(length))).rawBody).toString();
  expect(bodyOf(7)).toBe('{"a":1}');
  expect(bodyOf(9)).toBe('{"a":1}\r\n');
  expect(bodyOf(3)).toBe('{"a":1}\r\n');
});

test.each([
  ['no empty line', 'POST /path HTTP/1.1\nx: y', 'no empty line'],
  ['no request line', '{"batchId": "b"}\n\n', 'must begin with a request line'],
])('a file with %s is refused', (_, content, message) => {
  expect(() => readRequest(Buffer.from(content))).toThrow(message);
});
