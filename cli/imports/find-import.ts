import { type ImportView, importViewSchema } from '../../shared/imports/view.ts';
import { searchSchema } from '../../shared/search/model.ts';
import type { Context } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { time } from '../render/words.ts';

const IMPORT_ID = /^[0-9a-f]{32}$/;

/**
 * The import with an ID, or the last one of a file with this name, with or without its folders.
 *
 * @param isChanged something is done with it: then no other import may have the name
 * @throws CliError without one, or if several have the name of one that is changed
 */
export async function findImport(
  { api, terminal, isJson }: Pick<Context, 'api' | 'terminal' | 'isJson'>,
  word: string,
  { isChanged = false } = {},
): Promise<ImportView> {
  const show = (importId: string) => api.call(importViewSchema, 'GET', ['imports', importId]);
  if (IMPORT_ID.test(word)) return show(word);
  const { hits, hasMore } = await api.call(searchSchema, 'GET', ['search'], { query: { q: word } });
  const [last, ...earlier] = hits
    .filter(({ kind }) => kind === 'file')
    .toSorted((one, other) => (other.at ?? '').localeCompare(one.at ?? ''));
  if (last === undefined)
    throw new CliError(`no import ${word}, and no file of this name`, {
      code: 'IMPORT_UNKNOWN',
      exitCode: EXIT.failed,
    });
  if (earlier.length > 0 && isChanged) {
    const listed = [last, ...earlier].map(
      ({ id, storeClientId = '-', at }) => `${id} (${storeClientId}, ${time(at)})`,
    );
    throw usageError(
      `${earlier.length + 1}${hasMore ? ' or more' : ''} imports have the name ${word}`,
      `Name one by its ID: ${listed.join(', ')}.`,
    );
  }
  if (earlier.length > 0 && !isJson)
    terminal.note(
      `the last of ${earlier.length + 1}${hasMore ? ' or more' : ''} imports of ${word}: ${last.id}`,
    );
  return show(last.id);
}
