import { runSeed } from '../run-seed.ts';

/** Runs seeds until one finds something; prints one line of JSON, the seed and what it found, or nothing. */
const count = Number(process.argv[2]);
for (let seed = 1; seed <= count; seed += 1) {
  const { violation } = await runSeed(seed);
  if (violation === undefined) continue;
  console.log(JSON.stringify({ seed, violation }));
  break;
}
