import { runSeed } from '../run-seed.ts';

/**
 * Runs seeds until one finds a violation. Prints one line of JSON with the seed and the violation, if any, and writes a line
 * to the standard error at the start of each seed.
 */
const [, , count, scenario = ''] = process.argv;
for (let seed = 1; seed <= Number(count); seed += 1) {
  console.error(seed);
  const { violation } = await runSeed(seed, { scenario });
  if (violation === undefined) continue;
  console.log(JSON.stringify({ seed, violation }));
  break;
}
