import { ListSubscriptionsByTopicCommand, type Subscription } from '@aws-sdk/client-sns';
import * as z from 'zod';
import { parseJson } from '../../shared/collections/parse-json.ts';
import type { SignedSelfTest } from '../../shared/marketplace/webhooks/self-test.ts';
import { explain } from '../errors.ts';
import { readTrace } from '../events/find-traces.ts';
import { putEvent } from '../events/put-event.ts';
import { counted } from '../render/words.ts';
import { outputOf, type Target } from '../target/target.ts';
import { isTimeOut, poll } from '../wait.ts';
import { type Check, type Found, fault, ok, warning } from './finding.ts';
import { request } from './request.ts';
import { signedSelfTest } from './secret.ts';
import { STACK_CHECKS, type StackContext } from './stack-checks.ts';

/** A store that does not exist: its event ends as a rejection, which shows that the event came to the intake. */
const NO_STORE = 'connector-verify';
const EVENT_WITHIN_MS = 60_000;

/** Whether a stack that was just deployed does its work, from end to end. */
export const VERIFY_CHECKS: Readonly<Record<string, Check<StackContext>>> = {
  ...STACK_CHECKS,
  'signed webhook': async ({ api, target }) =>
    sendSelfTest(outputOf(target, 'WebhookUrl'), await signedSelfTest(api)),
  event: followEvent,
  alarms: async (context) => (context.target.isLocal ? undefined : alarmsFinding(context)),
};

const droppedSchema = z.object({ selfTest: z.string() });

async function sendSelfTest(url: string, { id, headers, body }: SignedSelfTest): Promise<Found> {
  const answer = await request(url, { method: 'POST', headers, body });
  const text = await answer.text();
  if (droppedSchema.safeParse(parseJson(text)).data?.selfTest === id)
    return ok(`${url} took a signed webhook, and dropped it as a self-test`);
  return fault(
    `${url} answers with status ${answer.status} to a signed self-test: ${text.slice(0, 200)}`,
    'Does it lead to this stack, and does what is before it pass headers and body unchanged? The log of the webhook-receiver says more.',
  );
}

/** Follows an event through bus, queue and intake to its rejection. */
async function followEvent({ aws, api, target }: StackContext): Promise<Found> {
  const detail = { storeClientId: NO_STORE, items: [{ sku: NO_STORE, stock: 0 }] };
  const eventId = await putEvent({ aws, target }, 'stock.changed', detail);
  const came = await poll(() => readTrace(api, { eventId }), {
    withinMs: EVENT_WITHIN_MS,
    what: `event ${eventId}`,
  }).catch((error: unknown) => {
    if (!isTimeOut(error)) throw error;
  });
  if (came !== undefined)
    return ok(`event ${eventId} went through bus and queue, and was rejected: there is no store ${NO_STORE}`);
  return fault(
    `event ${eventId} did not come out of bus and queue within ${EVENT_WITHIN_MS / 1000} s`,
    'See `status`, `dlq list`, and the log of the change-intake.',
  );
}

/** Whether a person reads what alarms send. */
async function alarmsFinding({ aws, target }: Pick<StackContext, 'aws' | 'target'>): Promise<Found> {
  const topics = topicsOf(target);
  if (topics.length === 0)
    return warning(
      'alarms notify no one',
      'Set `alarmEmail` or `alarmTopicArn`, and deploy. An app of your own needs a CfnOutput of its topic.',
    );
  try {
    const lists = await Promise.all(
      topics.map((TopicArn) => aws.topics.send(new ListSubscriptionsByTopicCommand({ TopicArn }))),
    );
    return subscriptionsFinding(lists.flatMap(({ Subscriptions = [] }) => Subscriptions));
  } catch (error) {
    const { code, message } = explain(error);
    return warning(
      `the subscriptions of the alarms' topic cannot be read: ${code}: ${message}`,
      'The caller needs sns:ListSubscriptionsByTopic.',
    );
  }
}

function topicsOf({ outputs }: Target): string[] {
  return Object.values(outputs).filter((value) => /^arn:[\w-]+:sns:/.test(value));
}

/** @param subscriptions as SNS lists them: of one that is not confirmed, the ARN is `PendingConfirmation` */
export function subscriptionsFinding(
  subscriptions: readonly Pick<Subscription, 'SubscriptionArn' | 'Endpoint'>[],
): Found {
  const waiting = subscriptions.filter(({ SubscriptionArn }) => SubscriptionArn === 'PendingConfirmation');
  if (waiting.length > 0)
    return warning(
      `not confirmed: ${waiting.map(({ Endpoint }) => Endpoint).join(', ')}`,
      'Open the link in the e-mail that AWS has sent there.',
    );
  if (subscriptions.length === 0)
    return warning("no one has subscribed to the alarms' topic", 'Subscribe to it: `aws sns subscribe`.');
  return ok(`alarms reach ${counted(subscriptions.length, 'subscriber')}`);
}
