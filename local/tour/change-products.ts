import { skuOf } from '../run/catalog.ts';
import { addRows, batchesSince } from './batches.ts';
import type { TourContext, TourLine } from './context.ts';

/** Changes a price, updates a product and deletes one, all from the catalog file. */
export async function changeProducts(context: TourContext): Promise<TourLine[]> {
  const { firstProduct, terminal } = context;
  const [priced, renamed, deleted] = [0, 1, 2].map((offset) => skuOf(firstProduct + offset)) as [
    string,
    string,
    string,
  ];
  terminal.say(`3. A new price for ${priced}, a new name for ${renamed}, and ${deleted} deleted`);
  return [
    await changePrice(context, priced),
    await rename(context, renamed),
    await deleteProduct(context, deleted),
  ];
}

async function changePrice(context: TourContext, sku: string): Promise<TourLine> {
  const { run, storeClientId, marketplace, waitFor } = context;
  const since = new Date().toISOString();
  const item = { sku, price: 99_000, specialPrice: 89_000 };
  await run.partner.putEvents([{ detailType: 'price.changed', detail: { storeClientId, items: [item] } }]);
  await waitFor('the new price at the marketplace', async () => {
    const { data } = await marketplace.getProductBySku(context, { sku });
    return data.price === item.price && data.specialPrice === item.specialPrice;
  });
  const batches = await waitFor('the batch record of the price', async () => {
    const found = await batchesSince(run.partner, { kind: 'price', since, storeClientId });
    return found.length > 0 && found;
  });
  const { accepted, rejected } = addRows(batches);
  return {
    step: 'price change',
    sent: '1 price with a special price',
    requests: batches.length,
    accepted,
    rejected,
    comparison: `${sku} costs ${item.price}, now ${item.specialPrice}`,
    holds: accepted === 1 && rejected === 0,
  };
}

async function rename(context: TourContext, sku: string): Promise<TourLine> {
  const { run, storeClientId, marketplace, waitFor } = context;
  const { data } = await marketplace.getProductBySku(context, { sku });
  const name = `${data.name} (renamed)`;
  await run.partner.putEvents([
    {
      detailType: 'product.update.requested',
      detail: { storeClientId, productId: data.id, changes: { name } },
    },
  ]);
  await waitFor('the new name at the marketplace', async () => {
    const now = await marketplace.getProductBySku(context, { sku });
    return now.data.name === name;
  });
  return single('product update', '1 new name', `${sku} has its new name`);
}

async function deleteProduct(context: TourContext, sku: string): Promise<TourLine> {
  const { run, storeClientId, marketplace, waitFor } = context;
  const { data } = await marketplace.getProductBySku(context, { sku });
  await run.partner.putEvents([
    { detailType: 'product.delete.requested', detail: { storeClientId, ids: [data.id] } },
  ]);
  await waitFor('the deletion at the marketplace', () =>
    marketplace.getProductBySku(context, { sku }).then(
      () => false,
      (error: unknown) => error instanceof Error && 'code' in error && error.code === 'PRD_014',
    ),
  );
  return single('product deletion', '1 product', `${sku} is not found anymore`);
}

/** The line of a step with one request, whose effect was awaited. */
export function single(step: string, sent: string, comparison: string, holds = true): TourLine {
  return { step, sent, requests: 1, accepted: holds ? 1 : 0, rejected: holds ? 0 : 1, comparison, holds };
}
