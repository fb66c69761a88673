import { NOTHING_CHANGED } from './clients/api-hint.ts';
import { CliError } from './errors.ts';

/**
 * Does the work for each, one after another.
 *
 * @throws CliError of the first that fails, which says for which it was done before
 */
export async function forEach<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  nameOf: (item: Item) => string = String,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    try {
      results.push(await work(item));
    } catch (error) {
      if (items.length === 1 || !(error instanceof CliError)) throw error;
      const done = items.slice(0, results.length).map(nameOf).join(', ');
      const { code, exitCode, message } = error;
      // What the call did not change is not all that the command did.
      const hint = error.hint?.replace(NOTHING_CHANGED, `Of ${nameOf(item)} nothing was changed.`);
      throw new CliError(
        `${nameOf(item)}: ${message}; ${done === '' ? 'none was done before' : `done before: ${done}`}`,
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
