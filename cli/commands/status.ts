import type { Command } from 'commander';
import type { Health } from '../../shared/health/model.ts';
import { type Context, withContext } from '../context.ts';
import { examples } from '../help.ts';
import { commandOf } from '../invocation.ts';
import { counted, duration, tally } from '../render/words.ts';
import { ATTENTION_NAMES, readStatus, type Status, type StatusEntry } from '../status/read-status.ts';
import type { Style } from '../terminal.ts';
import { oneLine } from '../visible.ts';

/** Adds `status`. */
export function addStatus(program: Command): void {
  program
    .command('status')
    .description('what waits for a person, over all stores, each with the command that ends it')
    .addHelpText('after', examples('status', 'status --json'))
    .action(withContext(showStatus));
}

async function showStatus({ api, show, terminal, target }: Context): Promise<void> {
  const status = await readStatus(api);
  const { attention, stores, openBatches, marketplace } = status;
  const states = Object.fromEntries(tally(stores.map(({ state }) => state)));
  const open = `${openBatches.count}${openBatches.hasMore ? '+' : ''}`;
  show({ ...status, stores: states, openBatches: openBatches.count }, () =>
    [
      terminal.style(HEALTH_STYLES[marketplace.state], marketplace.text),
      terminal.style(attention.length === 0 ? 'green' : ['bold', 'yellow'], headline(status)),
      `${stores.length === 1 ? '1 store' : `${stores.length} stores`}${listed(states)} · open batches: ${open}`,
      ...attention.map((one) => block(one, { terminal, target })),
    ].join('\n'),
  );
}

const HEALTH_STYLES = {
  healthy: 'green',
  idle: 'dim',
  failing: 'red',
  paused: 'yellow',
  refused: 'red',
} as const satisfies Readonly<Record<Health['state'], Style>>;

/** One line: how much needs a person, by kind. */
export function headline({ attention, more }: Pick<Status, 'attention' | 'more'>): string {
  if (attention.length === 0) return 'Nothing needs you.';
  const parts = [...tally(attention.map(({ kind }) => kind))].map(([kind, count]) => {
    const [one, many] = ATTENTION_NAMES[kind];
    return more.includes(kind) ? `${count}+ ${many}` : counted(count, one, many);
  });
  const verb = attention.length === 1 ? 'needs' : 'need';
  return `${attention.length}${more.length > 0 ? '+' : ''} ${verb} you: ${parts.join(' · ')}`;
}

function listed(states: Readonly<Record<string, number>>): string {
  const entries = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  return entries.length === 0 ? '' : ` (${entries.join(', ')})`;
}

export function block(
  { kind, storeClientId, since, why, call, command }: StatusEntry,
  { terminal: { style }, target }: Pick<Context, 'terminal' | 'target'>,
): string {
  const age = duration(Date.now() - Date.parse(since));
  const title = [ATTENTION_NAMES[kind][0], storeClientId, `for ${age}`].filter(Boolean).join(' · ');
  const ends = command === undefined ? call : commandOf(target, command);
  return `\n${style('bold', oneLine(title))}\n  ${oneLine(why)}\n  ${style('cyan', oneLine(`→ ${ends}`))}`;
}
