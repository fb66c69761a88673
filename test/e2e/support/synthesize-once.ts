import { dirname } from 'node:path';
import { bundleCommandLine } from '../../../infra/bundle.ts';
import { synthesize } from '../../../local/run/synthesize.ts';
import { commandLineScript } from './command-line.ts';

/**
 * Vitest's global set-up of the end-to-end tests: they all run one template, synthesized by `cdk synth`, and one bundle of the
 * command line. From its sources each of its hundreds of processes would take twice as long.
 */
export async function setup(): Promise<void> {
  await Promise.all([synthesize(), bundleCommandLine(dirname(commandLineScript))]);
}
