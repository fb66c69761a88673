import { setTimeout as pause } from 'node:timers/promises';
import { type ConnectorRun, startConnector } from '../../local/run/connector-run.ts';
import type { SandboxProduct } from '../../local/run/sandbox-controls.ts';
import { triggerRepeatedly } from '../../local/run/trigger-repeatedly.ts';
import { until } from '../../local/run/until.ts';
import { importProducts } from '../../test/e2e/support/import-products.ts';
import { Random } from '../../test/simulation/engine/random.ts';
import { type Change, type ChangePlan, planChanges, shuffled } from './changes.ts';
import { type Disturbances, disturb, faultsThatStruck } from './disturb.ts';
import { hastyTemplate } from './hasty-template.ts';
import { faultsOf } from './history.ts';
import { measureRate, type RateFigures } from './rate.ts';
import { type ChangeEvent, eventWriter, type ProductNames } from './shapes.ts';

export interface ChaosOptions extends Omit<ChangePlan, 'stores'> {
  readonly seed: number;
  /** The shortest time over which the events are spread. */
  readonly sendForMs: number;
  readonly killEveryMs: number;
  readonly faultEveryMs: number;
  /** The longest time until all work is done after the last event and the last disturbance. */
  readonly settleWithinMs: number;
  /** Receives progress messages; default: none. */
  readonly say?: (line: string) => void;
}

export interface ChaosFigures extends Disturbances {
  readonly events: number;
  readonly targets: number;
  /** Values in the marketplace's histories that were checked. */
  readonly values: number;
  readonly sentInMs: number;
  readonly settledInMs: number;
  readonly rate: RateFigures;
  /** Messages in dead-letter queues. */
  readonly deadLetters: number;
  /** Descriptions of what is wrong. */
  readonly violations: readonly string[];
}

/** The settings of the stack. */
const ALLOWED = { requestsPerSecond: 5, requestsInFlight: 5 };
const WAKE_EVERY_MS = 2000;
const EVENTS_PER_PUT = 10;
const EVENTS_PER_REPORT = 5000;
const LOOK_EVERY_MS = 3000;
/** On a slow machine events are still queued when the last is sent: faults continue until these have occurred. */
const FAULTS_AT_LEAST = 15;
const STRIKING_WITHIN_MS = 120_000;

/** Sends changes through bus and queue, shuffled and repeated, while everything fails; then checks the result. */
export async function runChaos(options: ChaosOptions): Promise<ChaosFigures> {
  await using run = await startConnector({ template: await hastyTemplate(ALLOWED), schedules: 'manual' });
  const { stores } = run;
  const namesOf = (store: string): ProductNames =>
    (['sku', 'id', 'externalId'] as const)[stores.indexOf(store) % 3] ?? 'sku';
  const begin = Date.now();
  const say = (line: string) => options.say?.(`${Math.round((Date.now() - begin) / 1000)} s: ${line}`);
  for (const store of stores) {
    await importProducts(run, store, options.targetsPerStore);
    // The request of the import may not be applied yet: names change only while the store has no open request.
    await until(`the names of ${store}`, async () => {
      const names = { products: namesOf(store) };
      return (await run.partner.callApi('PUT', `/stores/${store}`, { names })).status === 200;
    });
    say(`imported the products of ${store}`);
  }
  const random = new Random(options.seed);
  const changes = planChanges({ ...options, stores }, random);
  const firstRequest = (await run.controls?.requests())?.requests.length ?? 0;
  // The waker's minute, shortened like all other times.
  const waking = triggerRepeatedly(run.local, 'LaneWaker', WAKE_EVERY_MS);

  const startedAt = Date.now();
  const disturbance = disturb(run, { ...options, random });
  const write = eventWriter(await productsOf(run), namesOf, random, startedAt);
  await send(run, shuffled(changes, random).map(write), { ...options, random, say });
  const sentAt = Date.now();
  await enoughStruck(run, firstRequest);
  const { kills } = await disturbance.stop();
  const violations = await settled(run, changes, { ...options, say });
  const settledAt = Date.now();
  await waking.stop();

  const { requests } = (await run.controls?.requests(firstRequest)) ?? { requests: [] };
  const products = await productsOf(run);
  const deadLetters = await run.partner.deadLetters();
  return {
    kills,
    faults: faultsThatStruck(requests),
    events: options.events,
    targets: stores.length * options.targetsPerStore,
    values: products.reduce((sum, { history }) => sum + history.price.length + history.stock.length, 0),
    sentInMs: sentAt - startedAt,
    settledInMs: settledAt - sentAt,
    rate: measureRate(requests, ALLOWED),
    deadLetters: deadLetters.reduce((sum, { messages }) => sum + messages, 0),
    violations,
  };
}

async function enoughStruck(run: ConnectorRun, firstRequest: number): Promise<void> {
  const haveStruck = async () => {
    const { requests } = (await run.controls?.requests(firstRequest)) ?? { requests: [] };
    return requests.filter(({ fault }) => fault !== null).length >= FAULTS_AT_LEAST;
  };
  await until('the faults', haveStruck, { withinMs: STRIKING_WITHIN_MS }).catch(() => {});
}

async function send(
  run: ConnectorRun,
  all: readonly ChangeEvent[],
  { random, sendForMs, say }: { random: Random; sendForMs: number; say: (line: string) => void },
): Promise<void> {
  const begin = Date.now();
  for (let start = 0; start < all.length; start += EVENTS_PER_PUT) {
    if (start % EVENTS_PER_REPORT === 0) say(`sent ${start} of ${all.length} events`);
    await pause(Math.max(0, begin + (sendForMs * start) / all.length - Date.now()));
    const events = all.slice(start, start + EVENTS_PER_PUT);
    if (random.chance(0.5)) await run.partner.putEvents(events);
    else {
      await run.partner.sendChanges(
        events.map(({ detailType, detail }) => JSON.stringify({ 'detail-type': detailType, detail })),
      );
    }
  }
}

/** Waits until every register has its newest value; returns what is wrong otherwise. */
async function settled(
  run: ConnectorRun,
  changes: readonly Change[],
  { settleWithinMs: withinMs, say }: { settleWithinMs: number; say: (line: string) => void },
): Promise<string[]> {
  const byProduct = Map.groupBy(changes, ({ storeClientId, sku }) => `${storeClientId} ${sku}`);
  const look = async () => {
    const products = await productsOf(run);
    const faults = products.flatMap((product) =>
      faultsOf(product, byProduct.get(`${product.storeClientId} ${product.sku}`) ?? []),
    );
    say(`${faults.length} values not yet as they should be`);
    return faults;
  };
  await until('the newest values', async () => (await look()).length === 0, {
    withinMs,
    everyMs: LOOK_EVERY_MS,
  }).catch(() => {});
  // Work in flight may still do harm, so check again once there is none.
  await pause(WAKE_EVERY_MS);
  return look();
}

async function productsOf(run: ConnectorRun): Promise<(SandboxProduct & { storeClientId: string })[]> {
  const pages = await Promise.all(
    run.stores.map(async (storeClientId) => {
      const { products } = (await run.controls?.products(storeClientId)) ?? { products: [] };
      return products.map((product) => ({ ...product, storeClientId }));
    }),
  );
  return pages.flat();
}
