import { synthesize } from '../../../local/run/synthesize.ts';

/** Vitest's global set-up of the end-to-end tests: they all run one template, synthesized by `cdk synth`. */
export async function setup(): Promise<void> {
  await synthesize();
}
