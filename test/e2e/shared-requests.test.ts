import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CloudFormationTemplate } from '../../local/aws/template/cloudformation.ts';
import { externalIdOf, simpleProduct } from '../../local/run/catalog.ts';
import { type ConnectorRun, startConnector } from '../../local/run/connector-run.ts';
import type { PartnerEvent } from '../../local/run/partner.ts';
import type { SandboxRequest } from '../../local/run/sandbox-controls.ts';
import { hastyTemplate } from '../../tools/chaos/hasty-template.ts';

const STORES = ['store-0wh', 'store-1wh'];
/** Number of products: one event each, alternating between the two stores. */
const PRODUCTS = 300;
/** One in this many is requested twice, and one breaks a rule. */
const REPEATED_EVERY = 15;
const BROKEN_EVERY = 50;
/** Products that a second command requests as well. */
const ASKED_FOR_TWICE = [3, 4, 7];

const numbers = Array.from({ length: PRODUCTS }, (_, index) => index + 1);
const storeOf = (number: number) => STORES[number % STORES.length] ?? '';
const isBroken = (number: number) => number % BROKEN_EVERY === 0;
const productsOf = (store: string) => numbers.filter((number) => storeOf(number) === store);

const create = (number: number, commandId: string): PartnerEvent => ({
  detailType: 'product.create.requested',
  detail: {
    storeClientId: storeOf(number),
    commandId,
    products: [{ ...simpleProduct(number), ...(isBroken(number) && { stock: 0.5 }) }],
  },
});

const events = [
  ...numbers.map((number) => create(number, `create-${number}`)),
  ...numbers
    .filter((number) => number % REPEATED_EVERY === 0)
    .map((number) => create(number, `create-${number}`)),
  ...ASKED_FOR_TWICE.map((number) => create(number, `again-${number}`)),
];

/** The stack with a producer that waits for all events, so that the number of requests does not depend on timing. */
async function patientProducer(): Promise<CloudFormationTemplate> {
  const template = await hastyTemplate();
  for (const [id, { Type, Properties = {} }] of Object.entries(template.Resources)) {
    if (id.startsWith('ProductProducerMessages')) {
      Object.assign(Properties, { BatchSize: events.length, MaximumBatchingWindowInSeconds: 60 });
    }
    if (id.startsWith('ProductProducerFunction') && Type === 'AWS::Lambda::Function') {
      Properties.Timeout = 120;
    }
    if (id.startsWith('QueuesProductCommandsQueue') && Type === 'AWS::SQS::Queue') {
      Properties.VisibilityTimeout = 800;
    }
  }
  return template;
}

interface Row {
  readonly rowIndex: number;
  readonly code: string;
  readonly command?: { readonly commandId: string; readonly productIndex: number };
}

interface Batch {
  readonly batchId: string;
  readonly state: string;
  readonly commandId?: string;
  readonly commandIds?: readonly string[];
  readonly rows: { readonly sent: number; readonly accepted: number; readonly rejected: number };
  readonly rejectedRows: readonly Row[];
}

let run: ConnectorRun;
let requests: SandboxRequest[];
const batches = new Map<string, Batch[]>();

beforeAll(async () => {
  run = await startConnector({ template: await patientProducer(), schedules: 'manual' });
  await run.partner.putEvents(events);
  await run.local.idle({ timeoutMs: 120_000 });
  requests = (await run.controls?.requests())?.requests ?? [];
  for (const store of STORES) {
    const { body } = await run.partner.callApi('GET', `/batches?storeClientId=${store}&limit=100`);
    batches.set(store, body.batches);
  }
}, 200_000);

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

test(`${PRODUCTS} commands of one product each share a few requests`, () => {
  const bulk = requests.filter(({ path }) => path.endsWith('/products/bulk'));
  const rows = bulk.reduce((sum, { items }) => sum + (items ?? 0), 0);
  // A request holds 100 rows; products that were requested twice are in separate requests of their store.
  expect(bulk.length).toBeLessThanOrEqual(3 * STORES.length);
  expect(rows).toBe(numbers.filter((number) => !isBroken(number)).length + ASKED_FOR_TWICE.length);
});

describe.each(STORES)('shared requests of %s', (store) => {
  const good = productsOf(store).filter((number) => !isBroken(number));
  const again = productsOf(store).filter((number) => ASKED_FOR_TWICE.includes(number));

  test('create each product once', async () => {
    const products = (await run.controls?.products(store))?.products ?? [];
    expect(products.map(({ externalId }) => externalId).sort()).toEqual(good.map(externalIdOf).sort());
  });

  test('put each command into one batch, which names it', () => {
    const named = (batches.get(store) ?? []).flatMap(
      ({ commandId = '', commandIds = [commandId] }) => commandIds,
    );
    const given = [...good.map((number) => `create-${number}`), ...again.map((number) => `again-${number}`)];
    expect(named.toSorted()).toEqual(given.sort());
  });

  test('reject each invalid product under its own command', async () => {
    const { body } = await run.partner.callApi('GET', `/stores/${store}/rejections?limit=100`);
    const broken = productsOf(store).filter(isBroken);
    // The marketplace's own are there too, with their batch.
    const ours = body.rejections.filter(({ batchId }: { batchId?: string }) => batchId === undefined);
    expect(ours.map(({ commandId }: { commandId: string }) => commandId).sort()).toEqual(
      broken.map((number) => `create-${number}`).sort(),
    );
    for (const rejection of ours) {
      expect(rejection).toMatchObject({ rowIndex: 0, field: 'detail.products.0.stock' });
      expect(rejection.eventId).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('reject each product that was requested twice under the later command', () => {
    const late = (batches.get(store) ?? []).flatMap(({ commandId, rejectedRows }) =>
      rejectedRows.map(({ code, command }) => ({ code, commandId: command?.commandId ?? commandId })),
    );
    expect(late.map(({ code }) => code)).toEqual(again.map(() => 'PRD_002'));
    const askers = again.flatMap((number) => [`create-${number}`, `again-${number}`]);
    for (const { commandId } of late) expect(askers).toContain(commandId);
    expect(new Set(late.map(({ commandId }) => commandId?.split('-')[1])).size).toBe(again.length);
  });
});

test('shared requests leave no dead letters', async () => {
  expect(await run.partner.deadLetters()).toEqual([]);
});
