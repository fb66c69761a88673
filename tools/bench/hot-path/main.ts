import { startConnector } from '../../../local/run/connector-run.ts';
import { synthesize } from '../../../local/run/synthesize.ts';
import { triggerRepeatedly } from '../../../local/run/trigger-repeatedly.ts';
import { hastyTemplate } from '../../chaos/hasty-template.ts';
import { markdownTable } from '../../describe/pages/markdown.ts';
import { barOf, spread } from '../interleaved.ts';
import type { Section } from '../page.ts';
import { type Contender, connector, script } from './contenders.ts';
import { type Marketplace, type RunFigures, runContender, startMarketplace } from './run-contender.ts';

/** The stack's defaults. */
const ALLOWED = { requestsPerSecond: 5, requestsInFlight: 5 };
const LATENCY_MS = 50;
const STORE = 'store-bench';
const ROUNDS = 5;
/** More changes than these take minutes to deliver: all runs have a kill then. */
const MOST_WITHOUT_KILL = 50_000;
/** Time over which a contender gets its part of the changes, however many there are in all. */
const DELIVER_PART_MS = 4_000;
/** Versions between two runs. */
const VERSIONS = 100_000;
const WAKE_EVERY_MS = 2_000;

export interface HotPathOptions {
  readonly changes: number;
  readonly targets: number;
}

interface Entry {
  readonly name: string;
  /** Part of the changes and targets that it gets: all of them would take hours. */
  readonly share: number;
  readonly start: () => Promise<Contender>;
}

/** The connector beside three scripts that a partner would write, as a table. */
export async function benchHotPath({ changes, targets }: HotPathOptions): Promise<Section> {
  await synthesize();
  await using marketplace = await startMarketplace({ latencyMs: LATENCY_MS, ...ALLOWED });
  await using run = await startConnector({
    template: await hastyTemplate(ALLOWED),
    schedules: 'manual',
    marketplace: { baseUrl: marketplace.baseUrl, partnerClientId: 'bench', partnerSecretKey: 'secret' },
    stores: { [STORE]: 'token' },
  });
  const at = { baseUrl: marketplace.baseUrl, ...ALLOWED };
  const entries: readonly Entry[] = [
    {
      name: 'connector',
      share: 1,
      start: async () => {
        const waking = triggerRepeatedly(run.local, 'LaneWaker', WAKE_EVERY_MS);
        return { ...connector(run, STORE), stop: waking.stop };
      },
    },
    { name: '(a) a request per change', share: 50 / changes, start: () => script('each-change', at) },
    { name: '(b) collecting script', share: 1, start: () => script('collecting', at) },
    { name: '(c) newest per SKU', share: 1, start: () => script('newest-per-sku', at) },
  ];
  const size = { changes, targets };
  let runs = 0;
  const round = async (isKilled: boolean, measured: Map<string, RunFigures[]>) => {
    const seed = runs + 1;
    for (const entry of entries) {
      runs += 1;
      const figures = await runEntry(marketplace, entry, { ...size, seed, after: runs * VERSIONS, isKilled });
      measured.set(entry.name, [...(measured.get(entry.name) ?? []), figures]);
      console.error(`${entry.name}${isKilled ? ', killed once' : ''}: ${JSON.stringify(figures)}`);
    }
  };
  const [whole, killed] = [new Map<string, RunFigures[]>(), new Map<string, RunFigures[]>()];
  if (changes <= MOST_WITHOUT_KILL) await round(false, whole);
  for (let index = 0; index < ROUNDS; index += 1) await round(true, killed);
  return sectionOf(size, entries, whole, killed);
}

async function runEntry(
  marketplace: Marketplace,
  { share, start }: Entry,
  { changes, targets, ...options }: HotPathOptions & { seed: number; after: number; isKilled: boolean },
): Promise<RunFigures> {
  const contender = await start();
  try {
    return await runContender(marketplace, contender, {
      ...options,
      changes: Math.round(changes * share),
      targets: Math.max(1, Math.round(targets * share)),
      // All: 1,000 changes a second.
      deliverMs: share === 1 ? changes : DELIVER_PART_MS,
      // Twice what one request per 100 changes takes at the allowed rate, and time for a redelivery.
      settleWithinMs: 180_000 + changes * 4,
    });
  } finally {
    await contender.stop();
  }
}

function sectionOf(
  { changes, targets }: HotPathOptions,
  entries: readonly Entry[],
  whole: ReadonlyMap<string, readonly RunFigures[]>,
  killed: ReadonlyMap<string, readonly RunFigures[]>,
): Section {
  const count = new Intl.NumberFormat('en').format;
  const rows = entries.flatMap(({ name, share }) =>
    [whole, killed].flatMap((measured) => {
      const all = measured.get(name) ?? [];
      if (all.length === 0) return [];
      const of = (figure: keyof RunFigures) => all.map((figures) => figures[figure]);
      const row = [
        name,
        count(Math.round(changes * share)),
        measured === killed ? 'once' : 'no',
        spread(of('requests'), 0),
        spread(of('rows'), 0),
        spread(of('wrong'), 0),
        spread(of('stepsBack'), 0),
        spread(of('rightAfterS'), 1).replaceAll('Infinity', 'never'),
        spread(of('cpuMs'), 0),
      ];
      return [row];
    }),
  );
  const header = [
    'contender',
    'changes',
    'killed',
    'requests',
    'rows',
    'wrong values at the end',
    'steps back to an older value',
    's from the last change until all right',
    'CPU, ms',
  ];
  return {
    text: `${count(changes)} changes of ${count(targets)} targets.\n\n${markdownTable(header, rows)}`,
    plot: {
      title: 'Wrong values at the end, after one kill',
      unit: 'registers that do not have their newest value',
      bars: entries.map(({ name }) => barOf(name, killed.get(name)?.map(({ wrong }) => wrong) ?? [])),
    },
  };
}
