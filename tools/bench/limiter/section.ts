import { markdownTable } from '../../describe/pages/markdown.ts';
import type { Section } from '../page.ts';
import { measureLanes } from './lanes.ts';

const SECONDS = 40;
const IO_MS = 10;

/** The part of the allowed rate that waiting lanes use, in virtual time: the same on every machine. As a table. */
export async function benchLanes(): Promise<Section> {
  const table: string[][] = [];
  const bars = [];
  for (const [perSecond, stores] of [
    [5, 1],
    [5, 10],
    [5, 100],
    [50, 1],
    [50, 10],
  ] as const) {
    const seconds = perSecond === 5 ? SECONDS : SECONDS / 4;
    const figures = await measureLanes(perSecond, stores, { ioMs: IO_MS, seconds });
    const { utilization, mostInASecond, readsPerSecond, writesPerSecond, longestWaitMs } = figures;
    const name = `${perSecond} requests/s, ${stores} ${stores === 1 ? 'store' : 'stores'}`;
    const used = utilization * 100;
    table.push([
      name,
      used.toFixed(1),
      String(mostInASecond),
      readsPerSecond.toFixed(1),
      writesPerSecond.toFixed(1),
      longestWaitMs.toFixed(0),
    ]);
    bars.push({ label: name, low: used, median: used, high: used });
  }
  const header = [
    'allowed',
    'used, %',
    'most in 1 s',
    'reads/s',
    'writes/s',
    'longest wait for a permit, ms',
  ];
  return {
    text: markdownTable(header, table),
    isCounted: true,
    plot: { title: 'Use of the allowed rate', unit: '% of the allowed requests', bars, goal: 95 },
  };
}
