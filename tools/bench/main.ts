import { argumentsOrExit, readArguments } from '../../local/run/command-arguments.ts';
import { assertNode24 } from '../../local/run/node-version.ts';
import { readUsd } from '../cost/page.ts';
import { markdownTable } from '../describe/pages/markdown.ts';
import { benchBatchLoop } from './batch-loop.ts';
import { benchColdStart } from './cold-start/main.ts';
import { benchHotPath } from './hot-path/main.ts';
import { benchIdleStack } from './idle-stack.ts';
import { benchImport } from './import/main.ts';
import { benchGrowth } from './intake/growth.ts';
import { benchIntake } from './intake/main.ts';
import { benchLimiter } from './limiter/main.ts';
import { benchLanes } from './limiter/section.ts';
import { type Section, writeSection } from './page.ts';
import { benchRows } from './rows.ts';
import { benchSignatures } from './signatures.ts';

const flags = {
  only: { type: 'string' },
  write: { type: 'boolean', default: false },
} as const;

/** What `npm run cost` has counted. */
async function benchCost(): Promise<Section> {
  const rows = [...readUsd()].map(([title, usd]) => [title, String(usd)]);
  return { text: markdownTable(['case', 'USD'], rows), isCounted: true };
}

/** Each is a section of docs/performance.md. */
const sections: Readonly<Record<string, () => Promise<Section>>> = {
  'hot-path': () => benchHotPath({ changes: 4_000, targets: 200 }),
  signatures: benchSignatures,
  'cold-start': benchColdStart,
  rows: benchRows,
  'batch-loop': benchBatchLoop,
  intake: benchIntake,
  growth: benchGrowth,
  'catalog-file': benchImport,
  lanes: benchLanes,
  'idle-stack': benchIdleStack,
  cost: benchCost,
};
/** Only by name. */
const longSections: typeof sections = {
  'hot-path-large': () => benchHotPath({ changes: 200_000, targets: 10_000 }),
};
/** Only by name, and only printed. */
const others: Readonly<Record<string, () => Promise<void>>> = {
  limiter: () => benchLimiter(false),
  'limiter-live': () => benchLimiter(true),
};

const usage = `Measures the connector beside what a partner would use instead: docs/performance.md. All sections take about 15 minutes.

  NAME          measure only this; several are possible
  --only NAME   the same
  --write       write what was measured into docs/performance.md

Sections: ${Object.keys(sections).join(', ')}
Only by name, an hour and a half: ${Object.keys(longSections).join(', ')}
Only printed: ${Object.keys(others).join(', ')}`;

const { values, names } = argumentsOrExit(usage, (args) => {
  const { values, positionals } = readArguments(args, flags, { allowPositionals: true });
  return {
    values,
    names: chosenNames(values.only === undefined ? positionals : [values.only, ...positionals]),
  };
});

async function bench(name: string): Promise<void> {
  const section = await (sections[name] ?? longSections[name])?.();
  if (section === undefined) return others[name]?.();
  console.log(`\n${section.text}`);
  if (values.write) writeSection(name, section);
}

/** @throws Error of one line for a name that there is not */
function chosenNames(chosen: string[]): string[] {
  const known = [sections, longSections, others].flatMap(Object.keys);
  const unknown = chosen.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`no bench ${unknown}; there are: ${known.join(', ')}`);
  return chosen.length === 0 ? Object.keys(sections) : chosen;
}

assertNode24();
for (const name of names) {
  // One that fails does not cost the measurements of the others.
  await bench(name).catch((error: unknown) => {
    console.error(`${name} failed:`, error);
    process.exitCode = 1;
  });
}
