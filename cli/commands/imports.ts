import type { Command } from 'commander';
import { importViewSchema } from '../../shared/imports/model.ts';
import { type Context, withContext } from '../context.ts';
import { addCommand } from '../help.ts';

/** Adds `imports release` and `imports discard`. */
export function addImports(program: Command): void {
  const imports = program.command('imports').description('held files of stock');
  addCommand(
    imports,
    'release <importId>',
    'set the stock of the listings that a held file does not name to 0',
    ['imports release IMPORT --yes'],
  ).action(withContext((context, _, id = '') => end(context, id, 'release')));
  addCommand(
    imports,
    'discard <importId>',
    'leave the stock of the listings that a held file does not name as it is',
    ['imports discard IMPORT --yes'],
  ).action(withContext((context, _, id = '') => end(context, id, 'discard')));
}

async function end({ api, show, confirm }: Context, importId: string, what: 'release' | 'discard') {
  const view = await api.call(importViewSchema, 'GET', ['imports', importId]);
  const missing = view.full?.missing ?? 0;
  await confirm(
    what === 'release'
      ? `Set the stock of ${missing} listings of ${view.storeClientId} to 0?`
      : `Leave the stock of ${missing} listings of ${view.storeClientId} as it is?`,
  );
  const ended = await api.call(importViewSchema, 'POST', ['imports', importId, what]);
  show(ended, () => `${importId} is ${what === 'release' ? 'released' : 'discarded'}`);
}
