import { runSeed } from '../run-seed.ts';

/**
 * Runs seeds until one finds something; prints one line of JSON, the seed and what it found, or nothing. Says on the
 * standard error when it begins a seed.
 */
const [, , count, scenario = ''] = process.argv;
for (let seed = 1; seed <= Number(count); seed += 1) {
  console.error(seed);
  const { violation } = await runSeed(seed, { scenario });
  if (violation === undefined) continue;
  console.log(JSON.stringify({ seed, violation }));
  break;
}
