import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import { storeViewSchema } from '../../shared/stores/model.ts';
import type { ApiClient } from '../clients/api-client.ts';
import { allPages } from '../clients/pages.ts';
import type { Context } from '../context.ts';
import { ApiError, explain } from '../errors.ts';
import { deadLetterQueues } from '../queues/dead-letter-queues.ts';
import { counted, duration } from '../render/words.ts';
import { outputOf, type Target } from '../target/target.ts';
import { isListening, portsOf } from './ports.ts';

/** What a check found. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'fault';
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

type Found = Omit<Finding, 'check'>;
type CheckContext = Pick<Context, 'api' | 'aws' | 'target'>;

const TIMEOUT_MS = 10_000;
/** AWS refuses signatures beyond 5 minutes. */
const MAX_CLOCK_ERROR_MS = 300_000;
const TOLERATED_CLOCK_ERROR_MS = 30_000;
/** As docs/deploy.md asks for. New accounts may have 10. */
const ENOUGH_CONCURRENCY = 50;

const ok = (message: string): Found => ({ state: 'ok', message });
const fault = (message: string, hint: string): Found => ({ state: 'fault', message, hint });

/** The checks in their order. `undefined`: not for this stack. */
const CHECKS: Readonly<Record<string, (context: CheckContext) => Promise<Found | undefined>>> = {
  ports: async ({ target }) => (target.isLocal ? portsFinding(target) : undefined),
  reachable: async ({ target }) => {
    const { status } = await request(outputOf(target, 'ApiUrl'), 'GET');
    return ok(`the HTTP API answers at ${outputOf(target, 'ApiUrl')} (status ${status} without a signature)`);
  },
  clock: async ({ target }) => {
    const { headers } = await request(outputOf(target, 'ApiUrl'), 'GET');
    return clockFinding(headers.get('date'), Date.now());
  },
  credentials: async ({ api }) => {
    await api.text('GET', ['stores'], { query: { limit: 1 } });
    return ok('the HTTP API takes your credentials');
  },
  queues: async ({ aws, target }) => {
    const queues = await deadLetterQueues({ aws, target });
    const messages = queues.reduce((sum, queue) => sum + queue.messages, 0);
    if (messages === 0) return ok(`no dead letters in ${counted(queues.length, 'queue')}`);
    return {
      state: 'warning',
      message: `about ${counted(messages, 'dead letter')}`,
      hint: 'See `dlq list`.',
    };
  },
  quotas: async ({ aws, target }) => (target.isLocal ? undefined : quotasFinding({ aws })),
  marketplace: async ({ api }) => marketplaceFinding(api),
  webhook: async ({ target }) => {
    const url = outputOf(target, 'WebhookUrl');
    const { status } = await request(url, 'POST');
    if (status === 401) return ok(`${url} answers, and refuses a webhook without a signature`);
    return fault(
      `${url} answers with status ${status} to a webhook without a signature, and must with 401`,
      'See the log of the webhook-receiver.',
    );
  },
};

/** The difference between the clocks of this machine and of the API. */
export function clockFinding(date: string | null, now: number): Found {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return { state: 'warning', message: 'the HTTP API does not say its time' };
  const error = Math.abs(now - theirs);
  const message = `the clock of this machine is ${duration(error)} ${now < theirs ? 'behind' : 'ahead'}`;
  const hint = 'Synchronize the clock: AWS refuses signatures more than 5 minutes off.';
  if (error >= MAX_CLOCK_ERROR_MS) return fault(message, hint);
  return error > TOLERATED_CLOCK_ERROR_MS ? { state: 'warning', message, hint } : ok('the clock is right');
}

async function portsFinding(target: Target): Promise<Found> {
  const ports = portsOf(target);
  const listening = await Promise.all(ports.map(isListening));
  const closed = ports.filter((_, index) => !listening[index]);
  if (closed.length === 0)
    return ok(`the local run listens on ${ports.map(({ port }) => port).join(' and ')}`);
  const named = closed.map(({ output, port }) => `${port} (${output})`).join(', ');
  return fault(`nothing listens on port ${named}`, 'Start the local run with `npm start`.');
}

/** How many functions the account may run at a time. */
async function quotasFinding({ aws }: Pick<Context, 'aws'>): Promise<Found> {
  try {
    const { AccountLimit } = await aws.functions.send(new GetAccountSettingsCommand({}));
    return concurrencyFinding(AccountLimit?.UnreservedConcurrentExecutions);
  } catch (error) {
    const { code, message } = explain(error);
    return {
      state: 'warning',
      message: `the quotas of Lambda cannot be read: ${code}: ${message}`,
      hint: 'The caller needs lambda:GetAccountSettings.',
    };
  }
}

/** @param unreserved functions that may run at a time in the account, without those reserved for some */
export function concurrencyFinding(unreserved: number | undefined): Found {
  if (unreserved === undefined) return { state: 'warning', message: 'Lambda does not say its quotas' };
  const message = `Lambda runs ${unreserved} functions of this account at a time`;
  if (unreserved >= ENOUGH_CONCURRENCY) return ok(message);
  return {
    state: 'warning',
    message: `${message}: ${ENOUGH_CONCURRENCY} are enough for the stack`,
    hint: 'Ask for a higher quota "Concurrent executions" of AWS Lambda: until then functions are throttled under load.',
  };
}

/** Calls the marketplace by the stack: with the credentials of a connected store, as the search for brands takes none. */
export async function marketplaceFinding(api: ApiClient): Promise<Found> {
  const stores = await allPages(api, ['stores'], { stores: storeViewSchema });
  const store = stores.find(({ state }) => state === 'connected');
  try {
    if (store === undefined) await api.text('GET', ['brands'], { query: { limit: 1 } });
    else await api.text('GET', ['stores', store.storeClientId, 'warehouses']);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return failedCall(error);
  }
  if (store !== undefined) return ok("the marketplace takes the partner's client ID and secret key");
  return {
    state: 'warning',
    message: "the marketplace answers; the partner's credentials are only tried with a connected store",
    hint: 'Connect one: `stores connect`.',
  };
}

function failedCall({ code, message }: ApiError): Found {
  if (/^(AUTH_01[01]|SECRET_)/.test(code))
    return fault(
      `the marketplace refuses the partner's credentials: ${code}: ${message}`,
      'Put the right secret key into the secret of the output PartnerSecretArn.',
    );
  if (code === 'STORE_NOT_CONNECTED') return fault(message, 'See `status`.');
  if (code === 'INTERNAL')
    return fault(`the stack failed: ${message}`, 'The log of the operations-api says more.');
  return fault(
    `the marketplace cannot be called: ${code}: ${message}`,
    'Is the base URL of the marketplace right, and does it answer?',
  );
}

async function request(url: string, method: string): Promise<Response> {
  return fetch(url, { method, signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** Without these, the others fail for the same reason. */
const NEEDED_BY_OTHERS: readonly string[] = ['ports', 'reachable'];

/** Runs the checks, one after the other. A check that throws is a fault. A stack that cannot be reached ends them. */
export async function runChecks(context: CheckContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [check, run] of Object.entries(CHECKS)) {
    const found = await run(context).catch((error: unknown): Found => {
      const { code, message, hint } = explain(error);
      return { state: 'fault', message: `${code}: ${message}`, ...(hint !== undefined && { hint }) };
    });
    if (found !== undefined) findings.push({ check, ...found });
    if (found?.state === 'fault' && NEEDED_BY_OTHERS.includes(check)) break;
  }
  return findings;
}
