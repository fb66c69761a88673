import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { refusalOf } from '../loopback/refusal.ts';
import { apiApp } from './api/app.ts';
import type { ApiEnv } from './api/exchange.ts';
import { errorEnvelope } from './api/respond.ts';
import { type Clock, systemClock } from './clock.ts';
import { controlApp } from './controls/app.ts';
import { ApiError } from './errors.ts';
import { openApiDocument } from './openapi/document.ts';
import { World } from './world.ts';

/** Longer than clients keep idle connections, so that clients never send on a connection that the server is closing. */
const KEEP_ALIVE_MS = 60_000;

export interface SandboxOptions {
  /** Default 0: any free port. */
  port?: number;
  host?: '127.0.0.1';
  /** Makes the sandbox's identifiers the same in every run; random by default. */
  seed?: number;
  /** Clock for checks, histories and answers; default: the system's. Delays are always in real time. */
  clock?: Clock;
  /** Time from a batch's acceptance to its application; default 20 ms. */
  applyDelayMs?: number;
  /** Wait before a summary's second delivery attempt, doubling with each further one; default 100 ms. */
  webhookRetryDelayMs?: number;
  /** Delay of a summary that a fault delays or reorders; default 2,000 ms. */
  webhookDisturbanceDelayMs?: number;
}

export interface Sandbox {
  /** Base URL; the API's paths are below `/api/v1`. */
  url: string;
  port: number;
  /** Resolves when every accepted batch is applied, and the delivery of its summary has ended. */
  idle(): Promise<void>;
  /** Cuts all connections and drops waiting batches and deliveries. */
  close(): Promise<void>;
}

/** Starts the sandbox marketplace: an in-memory server of the whole API, with its controls. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const world = new World({
    clock: options.clock ?? systemClock,
    seed: options.seed,
    applyDelayMs: options.applyDelayMs ?? 20,
    webhookRetryDelayMs: options.webhookRetryDelayMs ?? 100,
    webhookDisturbanceDelayMs: options.webhookDisturbanceDelayMs ?? 2_000,
  });
  const host = options.host ?? '127.0.0.1';
  let url = '';
  const app = sandboxApp(world, () => url);
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  url = `http://${host}:${port}`;
  return {
    url,
    port,
    idle: () => world.idle(),
    close: async () => {
      world.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** API and controls are separate apps, as each answers unknown paths in its own way. */
function sandboxApp(world: World, sandboxUrl: () => string): Hono<ApiEnv> {
  const api = apiApp(world, sandboxUrl);
  const controls = controlApp({ world, sandboxUrl });
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    // The controls are unsigned.
    const rules = { onlyJson: c.req.path.startsWith('/sandbox/') };
    const refusal = refusalOf({ method: c.req.method, headers: c.req.header() }, rules);
    if (refusal === undefined) return next();
    const { status, ...error } = refusal;
    return c.json({ error }, status);
  });
  app.all('/api/v1/*', (c) => api.fetch(c.req.raw, c.env));
  app.all('/sandbox/*', (c) => controls.fetch(c.req.raw, c.env));
  app.get('/openapi.json', (c) => c.json(openApiDocument()));
  app.get('/', (c) => c.redirect('/sandbox'));
  app.notFound((c) => {
    const serverNow = world.clock.now() + world.marketplace.clockOffsetMs;
    const unprefixed = c.req.path.startsWith('/partner/');
    const error = new ApiError(
      'NOT_FOUND',
      unprefixed ? { hint: 'Every path of the API is below /api/v1.' } : {},
    );
    return c.json(errorEnvelope(error, world.newId(), { serverNow }), 404);
  });
  return app;
}
