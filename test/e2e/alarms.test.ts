import {
  GetQueueAttributesCommand,
  ListQueuesCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { planKey } from '../../shared/requests/model.ts';
import { type AlarmStates, alarmStates } from './support/alarm-states.ts';
import { type Runbook, readRunbook } from './support/runbook.ts';
import { impatientTemplate, lineOf, runbookWorld } from './support/runbook-world.ts';
import { getItem, setAttribute } from './support/set-attribute.ts';
import { postSummary } from './support/signed-summary.ts';

/** Each group is a section of the runbook: from the alarm's condition, by what the section says to do, to its end. */

const PARTNER_KEY = 'sandbox-partner-secret';
const STORE = 'store-0wh';
const HOUR_MS = 3_600_000;
/** Small, so that a test can use it up. */
const allowed = { requestsPerSecond: 2, requestsInFlight: 4 };

let run: ConnectorRun;
let world: ReturnType<typeof runbookWorld>;
let runbook: Runbook;
let alarms: AlarmStates;
let queues: SQSClient;
/** What the local AWS itself says. */
const said: string[] = [];

beforeAll(async () => {
  const template = await impatientTemplate(allowed);
  alarms = alarmStates(template);
  run = await startQuickRun({
    template,
    schedules: 'manual',
    log: (line) => {
      alarms.log(line);
      if (line.source === 'local') said.push(line.message);
    },
  });
  world = runbookWorld(run);
  runbook = await readRunbook(run.local);
  const { endpoint, region, adminCredentials: credentials } = run.local;
  queues = new SQSClient({ endpoint, region, credentials });
  await world.importCatalog(STORE, lineOf(1));
});

afterAll(async () => {
  queues?.destroy();
  await run?.[Symbol.asyncDispose]();
});

/** The URL of the queue whose name has this part. */
async function queueUrl(part: string): Promise<string> {
  const { QueueUrls = [] } = await queues.send(new ListQueuesCommand({}));
  return QueueUrls.find((url) => url.includes(part)) ?? expect.unreachable(`no queue ${part}`);
}

const logOf = (functionName: string) =>
  run.local.functions
    .logs(functionName)
    .map(({ message }) => message)
    .join('\n');

/** Makes the store's waiting change as old as this; false if it was sent in between. */
async function hasWaitedSince(value: number): Promise<boolean> {
  const key = { storeClientId: STORE, target: `sku:${skuOf(1)}` };
  const listing = await getItem(run, { table: 'Listings', key });
  if (listing?.page === undefined) return false;
  const page = { storeClientId: STORE, page: String(listing.page) };
  // A try in between moves the listing to another page.
  return setAttribute(run, { table: 'Waiting', key: page, name: 'since', value }).then(
    () => true,
    () => false,
  );
}

/** Runs the lane-waker, and says whether what it measured raises an alarm. */
async function wakerRaises(alarm: string): Promise<boolean> {
  alarms.nextPeriod();
  await run.local.triggerSchedule('LaneWaker');
  return alarms.isRaised(alarm);
}

describe('WebhooksRefused', () => {
  const summary = { batchId: 'none', storeClientId: STORE };

  test('is raised by a wrong signature and not by a missing one, and ends with the secret that the runbook puts', async () => {
    const unsigned = await fetch(run.local.outputs.WebhookUrl ?? '', { method: 'POST', body: '{}' });
    expect(unsigned.status).toBe(401);
    expect(await postSummary(run.local, { ...summary, secret: 'new' })).toBe(401);
    expect(alarms.isRaised('WebhooksRefused')).toBe(true);
    expect(logOf('WebhookReceiver')).toContain('WEBHOOK_REFUSED');

    const SECRET_ARN = run.local.outputs.PartnerSecretArn ?? '';
    const variables = { SECRET_ARN, PARTNER_KEY, OLD_SECRET: 'old', NEW_SECRET: 'new' };
    const put = 'aws secretsmanager put-secret-value --secret-id "$SECRET_ARN" --secret-string';
    const secrets =
      '"{\\"partnerSecretKey\\": \\"$PARTNER_KEY\\", \\"webhookSecrets\\": [\\"$NEW_SECRET\\", ';
    await runbook.run('Rotate a webhook secret', `${put} ${secrets}`, variables);
    run.local.functions.kill('WebhookReceiver');
    alarms.nextPeriod();
    expect(await postSummary(run.local, { ...summary, secret: 'new' })).toBe(202);
    expect(alarms.isRaised('WebhooksRefused')).toBe(false);
  });
});

describe('RequestsAbandoned', () => {
  test('is raised when a function was killed while it sent a decision, and ends once the order is settled', async () => {
    const orderId = await pendingOrder();
    await world.controls.addFault({ path: '/partner/stores/orders/decisions', fault: { delayMs: 5_000 } });
    const command = { storeClientId: STORE, detailType: 'order.decision.requested', commandId: 'abandoned' };
    await run.partner.putEvents([
      { detailType: command.detailType, detail: decision(orderId, command.commandId) },
    ]);
    await until('the request', async () => {
      const { requests } = await world.controls.requests();
      return requests.some(({ path }) => path.endsWith('/orders/decisions'));
    });
    run.local.functions.kill('OrderProducer');
    // As if hours had passed.
    const value = new Date(Date.now() - 2 * HOUR_MS).toISOString();
    const plan = await getItem(run, { table: 'Requests', key: { recordId: `plan#${planKey(command)}` } });
    const [recordId = ''] = (plan?.recordIds ?? []) as string[];
    await setAttribute(run, { table: 'Requests', key: { recordId }, name: 'touchedAt', value });
    await setAttribute(run, {
      table: 'Stores',
      key: { storeClientId: STORE },
      name: 'updatedAt',
      value,
    });
    alarms.nextPeriod();
    await run.local.triggerSchedule('BatchSweeper');
    expect(alarms.isRaised('RequestsAbandoned')).toBe(true);

    await world.waitsFor('order-unknown', STORE);
    await until('the decision', () => isDecided(orderId));
    const resolve = 'call "$api/stores/$STORE/orders/resolve"';
    await runbook.run('Settle an order of unknown outcome', resolve, { STORE, ORDER: orderId });
    await world.isOver('order-unknown');
    alarms.nextPeriod();
    await run.local.triggerSchedule('BatchSweeper');
    expect(alarms.isRaised('RequestsAbandoned')).toBe(false);
  });
});

describe('OldestChangeAge', () => {
  test('is raised by a change that the marketplace keeps refusing, and ends once the change is taken', async () => {
    const refusal = { status: 404, code: 'NOT_FOUND' };
    await world.controls.addFault({ path: '/partner/stores/inventory', times: 1_000, fault: refusal });
    await world.sendStock(STORE, 31);
    await until('the refusal', async () => {
      const { requests } = await world.controls.requests();
      return requests.some(({ path, errorCode }) => path.endsWith('/inventory') && errorCode !== null);
    });
    const value = Date.now() - HOUR_MS;
    await until(
      'the alarm on a change that has waited for an hour',
      async () => (await hasWaitedSince(value)) && wakerRaises('OldestChangeAge'),
      { everyMs: 500 },
    );
    expect(logOf('ListingProducer')).toContain(refusal.code);

    await world.controls.clearFaults();
    await world.stockArrives(STORE, 31);
    await until('the end of the alarm', async () => !(await wakerRaises('OldestChangeAge')), {
      everyMs: 500,
    });
  });
});

describe('DoesNotSend', () => {
  test('is raised while the marketplace fails, and ends when it answers again', async () => {
    const fault = { status: 503, code: 'SYS_DEP_503' };
    await world.controls.addFault({ path: '*', times: 1_000, fault });
    await world.sendStock(STORE, 51);
    await until('the alarm', () => wakerRaises('DoesNotSend'), { everyMs: 500, withinMs: 60_000 });
    expect(alarms.isRaised('MarketplaceFailing')).toBe(true);

    await world.controls.clearFaults();
    await world.stockArrives(STORE, 51);
    await until('the end of the alarm', async () => !(await wakerRaises('DoesNotSend')), { everyMs: 500 });
  });
});

describe('SendingStopped', () => {
  test('is raised by a change that waits while no request succeeds, and ends once one is taken', async () => {
    const key = { limitId: 'sandbox-partner' };
    // Refused, and not failed: neither the marketplace nor the credentials are the cause.
    const refusal = { status: 404, code: 'NOT_FOUND' };
    await world.controls.addFault({ path: '/partner/stores/inventory', times: 1_000, fault: refusal });
    await world.sendStock(STORE, 61);
    await until(
      'the alarm',
      async () => {
        const value = Date.now() - HOUR_MS;
        await setAttribute(run, { table: 'Limits', key, name: 'succeededAt', value });
        return (await hasWaitedSince(value)) && wakerRaises('SendingStopped');
      },
      { everyMs: 500, withinMs: 60_000 },
    );
    expect(alarms.isRaised('DoesNotSend')).toBe(true);

    await world.controls.clearFaults();
    await world.stockArrives(STORE, 61);
    await until('the end of the alarm', async () => !(await wakerRaises('SendingStopped')), { everyMs: 500 });
  });
});

describe('LimitUtilization', () => {
  test('is above its threshold while calls use up the limit, and not afterwards', async () => {
    let isOver = false;
    const callers = Array.from({ length: 4 }, async () => {
      while (!isOver) await run.partner.callApi('GET', `/stores/${STORE}/warehouses`);
    });
    const measure = () => wakerRaises('LimitUtilization');
    // The busier the machine, the more measurements miss a permit that no caller could take in time.
    const everySeconds = { everyMs: 3_000, withinMs: 60_000 };
    await until('a measurement above the threshold', measure, everySeconds).finally(() => {
      isOver = true;
    });
    await Promise.all(callers);
    await until('a measurement below it', async () => !(await measure()), everySeconds);
  });
});

describe('ApiErrors', () => {
  test('counts calls that the marketplace fails, until it answers again', async () => {
    const call = async () => (await run.partner.callApi('GET', `/stores/${STORE}/warehouses`)).status;
    await world.controls.addFault({ path: '*warehouses*', times: 1_000, fault: { status: 503 } });
    const failed = await Promise.all(Array.from({ length: 6 }, call));
    expect(failed.filter((status) => status >= 500)).toHaveLength(6);
    await world.controls.clearFaults();
    await until('an answer', async () => (await call()) === 200);
  });
});

describe('EventsUndelivered', () => {
  test('loses an event that neither its queue nor the dead letters take, until their policies are restored', async () => {
    const urls = [await queueUrl('ChangesQueue'), await queueUrl('ChangesDeadLetters')];
    const setPolicy = async (Policy: string) => {
      for (const QueueUrl of urls)
        await queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    };
    await setPolicy('');
    await world.sendStock(STORE, 41);
    await until('the failed delivery', () => said.some((line) => line.includes('could not deliver')));
    await run.local.idle();
    expect(await world.stockOf(STORE)).not.toBe(41);

    // What a deployment restores, as far as the bus is concerned.
    const Principal = { Service: 'events.amazonaws.com' };
    const statement = { Effect: 'Allow', Principal, Action: 'sqs:SendMessage', Resource: '*' };
    await setPolicy(JSON.stringify({ Version: '2012-10-17', Statement: [statement] }));
    await world.sendStock(STORE, 42);
    await world.stockArrives(STORE, 42);
  });
});

describe('A function fails', () => {
  describe('Messages wait', () => {
    test('while a record that the function needs is unreadable, and are processed once it is corrected', async () => {
      const QueueUrl = await queueUrl('OrderCommandsQueue');
      const orderId = await pendingOrder();
      const setState = (value: string) =>
        setAttribute(run, { table: 'Stores', key: { storeClientId: STORE }, name: 'state', value });
      await setState('no state of a store');
      await run.partner.putEvents([{ detailType: 'order.decision.requested', detail: decision(orderId) }]);
      await until('the failure', () => logOf('OrderProducer').includes('ZodError'));
      const AttributeNames = ['ApproximateNumberOfMessagesNotVisible' as const];
      const { Attributes } = await queues.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      expect(Number(Attributes?.ApproximateNumberOfMessagesNotVisible)).toBe(1);

      await setState('connected');
      await until('the decision', () => isDecided(orderId), { withinMs: 60_000 });
    });
  });
});

describe('Commands are deferred', () => {
  test('while the marketplace fails, which raises the alarm for an old one, and leave when it answers again', async () => {
    const [old, young] = [await pendingOrder(), await pendingOrder()];
    const path = '/partner/stores/orders/decisions';
    await world.controls.addFault({ path, times: 1_000, fault: { status: 503, code: 'SYS_DEP_503' } });
    alarms.nextPeriod();
    const time = new Date(Date.now() - 2 * HOUR_MS).toISOString();
    const event = {
      id: 'old',
      firstReceivedAt: time,
      'detail-type': 'order.decision.requested',
      detail: decision(old),
    };
    await queues.send(
      new SendMessageCommand({
        QueueUrl: await queueUrl('OrderCommandsQueue'),
        MessageBody: JSON.stringify(event),
      }),
    );
    // Each failed try pauses the rate limiter, so that the next one may come late.
    await until('the alarm', () => alarms.isRaised('OrderProducerCommandAge'), { withinMs: 120_000 });
    expect(logOf('OrderProducer')).toContain('SYS_DEP_503');

    alarms.nextPeriod();
    await run.partner.putEvents([{ detailType: 'order.decision.requested', detail: decision(young) }]);
    await until('the deferral of a young one', () => alarms.hasMeasured('OrderProducerCommandAge'), {
      withinMs: 120_000,
    });
    expect(alarms.isRaised('OrderProducerCommandAge')).toBe(false);
    await world.controls.clearFaults();
    await until('the decision that was deferred', () => isDecided(young), { withinMs: 60_000 });
  }, 360_000);
});

async function pendingOrder(): Promise<string> {
  return (await world.controls.createOrder({ storeClientId: STORE, subStatus: 'pending' })).orderId;
}

async function isDecided(orderId: string): Promise<boolean> {
  return (await world.controls.order(orderId)).decisions.length === 1;
}

function decision(orderId: string, commandId?: string) {
  const items = [{ orderId, decision: 'accept' }];
  return { storeClientId: STORE, items, ...(commandId !== undefined && { commandId }) };
}
