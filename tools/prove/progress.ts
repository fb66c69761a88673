import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Step } from './steps.ts';

const resultSchema = z.object({ passed: z.boolean(), seconds: z.number() });
const progressSchema = z.object({
  /** The state of the sources that was proven. */
  sources: z.string(),
  results: z.record(z.string(), resultSchema),
});

export type Progress = z.infer<typeof progressSchema>;

/** The progress that `file` has about these sources; none if it is about others. */
export function readProgress(file: string, sources: string): Progress {
  try {
    const progress = progressSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (progress.sources === sources) return progress;
  } catch {
    // No file, or one that was cut off.
  }
  return { sources, results: {} };
}

export function writeProgress(file: string, progress: Progress): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(progress, undefined, 2));
}

/** The steps that have not passed yet. */
export function stepsLeft(steps: readonly Step[], { results }: Progress): Step[] {
  return steps.filter(({ name }) => results[name]?.passed !== true);
}

/** How long steps take on two quiet cores: `3 steps, about 1 h 10 min`. */
export function sizeOf(steps: readonly Step[]): string {
  const minutes = steps.reduce((sum, step) => sum + step.minutes, 0);
  const hours = Math.floor(minutes / 60);
  const time = [...(hours > 0 ? [`${hours} h`] : []), `${minutes % 60} min`].join(' ');
  return `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}, about ${time}`;
}

/** The plan, a line for each step: whether it passed, failed or is left, and how long it took or will take. */
export function planText(steps: readonly Step[], { results }: Progress): string {
  return steps
    .map(({ name, minutes }) => {
      const result = results[name];
      if (result === undefined) return `left    ${name} (about ${minutes} min)`;
      return `${result.passed ? 'passed' : 'FAILED'}  ${name} (${result.seconds} s)`;
    })
    .join('\n');
}
