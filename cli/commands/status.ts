import type { Command } from 'commander';
import { z } from 'zod';
import { type Attention, attentionKindSchema, attentionSchema } from '../../shared/attention/model.ts';
import { listedBatchSchema } from '../../shared/batches/model.ts';
import { storeViewSchema } from '../../shared/stores/model.ts';
import { allPages } from '../clients/pages.ts';
import { type Context, withContext } from '../context.ts';
import { examples } from '../help.ts';
import { invocation } from '../invocation.ts';
import { wayOut } from '../render/way-out.ts';
import { counted, duration, tally } from '../render/words.ts';

const MOST = 1000;

const answerSchema = z.object({ attention: z.array(attentionSchema), more: z.array(attentionKindSchema) });
type Answer = z.infer<typeof answerSchema>;

const NAMES: Readonly<Record<Attention['kind'], readonly [string, string]>> = {
  'partner-refused': ['refusal of the partner', 'refusals of the partner'],
  'store-suspended': ['store suspended', 'stores suspended'],
  'prices-held': ['store with held prices', 'stores with held prices'],
  'import-held': ['import held', 'imports held'],
  'order-unknown': ['order of unknown outcome', 'orders of unknown outcome'],
  'batch-unresolved': ['batch unresolved', 'batches unresolved'],
  'dead-letters': ['queue with dead letters', 'queues with dead letters'],
  'summary-unmatched': ['summary without a batch', 'summaries without a batch'],
};

/** Adds `status`. */
export function addStatus(program: Command): void {
  program
    .command('status')
    .description('what waits for a person, over all stores, each with the command that ends it')
    .addHelpText('after', examples('status', 'status --json'))
    .action(withContext(showStatus));
}

async function showStatus({ api, show, terminal }: Context): Promise<void> {
  const [answer, stores, batches] = await Promise.all([
    api.call(answerSchema, 'GET', ['attention'], { query: { limit: MOST } }),
    allPages(api, ['stores'], { stores: storeViewSchema }),
    api.call(
      z.object({ batches: z.array(listedBatchSchema), cursor: z.string().optional() }),
      'GET',
      ['batches'],
      {
        query: { state: 'submitted', limit: MOST },
      },
    ),
  ]);
  const states = Object.fromEntries(tally(stores.map(({ state }) => state)));
  const open = `${batches.batches.length}${batches.cursor === undefined ? '' : '+'}`;
  const attention = answer.attention.map((one) => ({ ...one, command: wayOut(one) }));
  show({ ...answer, attention, stores: states, openBatches: batches.batches.length }, () =>
    [
      terminal.style(attention.length === 0 ? 'green' : ['bold', 'yellow'], headline(answer)),
      `${stores.length === 1 ? '1 store' : `${stores.length} stores`}${listed(states)} · open batches: ${open}`,
      ...attention.map((one) => block(one, terminal)),
    ].join('\n'),
  );
}

/** One line: how much needs a person, by kind. */
export function headline({ attention, more }: Answer): string {
  if (attention.length === 0) return 'Nothing needs you.';
  const parts = [...tally(attention.map(({ kind }) => kind))].map(([kind, count]) => {
    const [one, many] = NAMES[kind];
    return more.includes(kind) ? `${count}+ ${many}` : counted(count, one, many);
  });
  const verb = attention.length === 1 ? 'needs' : 'need';
  return `${attention.length}${more.length > 0 ? '+' : ''} ${verb} you: ${parts.join(' · ')}`;
}

function listed(states: Readonly<Record<string, number>>): string {
  const entries = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  return entries.length === 0 ? '' : ` (${entries.join(', ')})`;
}

function block(
  { kind, storeClientId, since, why, call, command }: Attention & { command: string | undefined },
  { style }: Context['terminal'],
): string {
  const age = duration(Date.now() - Date.parse(since));
  const title = [NAMES[kind][0], storeClientId, `for ${age}`].filter(Boolean).join(' · ');
  const ends = command === undefined ? call : `${invocation()} ${command}`;
  return `\n${style('bold', title)}\n  ${why}\n  ${style('cyan', `→ ${ends}`)}`;
}
