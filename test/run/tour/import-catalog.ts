import { ndjsonCatalog, skuOf } from '../catalog.ts';
import { until } from '../until.ts';
import { addRows, batchesSince } from './batches.ts';
import type { TourContext, TourLine } from './context.ts';

/** Products in the file. */
export const PRODUCTS = 1_000;

/** A catalog file into the import bucket; done when the final summary of every batch has come. */
export async function importCatalog(context: TourContext): Promise<TourLine> {
  const { run, storeClientId, marketplace, firstProduct, say } = context;
  const since = new Date().toISOString();
  const key = `catalog/${storeClientId}/tour-${firstProduct}.ndjson`;
  say(`1. A catalog file with ${PRODUCTS} products and one broken line: s3 cp … s3://import-bucket/${key}`);
  await run.partner.putImportFile(key, `${ndjsonCatalog(PRODUCTS, firstProduct)}{"sku": broken\n`);

  let told = '';
  const batches = await until(
    'the final summaries of the catalog',
    async () => {
      const found = await batchesSince(run.partner, { kind: 'catalog-sync', since, storeClientId });
      const rows = addRows(found);
      const progress = `   ${found.length} batches: ${rows.sent} rows sent, ${rows.accepted} accepted, ${rows.rejected} rejected, ${rows.unknown} open`;
      if (progress !== told) say(progress);
      told = progress;
      return rows.sent === PRODUCTS && rows.unknown === 0 && found;
    },
    { withinMs: 60_000 },
  );

  const expected = new Set(Array.from({ length: PRODUCTS }, (_, index) => skuOf(firstProduct + index)));
  for await (const product of marketplace.iterateProducts(context, { limit: 100 })) {
    if (product.sku) expected.delete(product.sku);
  }
  const rows = addRows(batches);
  return {
    step: 'catalog file',
    sent: `${PRODUCTS} products, 1 broken line`,
    requests: batches.length,
    accepted: rows.accepted,
    rejected: rows.rejected,
    comparison: `${PRODUCTS - expected.size} of ${PRODUCTS} products listed by the marketplace`,
    holds: expected.size === 0 && rows.accepted === PRODUCTS,
  };
}
