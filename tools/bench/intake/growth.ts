import { systemClock } from '../../../shared/time/system-clock.ts';
import { virtualClock } from '../../../test/unit/support/virtual-clock.ts';
import { markdownTable } from '../../describe/pages/markdown.ts';
import { barOf, cpuMs, interleaved, type Measured, spread } from '../interleaved.ts';
import type { Section } from '../page.ts';
import { intakeWorld, messagesOf } from './world.ts';

const CHANGES = 1_000;
const CALL_MS = 5;
const ROUNDS = 9;

/** What exists when 1,000 changes come. */
interface Size {
  readonly listings: number;
  readonly stores: number;
}

const name = ({ listings, stores }: Size) =>
  `${listings.toLocaleString('en')} listings, ${stores} ${stores === 1 ? 'store' : 'stores'}`;

/** Takes 1,000 changes again and again; each time is one value. */
async function cpuOf(size: Size): Promise<() => Promise<number>> {
  const world = intakeWorld(systemClock);
  const { listings, stores } = size;
  const perStore = Math.ceil(listings / stores);
  await world.take(messagesOf(listings, { listings: perStore, stores, version: 0 }));
  let version = 0;
  return async () => {
    version += 1;
    const messages = messagesOf(CHANGES, { listings: perStore, stores, version });
    const begin = cpuMs();
    await world.take(messages);
    return cpuMs() - begin;
  };
}

/** Milliseconds and calls of 1,000 changes whose tables take 5 ms a call, counted in virtual time. */
export async function countedTime({ listings, stores }: Size): Promise<{ ms: number; calls: number }> {
  const clock = virtualClock();
  const world = intakeWorld(clock, CALL_MS);
  const perStore = Math.ceil(listings / stores);
  const take = (count: number, version: number) =>
    clock.run(world.take(messagesOf(count, { listings: perStore, stores, version })));
  await take(listings, 0);
  const [before, begin] = [world.calls(), clock.now()];
  await take(CHANGES, 1);
  return { ms: clock.now() - begin, calls: world.calls() - before };
}

const LISTINGS: readonly Size[] = [1_000, 10_000, 100_000].map((listings) => ({ listings, stores: 1 }));
const STORES: readonly Size[] = [1, 10, 100].map((stores) => ({ listings: 1_000, stores }));

async function measure(sizes: readonly Size[]): Promise<Measured[]> {
  const contenders: Record<string, () => Promise<number>> = {};
  for (const size of sizes) contenders[name(size)] = await cpuOf(size);
  await interleaved(contenders, 2);
  return interleaved(contenders, ROUNDS);
}

/** 1,000 changes as the listings and the stores become a hundred times as many, as a table. */
export async function benchGrowth(): Promise<Section> {
  const rows: string[][] = [];
  const bars = [];
  for (const sizes of [LISTINGS, STORES]) {
    const measured = await measure(sizes);
    const [first] = sizes;
    const base = first && (await countedTime(first));
    for (const [index, { values, ratios }] of measured.entries()) {
      const size = sizes[index];
      if (size === undefined || base === undefined) continue;
      const { ms, calls } = await countedTime(size);
      rows.push([
        name(size),
        spread(values, 1),
        spread(ratios),
        String(calls),
        `${ms} (${(ms / base.ms).toFixed(2)} ×)`,
      ]);
      bars.push(barOf(name(size), ratios));
    }
  }
  return {
    text: markdownTable(
      ['1,000 changes of', 'ms of CPU', 'of the first', 'calls of tables', 'ms at 5 ms a call, counted'],
      rows,
    ),
    plot: { title: 'Intake as the number of listings and stores grows', unit: 'CPU, of the first', bars },
  };
}
