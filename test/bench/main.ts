import { parseArgs } from 'node:util';
import { assertNode24 } from '../run/node-version.ts';
import { benchColdStart } from './cold-start/main.ts';
import { benchContenders } from './contenders-table.ts';
import { benchImport } from './import/main.ts';
import { benchLimiter } from './limiter/main.ts';
import { writeSection } from './page.ts';
import { benchSignatures } from './signatures.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
    changes: { type: 'string', default: '300' },
    targets: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    rows: { type: 'string', default: '1000000' },
  },
});

/** Prints a table, and with `--write` puts it into the section of that name in docs/performance.md. */
async function table(name: string, bench: () => Promise<string>): Promise<void> {
  const text = await bench();
  console.log(`\n${text}`);
  if (values.write) writeSection(name, text);
}

const benches: Readonly<Record<string, () => Promise<void>>> = {
  signatures: () => table('signatures', benchSignatures),
  'cold-start': () => table('cold-start', benchColdStart),
  contenders: () =>
    benchContenders({
      events: Number(values.changes),
      targetsPerStore: Number(values.targets),
      seed: Number(values.seed),
    }),
  limiter: () => benchLimiter(false),
  'limiter-live': () => benchLimiter(true),
  import: () => benchImport(Number(values.rows)),
};
const byDefault = ['signatures', 'cold-start', 'contenders'];

assertNode24();
const only = values.only ?? positionals[0];
for (const name of only === undefined ? byDefault : [only]) {
  const bench = benches[name];
  if (!bench) throw new Error(`no bench ${name}; there are: ${Object.keys(benches).join(', ')}`);
  await bench();
}
