import { setTimeout as pause } from 'node:timers/promises';
import { skuOf } from '../../local/run/catalog.ts';
import { type ConnectorRun, startConnector } from '../../local/run/connector-run.ts';
import { synthesize } from '../../local/run/synthesize.ts';
import { until } from '../../local/run/until.ts';
import { markdownTable } from '../describe/pages/markdown.ts';
import { type Marketplace, startMarketplace } from './hot-path/run-contender.ts';
import { barOf, median, quantile } from './interleaved.ts';
import type { Section } from './page.ts';

const STORE = 'store-bench';
const ROUNDS = 12;
const LATENCY_MS = 50;
const LOOK_EVERY_MS = 20;
/** A lane that has just sent looks for more work for a while: only after it is the stack idle. */
const REST_MS = 1_000;

interface Case {
  readonly name: string;
  readonly detailType: string;
  readonly itemOf: (round: number) => {
    readonly register: string;
    readonly value: number;
    readonly item: object;
  };
}

const cases: readonly Case[] = [
  {
    name: 'stock becomes zero',
    detailType: 'stock.changed',
    itemOf: (round) => {
      const sku = skuOf(2 * round);
      return { register: `stock ${sku}`, value: 0, item: { sku, stock: 0 } };
    },
  },
  {
    name: 'stock rises',
    detailType: 'stock.changed',
    itemOf: (round) => {
      const sku = skuOf(2 * round + 1);
      return { register: `stock ${sku}`, value: 7, item: { sku, stock: 7 } };
    },
  },
];

/** Milliseconds from the event on the bus to its request's arrival at the marketplace. */
async function latencyOf(
  { run, marketplace }: { run: ConnectorRun; marketplace: Marketplace },
  { detailType, itemOf }: Case,
  round: number,
): Promise<number> {
  await run.local.idle();
  await pause(REST_MS);
  const { register, value, item } = itemOf(round);
  await marketplace.ask({ newest: [[register, value]] });
  const begin = Date.now();
  await run.partner.putEvents([{ detailType, detail: { storeClientId: STORE, items: [item] } }]);
  const { lastAt } = await until(
    `the change of ${register}`,
    async () => {
      const view = await marketplace.ask({ look: true });
      return view.wrong === 0 && view;
    },
    { everyMs: LOOK_EVERY_MS },
  );
  return lastAt - begin;
}

interface Measured {
  readonly name: string;
  readonly values: number[];
}

/** @param gatherChangesSeconds the setting of that name */
async function measure(gatherChangesSeconds: number): Promise<Measured[]> {
  const settings = { gatherChangesSeconds: String(gatherChangesSeconds) };
  const templatePath = await synthesize({ settings });
  await using marketplace = await startMarketplace({ latencyMs: LATENCY_MS, requestsPerSecond: 5 });
  await using run = await startConnector({
    marketplace: { baseUrl: marketplace.baseUrl, partnerClientId: 'bench', partnerSecretKey: 'secret' },
    stores: { [STORE]: 'token' },
    templatePath,
  });
  const measured = cases.map((one) => ({
    one,
    name: `${one.name}, gatherChangesSeconds ${gatherChangesSeconds}`,
    values: [] as number[],
  }));
  // The first round starts the functions.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { one, values } of measured) {
      const latency = await latencyOf({ run, marketplace }, one, round);
      if (round > 0) values.push(latency);
    }
  }
  return measured;
}

/**
 * One change at a time on an idle stack, local: how long until the marketplace has it, as a table. With the default of
 * `gatherChangesSeconds`, and with none.
 */
export async function benchIdleStack(): Promise<Section> {
  const measured = [...(await measure(1)), ...(await measure(0))];
  const rows = measured.map(({ name, values }) => [
    name,
    median(values).toFixed(0),
    quantile(values, 0.9).toFixed(0),
    Math.max(...values).toFixed(0),
  ]);
  return {
    text: markdownTable(
      [`one change, ${ROUNDS} times`, 'ms, median', 'ms, 90th percentile', 'ms, the longest'],
      rows,
    ),
    plot: {
      title: 'One change on an idle stack',
      unit: 'ms from the event to the request at the marketplace',
      bars: measured.map(({ name, values }) => barOf(name, values)),
      goal: 250,
    },
  };
}
