import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { until } from '../../local/run/until.ts';
import { GRACE_SECONDS } from './often-verified.ts';

const WITHIN = { withinMs: 120_000, everyMs: 100 };
/** Repairs that a price undoes before it is contested. */
const REPAIRS = 3;

interface Entry {
  readonly kind: string;
  readonly target: string;
}

/** Gives products of a store these prices, and waits until the listing-verifier compares them with what is live. */
export async function settlePrices(
  run: ConnectorRun,
  store: string,
  prices: Readonly<Record<string, number>>,
): Promise<void> {
  const items = Object.entries(prices).map(([sku, price]) => ({ sku, price }));
  for (let from = 0; from < items.length; from += 100)
    await run.partner.callApi('POST', `/stores/${store}/prices`, { items: items.slice(from, from + 100) });
  await until('the prices', () => arePricesLive(run, store, prices), WITHIN);
  const end = Date.now() + 1_500 * GRACE_SECONDS;
  await until('the end of the grace time', () => Date.now() > end);
}

async function arePricesLive(
  { controls }: ConnectorRun,
  store: string,
  prices: Readonly<Record<string, number>>,
): Promise<boolean> {
  const { products = [] } = (await controls?.products(store)) ?? {};
  const live = new Map(products.map(({ sku, history }) => [sku, history.price.at(-1)?.price]));
  return Object.entries(prices).every(([sku, price]) => live.get(sku) === price);
}

/** Runs the listing-verifier until a whole cycle that begins now has ended. */
export async function verifyAll({ local, partner }: ConnectorRun, store: string): Promise<Entry[]> {
  const begun = Date.now();
  return until(
    'a whole cycle',
    async () => {
      await local.triggerSchedule('ListingVerifier');
      const { body } = await partner.callApi('GET', `/stores/${store}/drift`);
      return Date.parse(body.verification.lastCycle?.startedAt ?? '') > begun && body.entries;
    },
    WITHIN,
  );
}

/**
 * Has someone else set a price again after each repair, until it is contested. One run of the listing-verifier may find a
 * drift and see it repaired, so that no entry shows it.
 */
export async function contestPrice(
  run: ConnectorRun,
  store: string,
  { sku, price }: { readonly sku: string; readonly price: number },
): Promise<void> {
  const outcome = async () => {
    const entry = (await verifyAll(run, store)).find(({ target }) => target === `sku:${sku}`);
    if (entry?.kind === 'contested') return 'contested';
    return entry === undefined && (await arePricesLive(run, store, { [sku]: price })) && 'repaired';
  };
  for (let repairs = 0; repairs <= REPAIRS; repairs += 1) {
    await until('the repair', outcome, WITHIN);
    await run.controls?.editProduct(store, sku, { price: 1 + repairs });
  }
  if ((await until('the contest', outcome, WITHIN)) !== 'contested')
    throw new Error(`the price of ${sku} is not contested`);
}
