import type { Command } from 'commander';
import * as z from 'zod';
import { importViewSchema } from '../../shared/imports/model.ts';
import { type Context, withContext } from '../context.ts';
import {
  addCommand,
  decimalOption,
  type NotationOptions,
  thousandsOption,
  wholeNumberOption,
} from '../help.ts';
import { describeImport, importTable } from '../render/import.ts';
import { counted } from '../render/words.ts';

const pageSchema = z.object({ imports: z.array(importViewSchema), cursor: z.string().optional() });

/** Adds `imports` and its commands. */
export function addImports(program: Command): void {
  const imports = program
    .command('imports')
    .description('files of the import bucket, with the outcome of their rows');
  addCommand(imports, 'list', 'the files of the import bucket, the newest first', [
    'imports list',
    'imports list --store store-0wh',
  ])
    .option('--store <storeClientId>', 'only the files of this store, or of - for files whose key names none')
    .option('--limit <number>', 'most files, up to 50 (default: 10)', wholeNumberOption, 10)
    .action(withContext<ListOptions>(list));
  addCommand(imports, 'show <importId>', 'a file: its rows by outcome, and its batches', [
    'imports show IMPORT',
  ]).action(withContext(showOne));
  addCommand(
    imports,
    'release <importId>',
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
    'discard <importId>',
    'leave the stock of the listings that a held file does not name as it is',
    ['imports discard IMPORT --yes'],
  ).action(withContext((context, _, id = '') => end(context, id, 'discard')));
}

interface ListOptions {
  readonly store?: string;
  readonly limit: number;
}

async function list({ api, show, terminal }: Context, { store, limit }: ListOptions) {
  const query = { storeClientId: store, limit };
  const { imports, cursor } = await api.call(pageSchema, 'GET', ['imports'], { query });
  show(imports, () => {
    if (imports.length === 0) return `No file${store === undefined ? '' : ` of ${store}`} was imported.`;
    const drawn = importTable(imports, terminal);
    return cursor === undefined ? drawn : `${drawn}\nThere are more: raise --limit.`;
  });
}

async function showOne({ api, show }: Context, _: object, importId: string) {
  const view = await api.call(importViewSchema, 'GET', ['imports', importId]);
  show(view, () => describeImport(view));
}

async function end(
  { api, show, confirm }: Context,
  importId: string,
  what: 'release' | 'discard',
  { decimal, thousands }: NotationOptions = {},
) {
  const view = await api.call(importViewSchema, 'GET', ['imports', importId]);
  const body = decimal === undefined ? undefined : { decimal, ...(thousands !== undefined && { thousands }) };
  const rows = 'the rows whose numbers are ambiguous';
  const missing = `the stock of ${counted(view.full?.missing ?? 0, 'listing')} of ${view.storeClientId}`;
  if (view.full?.hold === undefined)
    await confirm(
      what === 'release' ? `Read ${rows} with the decimal ${decimal}?` : `Leave ${rows} rejected?`,
    );
  else await confirm(what === 'release' ? `Set ${missing} to 0?` : `Leave ${missing} as it is?`);
  const ended = await api.call(importViewSchema, 'POST', ['imports', importId, what], { body });
  show(ended, () => `${importId} is ${what === 'release' ? 'released' : 'discarded'}`);
}
