import { skuOf, variantProduct } from '../run/catalog.ts';
import { single } from './change-products.ts';
import type { TourContext, TourLine } from './context.ts';

/**
 * Onboards a store in the sandbox, creates a product with variants, changes its stock, and unbinds the store. Skipped on
 * any other marketplace, as a seller has to agree there in person.
 */
export async function followStore(context: TourContext): Promise<TourLine[]> {
  const { run, firstProduct, terminal } = context;
  if (run.controls === undefined) return [];
  const storeClientId = `tour-${firstProduct}`;
  terminal.say(`6. Store ${storeClientId}: onboarded, a product with variants, its stock, unbound`);
  const { body } = await run.partner.callApi('POST', '/stores/onboarding', {});
  const { location } = await run.controls.completeOnboarding(body.sid, storeClientId);
  const answer = await fetch(location);
  const connected = (await run.partner.callApi('GET', `/stores/${storeClientId}`)).body.state === 'connected';

  await createVariants(context, storeClientId);
  await pushVariantStock(context, storeClientId);
  const unbound = await run.partner.callApi('POST', `/stores/${storeClientId}/unbind`);
  return [
    single('onboarding', 'the seller agrees', `answered ${answer.status}, the store is connected`, connected),
    single('variants', '1 product with 3 variants', '3 variants found, one with its new stock'),
    single(
      'unbinding',
      '1 store',
      `answered ${unbound.status}, the store is unbound`,
      unbound.body.state === 'unbound',
    ),
  ];
}

async function createVariants(
  { run, firstProduct, waitFor }: TourContext,
  storeClientId: string,
): Promise<void> {
  await run.partner.putEvents([
    {
      detailType: 'product.create.requested',
      detail: { storeClientId, products: [variantProduct(firstProduct)] },
    },
  ]);
  await waitFor('the product with variants at the marketplace', async () => {
    const state = await run.controls?.products(storeClientId);
    return state?.products[0]?.variants?.items.length === 3;
  });
}

async function pushVariantStock(
  { run, firstProduct, waitFor }: TourContext,
  storeClientId: string,
): Promise<void> {
  const item = { sku: `${skuOf(firstProduct)}-RED`, stock: 41 };
  await run.partner.putEvents([{ detailType: 'stock.changed', detail: { storeClientId, items: [item] } }]);
  await waitFor('the new stock of the variant at the marketplace', async () => {
    const state = await run.controls?.products(storeClientId);
    return state?.products[0]?.variants?.items.some(
      ({ sku, stock }) => sku === item.sku && stock === item.stock,
    );
  });
}
