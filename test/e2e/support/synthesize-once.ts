import { synthesize } from '../../run/synthesize.ts';

/** Vitest's global set-up of the end-to-end tests: all of them run the one template that `cdk synth` gives. */
export async function setup(): Promise<void> {
  await synthesize();
}
