import type { Context } from 'hono';
import type { Batch, BatchPlan } from '../batches/batch.ts';
import { ApiError } from '../errors.ts';
import { signedHeadersOf } from '../signing.ts';
import type { Partner, Store } from '../state/store.ts';
import type { Answer } from './answers.ts';
import { authenticatePartner, authenticateStore } from './authentication.ts';
import type { CallContext, Endpoint, Input } from './endpoint.ts';
import type { ApiEnv } from './exchange.ts';

/** Runs an endpoint for an admitted caller. */
export type AdmittedCall = (
  context: CallContext,
  input: Input,
  submit: (plan: BatchPlan, store: Store) => Batch,
) => Answer | Promise<Answer>;

/** Epoch ms: `now` is real time, `serverNow` the server's clock. */
interface Moment {
  now: number;
  serverNow: number;
}

/**
 * Checks a request's credentials, as the endpoint's scope demands, and the partner's rate.
 * @throws ApiError AUTH_003, AUTH_010, AUTH_011, AUTH_014, RATE_LIMITED
 */
export function admit(c: Context<ApiEnv>, endpoint: Endpoint, { now, serverNow }: Moment): AdmittedCall {
  if (endpoint.scope === 'open') return endpoint.run;
  const { marketplace, entry, body } = c.get('exchange');
  const headers = signedHeadersOf((name) => c.req.header(name));
  const partner = authenticatePartner({
    marketplace,
    request: { method: c.req.method, path: c.env.incoming.url ?? '', headers, body },
    signature: c.req.header('x-signature'),
    now: serverNow,
    onRefusal: (explanation) => marketplace.requests.explain(entry, explanation),
  });
  const withinRate = () => checkRate(c, partner, now);
  if (endpoint.scope === 'partner') {
    withinRate();
    return (context, input) => endpoint.run({ ...context, partner }, input);
  }
  const store = authenticateStore(marketplace, partner, headers);
  withinRate();
  return (context, input, submit) =>
    endpoint.run({ ...context, partner, store, submit: (plan) => submit(plan, store) }, input);
}

function checkRate(c: Context<ApiEnv>, partner: Partner, now: number): void {
  if (c.get('exchange').marketplace.limits.admit(partner.clientId, now)) return;
  throw new ApiError('RATE_LIMITED', { headers: { 'retry-after': '1' } });
}
