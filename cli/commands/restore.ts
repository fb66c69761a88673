import type { Command } from 'commander';
import * as z from 'zod';
import { type Context, withContext } from '../context.ts';
import { addCommand } from '../help.ts';

export function addRestore(program: Command): void {
  const restore = program.command('restore').description('work with restored tables');
  addCommand(
    restore,
    'end',
    'send from restored tables again, once all that came in since their time was replayed or sent again',
    ['restore end'],
  ).action(withContext(end));
}

async function end({ api, show, confirm }: Context): Promise<void> {
  await confirm('Is everything replayed, or sent again, that came in since the time of the restored tables?');
  const ended = await api.call(z.object({ restoredTables: z.string() }), 'POST', ['restore', 'end']);
  show(ended, () => `it is sent again, from the tables ${ended.restoredTables}`);
}
