import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { createApp } from './app.ts';
import type { ConsoleOptions } from './console-options.ts';
import { createBusStream } from './data/bus-stream.ts';
import { readFlow } from './data/read-flow.ts';
import { readHours } from './data/read-hours.ts';
import { createStateReader } from './data/read-state.ts';
import { sharedRead } from './data/shared-read.ts';
import { dataRoutes } from './routes.ts';
import { createSession } from './security/session.ts';

export interface RunningConsole extends AsyncDisposable {
  /** The address that opens it once. */
  readonly url: string;
  /** Where it listens, without the token. */
  readonly origin: string;
}

const HOST = '127.0.0.1';
/** What is shown by the hour needs no read at each refresh. */
const HOURS_MAX_AGE_MS = 60_000;

/**
 * Serves the console on this machine only, until it is disposed.
 *
 * @param options.port default any free one
 * @throws Error if the port is taken
 */
export async function startConsole({
  port = 0,
  ...options
}: ConsoleOptions & { port?: number }): Promise<RunningConsole> {
  const session = createSession();
  const bus = createBusStream(options);
  const { read, refreshMs } = createStateReader(options);
  // A page asks every `refreshMs`: what it gets is younger than that.
  const sharing = { maxAgeMs: refreshMs / 2 };
  const state = sharedRead(read, sharing);
  const flow = sharedRead(() => readFlow(options.api), sharing);
  const hours = sharedRead(() => readHours(options.api, Date.now()), { maxAgeMs: HOURS_MAX_AGE_MS });
  let address = '';
  const app = createApp({
    session,
    canWrite: options.canWrite,
    address: () => address,
    routes: dataRoutes(options, { state, flow, hours, bus }),
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(port, HOST);
  await once(server, 'listening');
  address = `${HOST}:${(server.address() as AddressInfo).port}`;
  const origin = `http://${address}`;
  return {
    origin,
    url: `${origin}/open?token=${session.token}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
      await bus[Symbol.asyncDispose]();
    },
  };
}
