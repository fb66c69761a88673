import type { Command } from 'commander';
import { importViewSchema } from '../../shared/imports/view.ts';
import { entriesFrom } from '../clients/pages.ts';
import { type Context, withContext } from '../context.ts';
import {
  addCommand,
  cursorOption,
  decimalOption,
  hintsOf,
  type NotationOptions,
  type PageOptions,
  thousandsOption,
  wholeNumberOption,
} from '../help.ts';
import { findImport } from '../imports/find-import.ts';
import { noteOthers, rejectedOf, rejectedRows, rowsToShow, saveRejects } from '../imports/rejected-rows.ts';
import { describeImport, importTable } from '../render/import.ts';
import { counted, moreBehind, noneOf } from '../render/words.ts';

export function addImports(program: Command): void {
  const imports = program
    .command('imports')
    .description(
      'files of the import bucket, with the outcome of their rows; FILE is the ID of an import, or the name of a file: its last import; to release or discard one, no other may have the name',
    );
  addCommand(imports, 'list', 'the files of the import bucket, the newest first', [
    'imports list',
    'imports list --store store-0wh',
  ])
    .option('--store <storeClientId>', 'only the files of this store, or of - for files whose key names none')
    .option('--limit <number>', 'most files, up to 50', wholeNumberOption, 10)
    .addOption(cursorOption())
    .action(withContext<ListOptions>(list));
  addCommand(
    imports,
    'show <file>',
    'a file: its rows by outcome, the first rejected ones, and its batches',
    ['imports show IMPORT', 'imports show stock.csv'],
  ).action(withContext(showOne));
  addCommand(imports, 'rejects <file>', 'the rejected rows of a file, as a file to correct and import', [
    'imports rejects stock.csv --out rejects.ndjson',
  ])
    .option('--out <file>', 'write them to this file (default: standard output)')
    .action(withContext<{ out?: string }>(rejects));
  addCommand(
    imports,
    'release <file>',
    'set the stock of the listings that a held file does not name to 0, or read its numbers as you say',
    ['imports release IMPORT --yes', 'imports release IMPORT --decimal ,'],
  )
    .addOption(decimalOption())
    .addOption(thousandsOption())
    .action(
      withContext<NotationOptions>((context, options, id = '') => end(context, id, 'release', options)),
    );
  addCommand(
    imports,
    'discard <file>',
    'leave the stock of the listings that a held file does not name as it is, or a failed file',
    ['imports discard IMPORT --yes'],
  ).action(withContext((context, _, id = '') => end(context, id, 'discard')));
}

interface ListOptions extends PageOptions {
  readonly store?: string;
}

async function list(
  { api, show, showCursor, terminal }: Context,
  { store, limit, cursor: from }: ListOptions,
) {
  const query = { storeClientId: store, limit, cursor: from };
  const { entries: imports, cursor } = await entriesFrom(
    api,
    ['imports'],
    { imports: importViewSchema },
    query,
  );
  show(imports, () => {
    if (imports.length === 0) return noneOf(`file${store === undefined ? '' : ` of ${store}`}`, from);
    return [importTable(imports, terminal), ...moreBehind(cursor)].join('\n');
  });
  showCursor(cursor);
}

async function showOne(context: Context, _: object, word: string) {
  const view = await findImport(context, word);
  const first = await rowsToShow(context, view);
  context.show(view, () => describeImport(view, first, context.terminal));
}

async function rejects(context: Context, { out }: { out?: string }, word: string) {
  const view = await findImport(context, word);
  if (out === undefined) {
    let shown = 0;
    for await (const line of rejectedRows(context, view)) {
      context.terminal.print(line);
      shown += 1;
    }
    noteOthers(context, view, shown);
    return;
  }
  const rows = await saveRejects(context, view, out);
  context.show(
    { importId: view.importId, file: out, rows, rejected: rejectedOf(view) },
    () => `${counted(rows, 'rejected row')} in ${out}`,
  );
}

async function end(
  context: Context,
  word: string,
  what: 'release' | 'discard',
  options: NotationOptions = {},
) {
  const { api, show, confirm } = context;
  const view = await findImport(context, word, { isChanged: true });
  const { importId } = view;
  const notation = hintsOf(options);
  const body = Object.keys(notation).length === 0 ? undefined : notation;
  const rows = 'the rows whose numbers are ambiguous';
  const missing = `the stock of ${counted(view.full?.missing ?? 0, 'listing')} of ${view.storeClientId}`;
  if (what === 'discard' && view.hold === undefined)
    await confirm(`Leave ${view.key} as it is, as nothing of it is needed?`);
  else if (view.full?.hold === undefined)
    await confirm(
      what === 'release' ? `Read ${rows} with the decimal ${notation.decimal}?` : `Leave ${rows} rejected?`,
    );
  else await confirm(what === 'release' ? `Set ${missing} to 0?` : `Leave ${missing} as it is?`);
  const ended = await api.call(importViewSchema, 'POST', ['imports', importId, what], { body });
  show(ended, () =>
    what === 'release' ? `the release of ${importId} is queued` : `${importId} is discarded`,
  );
}
