import { type ChangePlan, planChanges, shuffled } from '../chaos/changes.ts';
import { faultsOf } from '../chaos/history.ts';
import { importProducts } from '../e2e/support/import-products.ts';
import { startConnector } from '../run/connector-run.ts';
import { Random } from '../simulation/engine/random.ts';
import type { Contender } from './contenders.ts';

/** The default limits of the stack, which every contender gets. */
const REQUESTS_PER_SECOND = 5;
const STORE = 'store-0wh';

export interface BenchPlan extends Omit<ChangePlan, 'stores'> {
  readonly seed: number;
}

export interface Figures {
  /** Bulk requests that the marketplace received. */
  readonly requests: number;
  /** Milliseconds from the first change to the arrival of the last request at the marketplace. */
  readonly lastEffectMs: number;
  /** Registers that end at another value than the newest, and steps back from a newer to an older one. */
  readonly wrongValues: number;
}

/** Lets one contender send the plan's changes to a fresh sandbox; equal seeds give equal changes. */
export async function measure(contender: Contender, plan: BenchPlan): Promise<Figures> {
  await using run = await startConnector();
  const { controls } = run;
  if (controls === undefined) throw new Error('the bench needs the sandbox');
  await importProducts(run, STORE, plan.targetsPerStore);
  const random = new Random(plan.seed);
  const changes = planChanges({ ...plan, stores: [STORE] }, random);
  const { requests: before } = await controls.requests();

  const begin = Date.now();
  await contender({
    run,
    storeClientId: STORE,
    arrivals: shuffled(changes, random),
    requestsPerSecond: REQUESTS_PER_SECOND,
  });
  const { requests } = await controls.requests(before.at(-1)?.sequence);
  const { products } = await controls.products(STORE);
  const bySku = Map.groupBy(changes, ({ sku }) => sku);
  return {
    requests: requests.length,
    lastEffectMs: Date.parse(requests.at(-1)?.time ?? '') - begin,
    wrongValues: products.flatMap((product) => faultsOf(product, bySku.get(product.sku) ?? [])).length,
  };
}
