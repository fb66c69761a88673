import { simpleProduct } from '../../../local/run/catalog.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import { withDirectClient } from '../../../local/run/direct-client.ts';

/** Creates simple products at the marketplace, by their numbers. The stack does not know them. */
export async function createDirectly(
  { marketplace, tokens }: ConnectorRun,
  storeClientId: string,
  numbers: readonly number[],
): Promise<void> {
  const store = { storeClientId, storeToken: tokens[storeClientId] ?? '' };
  const products = numbers.map((number) => simpleProduct(number));
  await withDirectClient(marketplace, (client) => client.createProducts(store, { products }));
}
