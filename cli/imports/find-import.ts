import { type ImportView, importViewSchema } from '../../shared/imports/view.ts';
import { searchSchema } from '../../shared/search/model.ts';
import type { Context } from '../context.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

const IMPORT_ID = /^[0-9a-f]{32}$/;

/** The import with an ID, or the last one of a file with this name, with or without its folders. @throws CliError without one */
export async function findImport(
  { api, terminal, isJson }: Pick<Context, 'api' | 'terminal' | 'isJson'>,
  word: string,
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
  if (earlier.length > 0 && !isJson)
    terminal.note(
      `the last of ${earlier.length + 1}${hasMore ? ' or more' : ''} imports of ${word}: ${last.id}`,
    );
  return show(last.id);
}
