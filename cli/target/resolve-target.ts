import { usageError } from '../errors.ts';
import { localTarget } from './local-target.ts';
import { stackTarget } from './stack-target.ts';
import type { Target } from './target.ts';

/** The global options that choose the stack. */
export interface TargetOptions {
  readonly local?: boolean;
  readonly outputs?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
}

/**
 * The stack by the options: a deployed one by `stack`, otherwise the local run whose outputs file is there.
 *
 * @throws CliError if there is no such stack, or if options exclude each other
 */
export async function resolveTarget(options: TargetOptions): Promise<Target> {
  const { local, stack, outputs, region, profile } = options;
  if (stack !== undefined && (local || outputs !== undefined))
    throw usageError(
      '--stack names a deployed stack; --local and --outputs name the local run: give one of them',
    );
  if (stack !== undefined) return stackTarget({ stack, region, profile });
  if (region !== undefined || profile !== undefined)
    throw usageError('--region and --profile go with --stack', 'Add --stack NAME.');
  return localTarget(outputs);
}
