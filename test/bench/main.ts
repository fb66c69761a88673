import { parseArgs } from 'node:util';
import { assertNode24 } from '../run/node-version.ts';
import { synthesize } from '../run/synthesize.ts';
import { contenders } from './contenders.ts';
import { benchImport } from './import/main.ts';
import { benchLimiter } from './limiter/main.ts';
import { type Figures, measure } from './measure.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changes: { type: 'string', default: '300' },
    targets: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    rows: { type: 'string', default: '1000000' },
  },
});

assertNode24();
const [what] = positionals;
if (what === 'limiter' || what === 'limiter-live') await benchLimiter(what === 'limiter-live');
else if (what === 'import') await benchImport(Number(values.rows));
else await benchContenders();

/** Compares the stack with what a partner would use instead. */
async function benchContenders(): Promise<void> {
  await synthesize();
  const plan = {
    events: Number(values.changes),
    targetsPerStore: Number(values.targets),
    seed: Number(values.seed),
  };
  const results: [string, Figures][] = [];
  for (const [name, contender] of Object.entries(contenders)) {
    results.push([name, await measure(contender, plan)]);
  }

  /** Ratios to the first contender, because absolute times depend on the machine. */
  const [, own] = results[0] ?? [];
  const ratio = (value: number, base: number | undefined) => (base ? `${(value / base).toFixed(1)} ×` : '–');
  console.log(
    `${plan.events} changes of ${plan.targetsPerStore} products, arriving out of order, at 5 requests a second`,
  );
  console.table(
    Object.fromEntries(
      results.map(([name, { requests, lastEffectMs, wrongValues }]) => [
        name,
        {
          requests,
          'requests, ratio': ratio(requests, own?.requests),
          'until the last effect, ratio': ratio(lastEffectMs, own?.lastEffectMs),
          'wrong values': wrongValues,
        },
      ]),
    ),
  );
}
