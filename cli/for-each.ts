import { NOTHING_CHANGED } from './clients/api-hint.ts';
import { CliError } from './errors.ts';

/**
 * Does the work for each of these IDs, one after another.
 *
 * @throws CliError of the first that fails, which says for which it was done before
 */
export async function forEach<Result>(
  ids: readonly string[],
  work: (id: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const id of ids) {
    try {
      results.push(await work(id));
    } catch (error) {
      if (ids.length === 1 || !(error instanceof CliError)) throw error;
      const done = ids.slice(0, results.length).join(', ');
      const { code, exitCode, message } = error;
      // What the call did not change is not all that the command did.
      const hint = error.hint?.replace(NOTHING_CHANGED, `Of ${id} nothing was changed.`);
      throw new CliError(
        `${id}: ${message}; ${done === '' ? 'none was done before' : `done before: ${done}`}`,
        {
          code,
          exitCode,
          cause: error,
          ...(hint !== undefined && { hint }),
        },
      );
    }
  }
  return results;
}

/** A single result as it is, as for one argument. */
export function oneOrAll<Result>(results: readonly Result[]): Result | readonly Result[] {
  const [first, ...others] = results;
  return first !== undefined && others.length === 0 ? first : results;
}
