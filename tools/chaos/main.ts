import { argumentsOrExit, readArguments, wholeNumber } from '../../local/run/command-arguments.ts';
import { assertNode24 } from '../../local/run/node-version.ts';
import { synthesize } from '../../local/run/synthesize.ts';
import { type ChaosFigures, runChaos } from './run-chaos.ts';

const flags = {
  events: { type: 'string', default: '50000' },
  targets: { type: 'string', default: '2000' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
} as const;
const usage = `Kills functions of the local run and makes the marketplace fail, while events pass. Ends with 1 if anything is lost.

  --events N    events to send (default ${flags.events.default})
  --targets N   products that they change (default ${flags.targets.default})
  --seed S      what happens when, from 0 on (default: another one each time)`;

const { events, targets, seed } = argumentsOrExit(usage, (args) => {
  const { values } = readArguments(args, flags);
  return {
    events: wholeNumber('events', values.events),
    targets: wholeNumber('targets', values.targets),
    seed: wholeNumber('seed', values.seed, 0),
  };
});

const STORES = 3;

/** Prints figures for a report; exit code 1 when anything did not hold. */
function report(figures: ChaosFigures): boolean {
  const { violations, rate, deadLetters, ...counts } = figures;
  console.log(JSON.stringify({ seed, ...counts, rate, deadLetters }, undefined, 2));
  for (const violation of violations.slice(0, 50)) console.error(violation);
  return violations.length === 0 && deadLetters === 0 && rate.excess <= 0 && rate.excessInFlight <= 0;
}

assertNode24();
await synthesize();
const figures = await runChaos({
  seed,
  events,
  targetsPerStore: Math.ceil(targets / STORES),
  sendForMs: 60_000,
  killEveryMs: 8000,
  faultEveryMs: 1500,
  settleWithinMs: 15 * 60_000,
  say: (line) => console.error(line),
});
process.exitCode = report(figures) ? 0 : 1;
