import { ndjsonCatalog } from '../../../local/run/catalog.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import { until } from '../../../local/run/until.ts';

/** Imports the simple products 1 to `count` into a store, with a file in the import bucket. */
export async function importProducts(run: ConnectorRun, storeClientId: string, count: number): Promise<void> {
  await run.partner.putImportFile(`catalog/${storeClientId}/products.ndjson`, ndjsonCatalog(count));
  const countOf = async () => (await run.controls?.products(storeClientId))?.products.length ?? 0;
  await until(
    `${count} products in ${storeClientId}`,
    async () => (await countOf()) === count,
    // A look reads all products of the sandbox.
    { withinMs: 60_000, everyMs: Math.max(50, count / 5), progress: countOf },
  );
}
