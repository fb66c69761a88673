import { ndjsonCatalog, skuOf } from '../run/catalog.ts';
import { addRows, batchesSince } from './batches.ts';
import { SLOW_MACHINE, type TourContext, type TourLine } from './context.ts';

/** Products in the file. */
export const PRODUCTS = 1_000;

/** The line after the products, from 1. */
const BROKEN_LINE = PRODUCTS + 1;

/** Imports a catalog file, and waits for the final summaries of all batches and the rejection of the broken line. */
export async function importCatalog(context: TourContext): Promise<TourLine> {
  const { run, storeClientId, marketplace, firstProduct, terminal, waitFor } = context;
  const since = new Date().toISOString();
  const key = `catalog/${storeClientId}/tour-${firstProduct}.ndjson`;
  terminal.say(`1. A catalog file with ${PRODUCTS} products and one broken line:
   s3 cp … s3://import-bucket/${key}`);
  await run.partner.putImportFile(key, `${ndjsonCatalog(PRODUCTS, firstProduct)}{"sku": broken\n`);

  const batches = await waitFor(
    'the final summaries of the catalog',
    async () => {
      const found = await batchesSince(run.partner, { kind: 'catalog-sync', since, storeClientId });
      const rows = addRows(found);
      terminal.progress(
        `   batches: ${found.length} · rows: ${rows.sent} sent, ${rows.accepted} accepted, ${rows.rejected} rejected, ${rows.unknown} open`,
      );
      return rows.sent === PRODUCTS && rows.unknown === 0 && found;
    },
    SLOW_MACHINE,
  );

  const expected = new Set(Array.from({ length: PRODUCTS }, (_, index) => skuOf(firstProduct + index)));
  for await (const product of marketplace.iterateProducts(context, { limit: 100 })) {
    if (product.sku) expected.delete(product.sku);
  }
  const reason = await brokenLine(context, key);
  const rows = addRows(batches);
  return {
    step: 'catalog file',
    sent: `${PRODUCTS} products, 1 broken line`,
    requests: batches.length,
    accepted: rows.accepted,
    rejected: rows.rejected + 1,
    comparison: `${PRODUCTS - expected.size} of ${PRODUCTS} listed; line ${BROKEN_LINE}: ${reason}`,
    holds: expected.size === 0 && rows.accepted === PRODUCTS,
  };
}

/** The code of the broken line's rejection. The file must have no other rejection. */
async function brokenLine({ run, storeClientId, waitFor }: TourContext, key: string): Promise<string> {
  const origin = `s3://${run.local.outputs.ImportBucketName}/${key}`;
  return waitFor(`the rejection of line ${BROKEN_LINE}`, async () => {
    const path = `/stores/${encodeURIComponent(storeClientId)}/rejections?limit=500`;
    const { body } = await run.partner.callApi('GET', path);
    const ofFile = body.rejections.filter((rejection: { origin?: string }) =>
      rejection.origin?.startsWith(origin),
    );
    return ofFile.length === 1 && ofFile[0].origin === `${origin}#${BROKEN_LINE}` && ofFile[0].code;
  });
}
