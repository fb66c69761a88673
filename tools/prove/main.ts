import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { argumentsOrExit, partOfName, readArguments } from '../../local/run/command-arguments.ts';
import { listenForInterrupt } from '../../local/run/interrupt.ts';
import { assertNode24 } from '../../local/run/node-version.ts';
import { planText, readProgress, sizeOf, stepsLeft, writeProgress } from './progress.ts';
import { type Step, steps } from './steps.ts';

const flags = {
  plan: { type: 'boolean', default: false },
  again: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
} as const;
const usage = `Runs the proofs that take hours, one after the other. Steps that passed with the same sources are not run again: a run
that was ended goes on where it was. Ends with 1 if a step failed. Each step has a log in .build/prove.

  --plan        only show the steps, each with its result
  --only PART   only steps whose name contains PART
  --again       also steps that have passed`;

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, '.build', 'prove');
const file = join(folder, 'progress.json');

const options = argumentsOrExit(usage, (args) => {
  const { values } = readArguments(args, flags);
  const names = steps.map(({ name }) => name);
  return { ...values, only: partOfName('only', values.only, names) };
});

assertNode24();
const chosen = steps.filter(({ name }) => name.includes(options.only));
const progress = readProgress(file, hashOfSources());
if (options.again) for (const { name } of chosen) delete progress.results[name];
console.log(planText(chosen, progress));
console.log(`\nLeft: ${sizeOf(stepsLeft(chosen, progress))} on two quiet cores.`);
if (!options.plan) await prove();

async function prove(): Promise<void> {
  using interrupt = listenForInterrupt({ onFirst: () => console.log('\nEnding the step …') });
  mkdirSync(folder, { recursive: true });
  for (const step of stepsLeft(chosen, progress)) {
    console.log(`\n${step.name} …`);
    const result = await run(step, interrupt.signal);
    if (interrupt.signal.aborted) break;
    progress.results[step.name] = result;
    writeProgress(file, progress);
    const log = relative(process.cwd(), logOf(step));
    console.log(
      result.passed ? `passed in ${result.seconds} s` : `FAILED in ${result.seconds} s: see ${log}`,
    );
    const untried = chosen.filter(({ name }) => progress.results[name] === undefined);
    if (untried.length > 0) console.log(`left: ${sizeOf(untried)}`);
  }
  const left = stepsLeft(chosen, progress);
  console.log(`\n${chosen.length - left.length} of ${chosen.length} steps passed`);
  process.exitCode = left.length === 0 ? 0 : 1;
}

async function run(step: Step, signal: AbortSignal): Promise<{ passed: boolean; seconds: number }> {
  const begun = Date.now();
  const [program, ...args] = step.command;
  const log = createWriteStream(logOf(step));
  const child = spawn(program, args, {
    cwd: root,
    env: {
      ...process.env,
      ...step.environment,
      PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A signal to this process alone does not reach it; one of the terminal reaches it twice.
  const end = () => void child.kill('SIGINT');
  signal.addEventListener('abort', end);
  for (const output of [child.stdout, child.stderr]) output.pipe(log, { end: false });
  const [status] = await once(child, 'close');
  signal.removeEventListener('abort', end);
  log.end();
  return { passed: status === 0, seconds: Math.round((Date.now() - begun) / 1000) };
}

function logOf({ name }: Step): string {
  return join(folder, `${name.replace(/\W+/g, '-')}.log`);
}

/** The same for the same files, committed or not. */
function hashOfSources(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'prove-'));
  try {
    const env = { ...process.env, GIT_INDEX_FILE: join(scratch, 'index') };
    execFileSync('git', ['add', '--all'], { cwd: root, env });
    return execFileSync('git', ['write-tree'], { cwd: root, env }).toString().trim();
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
