import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assertPortsFree } from '../../../local/run/ports.ts';

let server: Server;
let taken: number;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  taken = (server.address() as AddressInfo).port;
});

afterEach(() => {
  server.close();
});

test('a taken port is named with its variable', async () => {
  await expect(assertPortsFree([{ variable: 'LOCAL_API_PORT', port: taken }])).rejects.toThrow(
    `port ${taken} is in use by another program: end that one, or set LOCAL_API_PORT to a free port`,
  );
});

test('every port at fault has a line of its own', async () => {
  const both = [
    { variable: 'LOCAL_AWS_PORT', port: taken },
    { variable: 'SANDBOX_PORT', port: taken },
  ];
  const error = await assertPortsFree(both).catch((reason: Error) => reason);
  const [first, second] = String(error?.message).split('\n');
  expect(first).toContain('LOCAL_AWS_PORT');
  expect(second).toBe(`port ${taken} is also the port of LOCAL_AWS_PORT: set SANDBOX_PORT to another one`);
});

test('free ports pass and stay free', async () => {
  server.close();
  await once(server, 'close');
  const wanted = [{ variable: 'LOCAL_AWS_PORT', port: taken }];
  await expect(assertPortsFree(wanted)).resolves.toBeUndefined();
  await expect(assertPortsFree(wanted)).resolves.toBeUndefined();
  const any = [
    { variable: 'LOCAL_AWS_PORT', port: 0 },
    { variable: 'LOCAL_API_PORT', port: 0 },
  ];
  await expect(assertPortsFree(any)).resolves.toBeUndefined();
});
