import { systemClock } from '../../../shared/time/system-clock.ts';
import { markdownTable } from '../../describe/pages/markdown.ts';
import { barOf, cpuMs, interleaved, spread } from '../interleaved.ts';
import type { Section } from '../page.ts';
import { intakeWorld, messagesOf } from './world.ts';

const RECORDS = 10_000;
/** Messages of one receive. */
const RECEIVE = 1_000;
const ROUNDS = 9;

/** What a script would do: the newest value of each SKU, in a map. */
function plainLoop(bodies: readonly string[]): Map<string, { version: number; stock: number }> {
  const newest = new Map<string, { version: number; stock: number }>();
  for (const body of bodies) {
    const { version, items } = JSON.parse(body).detail;
    for (const { sku, stock } of items) {
      if ((newest.get(sku)?.version ?? -1) < version) newest.set(sku, { version, stock });
    }
  }
  return newest;
}

/** Intake of 10,000 changes of as many products over tables in memory beside a plain loop, as a table. */
export async function benchIntake(): Promise<Section> {
  const world = intakeWorld(systemClock);
  let version = 0;
  const nextMessages = () => {
    version += 1;
    return messagesOf(RECORDS, { listings: RECORDS, version });
  };
  const contenders = {
    'plain loop': () => {
      const bodies = nextMessages().map(({ body }) => body);
      const begin = cpuMs();
      plainLoop(bodies);
      return cpuMs() - begin;
    },
    connector: async () => {
      const messages = nextMessages();
      const begin = cpuMs();
      for (let start = 0; start < RECORDS; start += RECEIVE)
        await world.take(messages.slice(start, start + RECEIVE));
      return cpuMs() - begin;
    },
  };
  await interleaved(contenders, 2);
  const measured = await interleaved(contenders, ROUNDS);
  const speedsOf = (ratios: readonly number[]) => ratios.map((ratio) => 1 / ratio);
  const rows = measured.map(({ name, values, ratios }) => [
    name,
    spread(values, 1),
    spread(speedsOf(ratios), 3),
  ]);
  return {
    text: markdownTable(['10,000 changes', 'ms of CPU', 'speed, of the plain loop'], rows),
    plot: {
      title: 'Intake of 10,000 changes',
      unit: 'speed, of the plain loop',
      bars: measured.map(({ name, ratios }) => barOf(name, speedsOf(ratios))),
      goal: 0.4,
    },
  };
}
