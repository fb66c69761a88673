import type { Command } from 'commander';
import * as z from 'zod';
import { oneLine } from '../../shared/collections/visible.ts';
import { type StoreView, storeViewSchema } from '../../shared/stores/model.ts';
import { allPages } from '../clients/pages.ts';
import { type Context, withContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { readSecretFile } from '../files.ts';
import { forEach, oneOrAll } from '../for-each.ts';
import { addCommand } from '../help.ts';
import { table } from '../render/table.ts';
import { counted, time } from '../render/words.ts';

const TOKEN_OPTION = '--token-file <file>';
const TOKEN_TEXT =
  'file with the store token, or - (standard input); an option of the token would be seen by others';

export function addStores(program: Command): void {
  const stores = program.command('stores').description('the stores and their connection');
  addCommand(stores, 'list', 'the stores and their states', ['stores list', 'stores list --json']).action(
    withContext(list),
  );
  addCommand(stores, 'connect', 'begin the onboarding of a store by its seller, or connect it by its token', [
    'stores connect --reference "customer 4711"',
    'stores connect store-1wh --token-file - --yes < token.txt',
  ])
    .argument('[storeClientId]', 'the store, with --token-file; without it the seller chooses')
    .option(TOKEN_OPTION, TOKEN_TEXT)
    .option(
      '--reference <text>',
      "your own name for the onboarding, which the connected store's view and event have",
    )
    .action(withContext(connect));
  addCommand(stores, 'rotate <storeClientId>', 'give a store a new token, once the marketplace takes it', [
    'stores rotate store-1wh --token-file - --yes < token.txt',
  ])
    .requiredOption(TOKEN_OPTION, TOKEN_TEXT)
    .action(withContext<{ tokenFile: string }>(rotate));
  const simple = (name: 'resume' | 'unbind', description: string) =>
    addCommand(stores, `${name} <storeClientId...>`, description, [`stores ${name} store-1wh --yes`]).action(
      withContext<object, [string[]]>((context, _, ids) => transition(context, name, ids)),
    );
  simple('resume', 'lift the suspension of a store');
  addCommand(stores, 'release <storeClientId...>', 'send held prices after all', [
    'stores release store-1wh --yes',
  ]).action(withContext<object, [string[]]>(release));
  addCommand(stores, 'discard <storeClientId>', 'drop what waits for a store: its prices, or everything', [
    'stores discard store-1wh --yes',
    'stores discard store-1wh --everything --yes',
  ])
    .option('--everything', 'also stock, and every command that was given until now')
    .action(withContext(discard));
  simple('unbind', "end a store's connection at the marketplace; the seller must onboard again");
}

async function list({ api, show, terminal }: Context): Promise<void> {
  const stores = await allPages(api, ['stores'], { stores: storeViewSchema });
  const rows = stores.map(({ storeClientId, state, names, updatedAt, stateReason }) => [
    storeClientId,
    state,
    `${names.products}, ${names.orders}`,
    [time(updatedAt), stateReason].filter(Boolean).join(': '),
  ]);
  show(stores, () =>
    rows.length === 0
      ? 'No stores. Connect one: stores connect'
      : table(terminal, ['STORE', 'STATE', 'NAMES', 'SINCE'], rows),
  );
}

async function connect(
  context: Context,
  { tokenFile, reference }: { tokenFile?: string; reference?: string },
  storeClientId?: string,
): Promise<void> {
  if (reference !== undefined && (storeClientId !== undefined || tokenFile !== undefined))
    throw usageError('--reference is for an onboarding by the seller, without STORE and --token-file');
  if (storeClientId !== undefined && tokenFile !== undefined)
    return putToken(context, storeClientId, tokenFile);
  if (storeClientId !== undefined || tokenFile !== undefined)
    throw usageError(
      'a store by its token needs both: connect STORE --token-file FILE',
      'Without both, the seller onboards the store.',
    );
  const { api, show } = context;
  const answer = z.looseObject({ onboardUrl: z.string(), expiresAt: z.string() });
  const session = await api.call(answer, 'POST', ['stores', 'onboarding'], { body: { reference } });
  show(
    session,
    () => `Send the seller there until ${time(session.expiresAt)}:\n${oneLine(session.onboardUrl)}`,
  );
}

async function rotate(
  context: Context,
  { tokenFile }: { tokenFile: string },
  storeClientId = '',
): Promise<void> {
  await context.api.call(storeViewSchema, 'GET', ['stores', storeClientId]);
  await putToken(context, storeClientId, tokenFile);
}

async function putToken({ api, show, confirm }: Context, storeClientId: string, file: string): Promise<void> {
  const storeToken = await readSecretFile(file);
  await confirm(`Give ${storeClientId} this token?`);
  const store = await api.call(storeViewSchema, 'PUT', ['stores', storeClientId], { body: { storeToken } });
  show(store, () => stateOf(store));
}

async function transition(
  { api, show, confirm }: Context,
  name: 'resume' | 'unbind',
  ids: readonly string[],
): Promise<void> {
  const all = ids.join(', ');
  await confirm(
    name === 'resume'
      ? `Resume ${all} and send what waits?`
      : `End the connection of ${all}? The token is revoked.`,
  );
  const stores = await forEach(ids, (id) => api.call(storeViewSchema, 'POST', ['stores', id, name]));
  show(oneOrAll(stores), () => stores.map(stateOf).join('\n'));
}

export function stateOf({ storeClientId, state }: StoreView): string {
  const kept = state === 'unbound' ? ': what waits for it is kept for a later connection' : '';
  return `${storeClientId} is ${state}${kept}`;
}

async function release({ api, show, confirm }: Context, _: object, ids: readonly string[]): Promise<void> {
  await confirm(`Send the held prices of ${ids.join(', ')}?`);
  // A stack of an earlier version does not say whether prices were held.
  const answer = z.looseObject({ released: z.boolean(), wasHeld: z.boolean().default(true) });
  const released = await forEach(ids, (id) => api.call(answer, 'POST', ['stores', id, 'release']));
  show(oneOrAll(released), () =>
    ids
      .map((id, index) =>
        released[index]?.wasHeld ? `the prices of ${id} are released` : `no prices of ${id} were held`,
      )
      .join('\n'),
  );
}

/** Calls until all is discarded: one call has a limit of time. */
async function discard(
  context: Context,
  { everything = false }: { everything?: boolean },
  storeClientId = '',
): Promise<void> {
  const { api, show, confirm } = context;
  const what = everything ? 'everything' : 'prices';
  await confirm(
    `Drop ${everything ? 'everything that waits' : 'the prices that wait'} for ${storeClientId}?`,
  );
  const answer = z.looseObject({ discarded: z.number(), done: z.boolean() });
  let discarded = 0;
  for (let done = false; !done; ) {
    const part = await api.call(answer, 'POST', ['stores', storeClientId, 'discard'], { body: { what } });
    discarded += part.discarded;
    done = part.done;
  }
  show({ storeClientId, what, discarded }, () => discardedText(storeClientId, discarded, everything));
}

export function discardedText(storeClientId: string, discarded: number, everything: boolean): string {
  const listings = `${counted(discarded, 'listing')} of ${storeClientId}`;
  if (!everything) return `discarded the waiting prices of ${listings}; waiting stock stays`;
  return `discarded the waiting prices and stock of ${listings}; its commands that wait are rejected (COMMAND_DISCARDED) at their next try`;
}
