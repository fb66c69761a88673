import { single } from './change-products.ts';
import type { TourContext, TourLine } from './context.ts';

/** Searches brands through the operations API. */
export async function searchBrands({ run, terminal }: TourContext): Promise<TourLine> {
  terminal.say('5. Brands with “an” in their name');
  const { status, body } = await run.partner.callApi('GET', '/brands?q=an');
  const found = status === 200 && Array.isArray(body?.data) ? body.data.length : 0;
  return single(
    'brand search',
    'GET /brands?q=an',
    `answered ${status} with ${found} brands`,
    status === 200,
  );
}
