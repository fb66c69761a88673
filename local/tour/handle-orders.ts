import { createHash } from 'node:crypto';
import { single } from './change-products.ts';
import type { TourContext, TourLine } from './context.ts';

/** Decides an order, fetches both documents and requests the dropoff. Without a sandbox: the label of a given order. */
export async function handleOrders(context: TourContext): Promise<TourLine[]> {
  const { run, storeClientId, terminal, waitFor } = context;
  const { controls } = run;
  if (controls === undefined) {
    if (context.orderId !== undefined)
      return [await fetchDocument(context, context.orderId, 'shipping-label')];
    terminal.say('4. No order: set MARKETPLACE_ORDER_ID to one of the store whose label may be fetched');
    return [];
  }
  const { orderId } = await controls.createOrder({ storeClientId, subStatus: 'pending' });
  terminal.say(`4. Order ${orderId}: accepted, its label and invoice fetched, its dropoff requested`);
  await run.partner.putEvents([
    {
      detailType: 'order.decision.requested',
      detail: { storeClientId, items: [{ orderId, decision: 'accept' }] },
    },
  ]);
  await waitFor('the decision at the marketplace', async () => {
    const order = await controls.order(orderId);
    return order.decisions.length === 1 && order.subStatus === 'confirmed';
  });
  const decided = single('order decision', '1 order accepted', 'received once, and the order is confirmed');
  const documents = [
    await fetchDocument(context, orderId, 'shipping-label'),
    await fetchDocument(context, orderId, 'invoice'),
  ];
  await run.partner.putEvents([
    { detailType: 'order.dropoff.requested', detail: { storeClientId, items: [{ orderId }] } },
  ]);
  await waitFor(
    'the dropoff at the marketplace',
    async () => (await controls.order(orderId)).dropoffs.length === 1,
  );
  return [decided, ...documents, single('order dropoff', '1 order', 'received once')];
}

async function fetchDocument(
  { run, storeClientId, terminal, waitFor }: TourContext,
  orderId: string,
  document: 'shipping-label' | 'invoice',
): Promise<TourLine> {
  await run.partner.putEvents([
    {
      detailType: 'order.document.requested',
      detail: { storeClientId, orderId, document, refresh: true },
    },
  ]);
  const key = `documents/${storeClientId}/${orderId}/${document}.pdf`;
  await waitFor(`the ${document} in the document bucket`, () => run.partner.hasDocument(key));
  const { bytes = new Uint8Array(), contentType } = await run.partner.getDocument(key);
  const isPdf = Buffer.from(bytes.subarray(0, 5)).toString() === '%PDF-' && contentType === 'application/pdf';
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  terminal.say(`   ${document}: ${bytes.byteLength} bytes, sha256 ${sha256}`);
  return single(document, '1 document requested', `a PDF at …/${document}.pdf`, isPdf);
}
