import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { forEachConcurrently } from '../../../shared/collections/for-each-concurrently.ts';
import { buildMutant } from './build-mutant.ts';
import { mutants } from './catalog.ts';
import type { Mutant } from './mutant.ts';

/** A mutant counts as caught when a seed takes longer than this many milliseconds: it hangs. */
const SEED_LIMIT_MS = 120_000;

const findingSchema = z.object({ seed: z.number(), violation: z.string() });

/**
 * Runs the simulation with each mistake alone and prints which seed caught it.
 *
 * @returns the number of survivors
 * @throws Error when a mutant's text is not in its file any more
 */
export async function runMutants(options: {
  seeds: number;
  /** Parts of the names of those to run; none: all. */
  names: readonly string[];
  /** Default: those that can show the mistake. */
  scenario?: string | undefined;
}): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'mutants-'));
  const chosen = mutants.filter(
    ({ name }) => options.names.length === 0 || options.names.some((part) => name.includes(part)),
  );
  let survivors = 0;
  try {
    await forEachConcurrently([...chosen.entries()], availableParallelism(), async ([index, mutant]) => {
      const { seeds, scenario = mutant.scenario ?? '' } = options;
      const line = await describeRun(mutant, join(directory, `${index}.mjs`), { seeds, scenario });
      if (line === undefined) survivors += 1;
      console.log(`${line === undefined ? 'SURVIVED' : 'caught  '} ${mutant.name}${line ?? ''}`);
    });
  } finally {
    await rm(directory, { recursive: true });
  }
  console.log(
    `${chosen.length - survivors} of ${chosen.length} mutants caught within ${options.seeds} seeds`,
  );
  return survivors;
}

/** How the mutant was caught; `undefined` when it was not. */
async function describeRun(
  mutant: Mutant,
  bundle: string,
  { seeds, scenario }: { readonly seeds: number; readonly scenario: string },
): Promise<string | undefined> {
  await buildMutant(mutant, bundle);
  const run = promisify(execFile)(process.execPath, [bundle, String(seeds), scenario]);
  const watchdog = setTimeout(() => run.child.kill(), SEED_LIMIT_MS);
  let begun = 0;
  run.child.stderr?.on('data', () => {
    begun += 1;
    watchdog.refresh();
  });
  const { stdout } = await run
    .catch((error: Error & { killed?: boolean }) => ({
      stdout: JSON.stringify({
        seed: begun,
        violation: error.killed ? 'the seed hangs' : firstLine(error.message),
      }),
    }))
    .finally(() => clearTimeout(watchdog));
  if (stdout === '') return undefined;
  const { seed, violation } = findingSchema.parse(JSON.parse(stdout));
  return ` — seed ${seed}: ${firstLine(violation)}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 160) ?? '';
}
