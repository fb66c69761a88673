import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simpleProduct, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { incomingDetailTypes } from '../../shared/events/incoming.ts';
import { importProducts } from './support/import-products.ts';

const storeClientId = 'store-0wh';

let run: ConnectorRun;

beforeAll(async () => {
  run = await startQuickRun();
  await importProducts(run, storeClientId, 3);
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

interface Step {
  readonly at: string;
  readonly what: string;
  readonly batchId?: string;
  readonly outcome?: string;
  readonly code?: string;
  readonly message?: string;
}

const send = async (detailType: string, detail: object) => {
  const [eventId = ''] = await run.partner.putEvents([{ detailType, detail: { storeClientId, ...detail } }]);
  return eventId;
};
const trace = (query: Record<string, string>) =>
  run.partner.callApi('GET', `/trace?${new URLSearchParams(query)}`);

/** The steps once one of them is as expected, each in the order of its time. */
const stepsUntil = (query: Record<string, string>, last: Partial<Step>): Promise<Step[]> =>
  until(`${JSON.stringify(last)} in the trace of ${JSON.stringify(query)}`, async () => {
    const { status, body } = await trace(query);
    if (status !== 200) return undefined;
    const { steps }: { steps: Step[] } = body;
    expect(steps.map(({ at }) => Date.parse(at))).toEqual(
      steps.map(({ at }) => Date.parse(at)).sort((a, b) => a - b),
    );
    const found = steps.some((step) =>
      Object.entries(last).every(([name, value]) => step[name as keyof Step] === value),
    );
    return found && steps;
  });

describe('GET /trace', () => {
  test('follows a stock event to its batch, by the ID that PutEvents answered', async () => {
    const eventId = await send('stock.changed', { items: [{ sku: skuOf(1), stock: 41 }] });
    const steps = await stepsUntil({ eventId }, { what: 'value.settled', outcome: 'accepted' });
    const { batchId = '' } = steps.find(({ what }) => what === 'value.sent') ?? {};
    const target = `sku:${skuOf(1)}`;
    expect(steps).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          what: 'event.taken',
          eventId,
          detailType: 'stock.changed',
          rows: { given: 1 },
        }),
        expect.objectContaining({ what: 'value.sent', target, register: 'stock', value: 41, batchId }),
        expect.objectContaining({
          what: 'value.settled',
          target,
          register: 'stock',
          outcome: 'accepted',
          batchId,
        }),
        expect.objectContaining({ what: 'batch.ended', batchId, outcome: 'completed' }),
      ]),
    );
    const byBatch = (await trace({ batchId })).body.steps;
    expect(byBatch.map(({ what }: Step) => what)).toEqual(['batch.submitted', 'batch.ended']);
    const byTarget = (await trace({ target, storeClientId })).body.steps;
    expect(byTarget).toContainEqual(expect.objectContaining({ what: 'value.settled', value: 41, batchId }));
  });

  test('says of an event with a row for an unknown product why the marketplace rejected it', async () => {
    const eventId = await send('stock.changed', {
      items: [
        { sku: 'NO-SUCH', stock: 1 },
        { sku: skuOf(2), stock: 1.5 },
      ],
    });
    const steps = await stepsUntil(
      { eventId },
      { what: 'value.settled', outcome: 'rejected', code: 'INV_001' },
    );
    expect(steps).toContainEqual(
      expect.objectContaining({ what: 'row.rejected', code: 'ROW_INVALID', field: 'detail.items.1.stock' }),
    );
    expect(steps).toContainEqual(
      expect.objectContaining({ what: 'row.rejected', code: 'INV_001', batchId: expect.any(String) }),
    );
  });

  test('says of an event that lost against a newer value that it is superseded', async () => {
    const items = (stock: number) => [{ sku: skuOf(3), stock }];
    const now = Date.now();
    const newer = await send('stock.changed', { occurredAt: now, items: items(7) });
    await stepsUntil({ eventId: newer }, { what: 'value.settled', outcome: 'accepted' });
    const older = await send('stock.changed', { occurredAt: now - 1000, items: items(8) });
    const steps = await stepsUntil({ eventId: older }, { what: 'value.desired', outcome: 'superseded' });
    expect(steps).toContainEqual(expect.objectContaining({ outcome: 'superseded', value: 7, version: now }));
    expect(steps.filter(({ what }) => what === 'value.sent')).toEqual([]);
  });

  test('finds an event of an unknown detail-type, with all that there are', async () => {
    const eventId = await send('stock.vanished', { items: [] });
    const [step] = await stepsUntil({ eventId }, { code: 'DETAIL_TYPE_UNKNOWN' });
    for (const detailType of incomingDetailTypes) expect(step?.message).toContain(detailType);
  });

  test('follows a command to the end of its batch, by the ID of its event or its own', async () => {
    const products = [simpleProduct(11), { ...simpleProduct(12), price: 'free' }, simpleProduct(1)];
    const eventId = await send('catalog.sync.requested', { products });
    const steps = await stepsUntil({ eventId }, { what: 'batch.ended' });
    expect(steps.map(({ what }) => what).sort()).toEqual(
      [
        'command.given',
        'command.planned',
        'request.sent',
        'request.tried',
        'request.ended',
        'batch.submitted',
        'summary.received',
        'batch.ended',
        'row.rejected',
        'row.rejected',
      ].sort(),
    );
    const rejected = steps.filter(({ what }) => what === 'row.rejected').map(({ code }) => code);
    expect(rejected.sort()).toEqual(['PRD_002', 'ROW_INVALID']);

    const commandId = `own-${eventId}`;
    await send('product.create.requested', { commandId, products: [simpleProduct(13)] });
    const own = await stepsUntil({ commandId, storeClientId }, { what: 'batch.ended', outcome: 'completed' });
    const { batchId = '' } = own.find(({ what }) => what === 'batch.submitted') ?? {};
    const byBatch = (await trace({ batchId })).body.steps;
    expect(byBatch).toContainEqual(expect.objectContaining({ what: 'command.given', commandId }));
    expect(await trace({ commandId, storeClientId: 'store-1wh' })).toMatchObject({ status: 404 });
  });

  test('follows a decision and a label of an order, by event and by order', async () => {
    const { orderId = '' } = (await run.controls?.createOrder({ storeClientId, subStatus: 'pending' })) ?? {};
    const eventId = await send('order.decision.requested', { items: [{ orderId, decision: 'accept' }] });
    await stepsUntil({ eventId }, { what: 'order.decision', outcome: 'accepted' });
    const labelId = await send('order.document.requested', { orderId, document: 'shipping-label' });
    await stepsUntil({ eventId: labelId }, { what: 'document.shipping-label' });
    const byOrder = await stepsUntil({ orderId, storeClientId }, { what: 'document.shipping-label' });
    expect(byOrder).toContainEqual(
      expect.objectContaining({ what: 'order.decision', outcome: 'accepted', commandId: eventId }),
    );
    expect((await trace({ orderId })).body.steps).toEqual(byOrder);
  });

  test.each([
    [{}, 'query.eventId', 'eventId, commandId, batchId, target, orderId, invoiceNumber, requestId'],
    [
      { eventId: 'e', batchId: 'b' },
      'query.batchId',
      'eventId, commandId, batchId, target, orderId, invoiceNumber, requestId',
    ],
    [{ target: 'A-1', storeClientId }, 'query.target', 'must be sku:…, id:… or externalId:…'],
    [
      { event: 'e' },
      'query',
      'allowed: eventId, commandId, batchId, target, orderId, invoiceNumber, requestId, storeClientId',
    ],
  ])('refuses %j, and names what is allowed', async (query, field, allowed) => {
    const { status, body } = await trace(query as Record<string, string>);
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'REQUEST_INVALID' });
    expect(body.error).toMatchObject({ details: { field }, message: expect.stringContaining(allowed) });
  });

  test('answers 404 for what is not known, and why that may be', async () => {
    const { status, body } = await trace({ eventId: 'never-sent' });
    expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'TRACE_UNKNOWN' });
    expect(body.error.message).toContain('it was not received');
  });

  test('needed no grant that a function does not have', () => {
    expect(run.local.accessDenied).toEqual([]);
  });
});
