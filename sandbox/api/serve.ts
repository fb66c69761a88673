import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { Batch, BatchPlan } from '../batches/batch.ts';
import { validationError } from '../errors.ts';
import type { World } from '../world.ts';
import { admit } from './admission.ts';
import type { CallContext, Endpoint } from './endpoint.ts';
import { type ApiEnv, rowsOf } from './exchange.ts';
import { faultError } from './fault-error.ts';
import { respond, withFault } from './respond.ts';

/** Serves one request: admission, fault, effect, answer. */
export async function serve(
  c: Context<ApiEnv>,
  endpoint: Endpoint,
  world: World,
  sandboxUrl: string,
): Promise<Response> {
  const { marketplace, entry, requestId, json } = c.get('exchange');
  const run = admit(c, endpoint, { now: world.clock.now(), serverNow: serverNow(c, world) });
  const fault = marketplace.faults.take(c.req.method, entry.path);
  entry.fault = fault ?? null;
  if (fault?.delayMs !== undefined) await sleep(fault.delayMs, undefined, { ref: false });
  const wasReset = marketplace !== world.marketplace;
  if (fault?.drop === 'before' || wasReset) return cut(c);
  const injected = fault && faultError(fault, endpoint);
  if (injected) throw injected;
  checkItemCount(json, marketplace.limits.maxItems);
  const batches: Batch[] = [];
  const input = { body: json, query: c.req.query() };
  const answer = await run(contextOf(c, world, sandboxUrl), input, (plan, store) => {
    const taken = fault?.ignored ? withoutEffect(plan) : plan;
    const batch = world.submit(taken, store, requestId, fault?.webhook);
    batches.push(batch);
    return batch;
  });
  if (fault?.webhook === 'early') await Promise.all(batches.map((batch) => world.finishEarly(batch)));
  if (fault?.drop === 'after') return cut(c);
  const response = respond(c, answer, momentOf(c, world));
  return fault === undefined ? response : withFault(c, response, fault);
}

/** The time and duration in an answer's envelope. */
export function momentOf(c: Context<ApiEnv>, world: World) {
  const { startedAt } = c.get('exchange');
  return { serverNow: serverNow(c, world), durationMs: Math.max(0, world.clock.now() - startedAt) };
}

function contextOf(c: Context<ApiEnv>, world: World, sandboxUrl: string): CallContext {
  const { marketplace, requestId } = c.get('exchange');
  return {
    marketplace,
    requestId,
    sandboxUrl,
    newId: world.newId,
    now: world.clock.now(),
    serverNow: serverNow(c, world),
    params: c.req.param(),
  };
}

function serverNow(c: Context<ApiEnv>, world: World): number {
  return world.clock.now() + c.get('exchange').marketplace.clockOffsetMs;
}

function checkItemCount(json: unknown, maxItems: number | undefined): void {
  const found = rowsOf(json);
  if (found === undefined || maxItems === undefined || found.rows.length <= maxItems) return;
  throw validationError({ [found.name]: `must have at most ${maxItems} entries` });
}

/** The plan whose rows are accepted and do nothing. */
function withoutEffect({ pending, ...plan }: BatchPlan): BatchPlan {
  return { ...plan, pending: pending.map(({ accepted }) => ({ accepted, apply: () => ({ accepted }) })) };
}

/** Cuts the connection instead of answering. */
function cut(c: Context<ApiEnv>): Response {
  c.env.incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}
