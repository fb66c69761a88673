import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { ApiError, validationError } from '../errors.ts';
import { ENDPOINTS } from '../resources/index.ts';
import { signedHeadersOf } from '../signing.ts';
import type { Fault } from '../state/faults.ts';
import type { World } from '../world.ts';
import type { Answer } from './answers.ts';
import { authenticatePartner, authenticateStore } from './authentication.ts';
import type { CallContext, Endpoint, Input } from './endpoint.ts';
import { type ApiEnv, recordExchange, rowsOf } from './exchange.ts';
import { faultError } from './fault-error.ts';
import { malformed, respond, respondError } from './respond.ts';

type ApiContext = Context<ApiEnv>;

/** The API of the spec, below `/api/v1`. `sandboxUrl` is known only once the server listens. */
export function apiApp(world: World, sandboxUrl: () => string): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>().basePath('/api/v1');
  app.use(
    recordExchange({
      clock: world.clock,
      newId: () => world.newId(),
      marketplace: () => world.marketplace,
    }),
  );
  for (const endpoint of ENDPOINTS) {
    app.on(endpoint.method, routeOf(endpoint), (c) => serve(c, endpoint, world, sandboxUrl()));
  }
  for (const endpoint of ENDPOINTS) {
    app.all(routeOf(endpoint), () => {
      throw new ApiError('METHOD_NOT_ALLOWED');
    });
  }
  app.notFound((c) => respondError(c, new ApiError('NOT_FOUND'), momentOf(c, world)));
  app.onError((error, c) => respondError(c, asApiError(error), momentOf(c, world)));
  return app;
}

function routeOf(endpoint: Endpoint): string {
  return endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
}

async function serve(c: ApiContext, endpoint: Endpoint, world: World, sandboxUrl: string): Promise<Response> {
  const exchange = c.get('exchange');
  const call = authorize(c, endpoint, world);
  const fault = exchange.marketplace.faults.take(c.req.method, exchange.entry.path);
  if (fault?.delayMs !== undefined) await sleep(fault.delayMs);
  if (fault?.drop === 'before') return cut(c);
  const injected = fault && faultError(fault, endpoint);
  if (injected) throw injected;
  checkItemCount(exchange.json, exchange.marketplace.limits.maxItems);
  const context: CallContext = {
    marketplace: exchange.marketplace,
    requestId: exchange.requestId,
    sandboxUrl,
    newId: world.newId,
    now: world.clock.now(),
    serverNow: serverNow(c, world),
    params: c.req.param(),
  };
  const answer = await call(context, { body: exchange.json, query: c.req.query() }, fault);
  if (fault?.drop === 'after') return cut(c);
  const response = respond(c, answer, momentOf(c, world));
  return fault?.malformed ? malformed(response) : response;
}

type AuthorizedCall = (context: CallContext, input: Input, fault: Fault | undefined) => Promise<Answer>;

/** Lets the caller through as far as the endpoint demands, within the partner's rate. */
function authorize(c: ApiContext, endpoint: Endpoint, world: World): AuthorizedCall {
  if (endpoint.scope === 'open') return async (context, input) => endpoint.run(context, input);
  const { marketplace, entry, body, requestId } = c.get('exchange');
  const headers = signedHeadersOf((name) => c.req.header(name));
  const partner = authenticatePartner({
    marketplace,
    request: { method: c.req.method, path: c.env.incoming.url ?? '', headers, body },
    signature: c.req.header('x-signature'),
    now: serverNow(c, world),
    onBadSignature: (trace) => marketplace.requests.trace(entry, trace),
  });
  const store = endpoint.scope === 'store' ? authenticateStore(marketplace, partner, headers) : undefined;
  if (!marketplace.limits.admit(partner.clientId, world.clock.now())) {
    throw new ApiError('RATE_LIMITED', { headers: { 'retry-after': '1' } });
  }
  if (endpoint.scope === 'partner' || store === undefined) {
    const run = endpoint.run as Extract<Endpoint, { scope: 'partner' }>['run'];
    return async (context, input) => run({ ...context, partner }, input);
  }
  return async (context, input, fault) => {
    const submitted: Parameters<World['finishEarly']>[0][] = [];
    const answer = await endpoint.run(
      {
        ...context,
        partner,
        store,
        submit: (plan) => {
          const batch = world.submit(plan, store, requestId, fault?.webhook);
          submitted.push(batch);
          return batch;
        },
      },
      input,
    );
    if (fault?.webhook === 'early') for (const batch of submitted) await world.finishEarly(batch);
    return answer;
  };
}

function checkItemCount(json: unknown, maxItems: number | undefined): void {
  const found = rowsOf(json);
  if (found === undefined || maxItems === undefined || found.rows.length <= maxItems) return;
  throw validationError({ [found.name]: `must have at most ${maxItems} entries` });
}

/** Cuts the connection instead of answering. */
function cut(c: ApiContext): Response {
  c.env.incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}

function serverNow(c: ApiContext, world: World): number {
  return world.clock.now() + c.get('exchange').marketplace.clockOffsetMs;
}

function momentOf(c: ApiContext, world: World) {
  const { startedAt } = c.get('exchange');
  return { serverNow: serverNow(c, world), durationMs: Math.max(0, world.clock.now() - startedAt) };
}

function asApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error;
  console.error(error);
  return new ApiError('INTERNAL_ERROR');
}
