import { ndjsonCatalog } from '../../../local/run/catalog.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import { until } from '../../../local/run/until.ts';

/** Imports the simple products 1 to `count` into a store, with a file in the import bucket. */
export async function importProducts(run: ConnectorRun, storeClientId: string, count: number): Promise<void> {
  await run.partner.putImportFile(`catalog/${storeClientId}/products.ndjson`, ndjsonCatalog(count));
  await until(
    `${count} products in ${storeClientId}`,
    async () => {
      const state = await run.controls?.products(storeClientId);
      return state?.products.length === count;
    },
    // A look reads all products of the sandbox.
    { withinMs: 30_000 + 20 * count, everyMs: Math.max(50, count / 5) },
  );
}
