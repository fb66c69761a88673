import { parseArgs } from 'node:util';
import { readUsd } from '../cost/page.ts';
import { markdownTable } from '../describe/pages/markdown.ts';
import { assertNode24 } from '../run/node-version.ts';
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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
  },
});

/** Of the comparison with scripts. The large one takes more than an hour. */
const HOT_PATH = values.large ? { changes: 200_000, targets: 10_000 } : { changes: 4_000, targets: 200 };

/** What `npm run cost` has counted. */
async function benchCost(): Promise<Section> {
  const rows = [...readUsd()].map(([title, usd]) => [title, String(usd)]);
  return { text: markdownTable(['case', 'USD'], rows), isCounted: true };
}

/** Each is a section of docs/performance.md. */
const sections: Readonly<Record<string, () => Promise<Section>>> = {
  'hot-path': () => benchHotPath(HOT_PATH),
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
/** Only by name, and only printed. */
const others: Readonly<Record<string, () => Promise<void>>> = {
  limiter: () => benchLimiter(false),
  'limiter-live': () => benchLimiter(true),
};

async function bench(name: string): Promise<void> {
  const measure = sections[name];
  if (measure === undefined) {
    const other = others[name];
    const names = [...Object.keys(sections), ...Object.keys(others)].join(', ');
    if (other === undefined) throw new Error(`no bench ${name}; there are: ${names}`);
    return await other();
  }
  const section = await measure();
  console.log(`\n${section.text}`);
  if (values.write) writeSection(name, section);
}

assertNode24();
const only = values.only ?? positionals[0];
for (const name of only === undefined ? Object.keys(sections) : [only]) {
  // One that fails does not cost the measurements of the others.
  await bench(name).catch((error: unknown) => {
    console.error(`${name} failed:`, error);
    process.exitCode = 1;
  });
}
