import { synthesize } from '../run/synthesize.ts';
import { contenders } from './contenders.ts';
import { type BenchPlan, type Figures, measure } from './measure.ts';

/** Compares the stack with what a partner would use instead. */
export async function benchContenders(plan: BenchPlan): Promise<void> {
  await synthesize();
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
