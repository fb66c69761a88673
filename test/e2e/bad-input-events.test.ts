import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { type IncomingDetailType, incomingDetailSchemas } from '../../shared/events/incoming.ts';
import { hastyTemplate } from '../../tools/chaos/hasty-template.ts';

/** Longer than 21 s, after which a message is redelivered that a slow start left unprocessed. */
const SETTLE_WITHIN_MS = 100_000;
const uuid = '10000000-0000-4000-8000-000000000001';

/** For every event in: a valid detail without its store, its required field, and a value that breaks a rule. */
const samples: Record<IncomingDetailType, { detail: Record<string, unknown>; field: string; bad: unknown }> =
  {
    'stock.changed': { detail: { items: [{ sku: 'A', stock: 1 }] }, field: 'items', bad: ['nonsense'] },
    'price.changed': {
      detail: { items: [{ sku: 'A', price: 1 }] },
      field: 'items',
      bad: [{ sku: 'A', price: '1' }],
    },
    'catalog.sync.requested': { detail: { products: [{ sku: 'A' }] }, field: 'products', bad: [7] },
    'product.create.requested': { detail: { products: [{ sku: 'A' }] }, field: 'products', bad: [[]] },
    'product.update.requested': {
      detail: { productId: uuid, changes: { name: 'A' } },
      field: 'productId',
      bad: '../../warehouses',
    },
    'product.delete.requested': { detail: { ids: [uuid] }, field: 'ids', bad: ['../../warehouses'] },
    'order.decision.requested': {
      detail: { items: [{ orderId: uuid, decision: 'accept' }] },
      field: 'items',
      bad: [{ orderId: '../x', decision: 'accept' }],
    },
    'order.dropoff.requested': {
      detail: { items: [{ orderId: uuid }] },
      field: 'items',
      bad: [{ orderId: uuid, invoiceNumber: 'I' }],
    },
    'order.document.requested': {
      detail: { orderId: uuid, document: 'invoice' },
      field: 'orderId',
      bad: '../../../store-1wh/o/invoice',
    },
  };

const isChange = (detailType: IncomingDetailType) => /^(stock|price)\./.test(detailType);

/** Invalid events of one type, each for a separate store, with the expected rejection. */
function badEvents(detailType: IncomingDetailType) {
  const { detail, field, bad } = samples[detailType];
  const { [field]: _, ...without } = detail;
  const inStore = (storeClientId: unknown, change: object = detail) => ({
    detailType,
    detail: { storeClientId, ...change },
  });
  return [
    { event: inStore(7), store: '-', code: 'EVENT_INVALID', field: 'detail.storeClientId' },
    // SQS takes no longer one as the message group of a command.
    ...(isChange(detailType)
      ? [
          {
            event: inStore('x'.repeat(201)),
            store: '-',
            code: 'EVENT_INVALID',
            field: 'detail.storeClientId',
          },
        ]
      : []),
    { event: inStore(''), store: '-', code: 'EVENT_INVALID', field: 'detail.storeClientId' },
    { event: inStore(undefined), store: '-', code: 'EVENT_INVALID', field: 'detail.storeClientId' },
    {
      event: inStore('store-0wh', without),
      store: 'store-0wh',
      code: 'EVENT_INVALID',
      field: `detail.${field}`,
    },
    {
      event: inStore('store-1wh', { ...detail, [field]: 7 }),
      store: 'store-1wh',
      code: 'EVENT_INVALID',
      field: `detail.${field}`,
    },
    {
      event: inStore('store-2wh', { ...detail, [field]: bad }),
      store: 'store-2wh',
      field: expect.stringContaining(`detail.${field}`),
    },
    { event: inStore('store-nowhere'), store: 'store-nowhere', code: 'STORE_UNKNOWN' },
    { event: inStore('store-other'), store: 'store-other', code: 'STORE_UNKNOWN' },
    { event: inStore('..\\store-0wh'), store: '..\\store-0wh', code: 'STORE_UNKNOWN' },
  ];
}

const detailTypes = Object.keys(incomingDetailSchemas) as IncomingDetailType[];

let run: ConnectorRun;
let requestsBefore: number;

beforeAll(async () => {
  run = await startQuickRun({ template: await hastyTemplate() });
  requestsBefore = await countRequests();
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

async function countRequests(): Promise<number> {
  return (await run.controls?.requests())?.requests.length ?? 0;
}

interface Rejection {
  readonly detailType?: string;
  readonly code: string;
  readonly field?: string;
}

async function rejectionsOf(storeClientId: string): Promise<Rejection[]> {
  const path = `/stores/${encodeURIComponent(storeClientId)}/rejections?limit=500`;
  return (await run.partner.callApi('GET', path)).body.rejections ?? [];
}

describe.each(detailTypes)('an invalid %s', (detailType) => {
  test('is rejected with a code and a reason', async () => {
    const bad = badEvents(detailType);
    await run.partner.putEvents(bad.map(({ event }) => event));
    await run.local.idle({ timeoutMs: SETTLE_WITHIN_MS });
    for (const { store, event: _, ...facts } of bad) {
      const expected = expect.objectContaining({ detailType, message: expect.any(String), ...facts });
      expect(await rejectionsOf(store)).toContainEqual(expected);
    }
  });
});

test('no invalid event reaches the marketplace or a dead-letter queue', async () => {
  await run.local.idle({ timeoutMs: SETTLE_WITHIN_MS });
  expect(await countRequests()).toBe(requestsBefore);
  expect(await run.partner.deadLetters()).toEqual([]);
  expect(run.local.accessDenied).toEqual([]);
});
