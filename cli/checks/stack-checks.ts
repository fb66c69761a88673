import type { Context } from '../context.ts';
import { startOf } from '../invocation.ts';
import { deadLetterQueues } from '../queues/dead-letter-queues.ts';
import { counted } from '../render/words.ts';
import { outputOf, type Target } from '../target/target.ts';
import { clockFinding } from './clock.ts';
import { readConcurrency } from './concurrency.ts';
import { type Check, type Found, fault, ok, warning } from './finding.ts';
import { marketplaceFinding } from './marketplace.ts';
import { isListening, portsOf } from './ports.ts';
import { request } from './request.ts';
import { secretFinding } from './secret.ts';

export type StackContext = Pick<Context, 'api' | 'aws' | 'target'>;

/** Whether a stack can be reached and works. They leave nothing behind. */
export const STACK_CHECKS: Readonly<Record<string, Check<StackContext>>> = {
  ports: async ({ target }) => (target.isLocal ? portsFinding(target) : undefined),
  reachable: async ({ target }) => {
    const { status } = await request(outputOf(target, 'ApiUrl'));
    return ok(`the HTTP API answers at ${outputOf(target, 'ApiUrl')} (status ${status} without a signature)`);
  },
  clock: async ({ target }) => {
    const { headers } = await request(outputOf(target, 'ApiUrl'));
    return clockFinding('the HTTP API', headers.get('date'), Date.now());
  },
  credentials: async ({ api }) => {
    await api.text('GET', ['stores'], { query: { limit: 1 } });
    return ok('the HTTP API takes your credentials');
  },
  queues: async ({ aws, target }) => {
    const queues = await deadLetterQueues({ aws, target });
    const messages = queues.reduce((sum, { messages, hidden }) => sum + messages + hidden, 0);
    if (messages === 0) return ok(`no dead letters in ${counted(queues.length, 'queue')}`);
    return warning(`about ${counted(messages, 'dead letter')}`, 'See `dlq list`.');
  },
  quotas: async ({ aws, target }) => (target.isLocal ? undefined : readConcurrency({ aws })),
  secret: async ({ api }) => secretFinding(api),
  marketplace: async ({ api }) => marketplaceFinding(api),
  webhook: async ({ target }) => {
    const url = outputOf(target, 'WebhookUrl');
    const { status } = await request(url, { method: 'POST' });
    if (status === 401) return ok(`${url} answers, and refuses a webhook without a signature`);
    return fault(
      `${url} answers with status ${status} to a webhook without a signature, and must with 401`,
      'See the log of the webhook-receiver.',
    );
  },
};

async function portsFinding(target: Target): Promise<Found> {
  const ports = portsOf(target);
  const listening = await Promise.all(ports.map(isListening));
  const closed = ports.filter((_, index) => !listening[index]);
  if (closed.length === 0)
    return ok(`the local run listens on ${ports.map(({ port }) => port).join(' and ')}`);
  const named = closed.map(({ output, port }) => `${port} (${output})`).join(', ');
  return fault(`nothing listens on port ${named}`, `Start the local run with \`${startOf('local')}\`.`);
}
