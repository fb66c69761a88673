import type { Command } from 'commander';
import { type Search, searchSchema } from '../../shared/search/model.ts';
import { type Context, withContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { commandOf, wordsOf } from '../invocation.ts';
import { table } from '../render/table.ts';
import { time } from '../render/words.ts';

export function addFind(program: Command): void {
  program
    .command('find')
    .description('what a word names: a SKU or its beginning, an ID of any kind, an invoice number, a file')
    .argument(
      '<word>',
      'SKU or its beginning, externalId, product ID, order ID, invoice number, ID of an event, command, batch or request, or name of a file',
    )
    .option('--store <storeClientId>', 'only this store')
    .addHelpText('after', examples('find MUG-1', 'find prices.csv', 'find MUG --store store-0wh --json'))
    .action(withContext(find));
}

async function find(
  { api, show, terminal, target }: Context,
  { store }: { store?: string },
  word: string,
): Promise<void> {
  const query = { q: word, storeClientId: store };
  const found = await api.call(searchSchema, 'GET', ['search'], { query });
  if (found.hits.length === 0)
    throw new CliError(found.message ?? `no record of ${word}`, {
      code: 'NOTHING_FOUND',
      exitCode: EXIT.failed,
    });
  show(found, () => {
    const rows = found.hits.map(({ kind, id, storeClientId = '', what, at }) => [
      kind,
      id,
      storeClientId,
      time(at),
      what,
    ]);
    return [
      table(terminal, ['KIND', 'ID', 'STORE', 'LAST', 'WHAT'], rows),
      ...(found.hasMore ? [moreText(found)] : []),
      ...next(found).map((args) => terminal.style('cyan', `→ ${commandOf(target, args)}`)),
    ].join('\n');
  });
}

/** What was left out, and how to find it. */
export function moreText({ hits }: Pick<Search, 'hits'>): string {
  return hits.some(({ kind }) => kind === 'file')
    ? 'Earlier files have this name, too: give the whole key of the file, or its store.'
    : 'More products begin with this: give more of the SKU.';
}

/** The command that shows the only hit. */
export function next({ hits: [first, ...others] }: Search): string[] {
  if (first === undefined || others.length > 0) return [];
  if (first.kind === 'file') return [wordsOf('imports show', [first.id])];
  if (first.kind === 'store' && first.path.endsWith('/rejections'))
    return [wordsOf('rejections', [], ['--store', first.id])];
  if (first.trace === undefined) return [];
  const store = first.storeClientId === undefined ? [] : ['--store', first.storeClientId];
  return [wordsOf('trace', [first.id], store)];
}
