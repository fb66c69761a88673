import type { OnFailure } from '../errors/set-apart.ts';
import { describeError } from './describe-error.ts';
import { logger } from './observability.ts';

/**
 * Runs scheduled work whose parts fail by themselves. Each failure is logged as it is told of.
 *
 * @throws AggregateError of them, once all is done: what fails at every run needs a person, whom the function's alarm calls.
 */
export async function inParts(work: (onFailure: OnFailure) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  await work((error) => {
    failures.push(error);
    logger.error('a part of the work failed, the next run tries it again', describeError(error));
  });
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of the work failed`);
}
