import type { Command } from 'commander';
import type { Severity } from '../../shared/attention/model.ts';
import { oneLine } from '../../shared/collections/visible.ts';
import type { Health } from '../../shared/health/model.ts';
import { type Context, withContext } from '../context.ts';
import { examples } from '../help.ts';
import { commandOf } from '../invocation.ts';
import { type DeferredCommands, deferredCommands } from '../queues/deferred-commands.ts';
import { triesText } from '../render/tries.ts';
import { counted, duration, tally } from '../render/words.ts';
import { ATTENTION_NAMES, readStatus, type Status, type StatusGroup } from '../status/read-status.ts';
import type { Style } from '../terminal.ts';

export function addStatus(program: Command): void {
  program
    .command('status')
    .description(
      'what waits for a person, over all stores, the most harmful first, each with the commands that end it',
    )
    .addHelpText('after', examples('status', 'status --json'))
    .action(withContext(showStatus));
}

async function showStatus({ api, aws, show, terminal, target }: Context): Promise<void> {
  const [status, deferred] = await Promise.all([readStatus(api), deferredCommands({ aws, target })]);
  const { attention, groups, checked, stores, openBatches, marketplace } = status;
  const states = Object.fromEntries(tally(stores.map(({ state }) => state)));
  const open = `${openBatches.count}${openBatches.hasMore ? '+' : ''}`;
  const worst = groups[0]?.severity;
  const shown = { ...status, stores: states, openBatches: openBatches.count };
  show({ ...shown, ...('count' in deferred && { deferredCommands: deferred.count }) }, () =>
    [
      terminal.style(HEALTH_STYLES[marketplace.state], marketplace.text),
      ...status.failing.map((lane) => terminal.style('yellow', failingText(lane))),
      ...deferredText(deferred).map((text) => terminal.style('yellow', text)),
      terminal.style(worst === undefined ? 'green' : ['bold', SEVERITY_STYLES[worst]], headline(status)),
      [
        `${stores.length === 1 ? '1 store' : `${stores.length} stores`}${listed(states)}`,
        `open batches: ${open}`,
        ...rejectionText(status.rejections),
      ].join(' · '),
      ...(attention.length === 0 ? [terminal.style('dim', oneLine(`That was ${checked.text}.`))] : []),
      ...groups.map((one) => block(one, { terminal, target })),
    ].join('\n'),
  );
}

const SEVERITY_STYLES = { critical: 'red', warning: 'yellow', notice: 'cyan' } as const satisfies Readonly<
  Record<Severity, Style>
>;
const SEVERITY_SIGNS: Readonly<Record<Severity, string>> = { critical: '✖', warning: '▲', notice: '●' };

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

/** One line: what waits although the marketplace answers, and why. */
export function failingText({ storeClientId, waiting, hasMore, tries }: Status['failing'][number]): string {
  const what = hasMore ? `${waiting}+ listings` : counted(waiting, 'listing');
  return oneLine(
    `${storeClientId}: its requests of stock and prices fail, and are sent again by themselves · waiting: ${what} · ${triesText(tries)}`,
  );
}

/** One line: the commands that are not performed yet, though nothing may be wrong with them; none if no command waits. */
export function deferredText(deferred: DeferredCommands): string[] {
  if ('unknown' in deferred)
    return [oneLine(`How many commands wait for a later try is not known: ${deferred.unknown}`)];
  if (deferred.count === 0) return [];
  const wait = deferred.count === 1 ? 'waits' : 'wait';
  const commands = counted(deferred.count, 'command');
  return [`About ${commands} of products, orders or documents ${wait} for a later try.`];
}

/** How many rejections there were in a day, with the commonest codes. */
function rejectionText(rejections: Status['rejections']): string[] {
  if (rejections === undefined) return [];
  const { count, hasMore, codes } = rejections;
  const [first, second, ...others] = Object.entries(codes).sort(([, a], [, b]) => b - a);
  const named = [first, second].flatMap((one) => (one ? [`${one[0]} ${one[1]}`] : []));
  const why = count === 0 ? '' : ` (${[...named, ...(others.length > 0 ? ['…'] : [])].join(', ')})`;
  return [`rejections of 24 h: ${count}${hasMore ? '+' : ''}${oneLine(why)}`];
}

function listed(states: Readonly<Record<string, number>>): string {
  const entries = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  return entries.length === 0 ? '' : ` (${entries.join(', ')})`;
}

/** Alike entries: what and since when, why, what to look at first, and each remedy with its commands. */
export function block(
  { kind, severity, storeClientId, count, hasMore, since, why, lookAt, look, remedies }: StatusGroup,
  { terminal: { style }, target }: Pick<Context, 'terminal' | 'target'>,
): string {
  const [one, many] = ATTENTION_NAMES[kind];
  const age = `${count === 1 ? 'for' : 'the oldest for'} ${duration(Date.now() - Date.parse(since))}`;
  const what = count === 1 ? one : `${count}${hasMore ? '+' : ''} ${many}`;
  const title = [`${SEVERITY_SIGNS[severity]} ${severity}: ${what}`, storeClientId, age]
    .filter(Boolean)
    .join(' · ');
  const left = count > why.length ? [`and ${count - why.length} more`] : [];
  const arrow = (words: string) => style('cyan', oneLine(`→ ${words}`));
  return [
    `\n${style(['bold', SEVERITY_STYLES[severity]], oneLine(title))}`,
    ...[...why, ...left].map((text) => `  ${oneLine(text)}`),
    ...(lookAt === undefined ? [] : [`  Look first at ${oneLine(lookAt)}`]),
    ...look.map((words) => `  ${arrow(commandOf(target, words))}`),
    ...remedies.flatMap(({ text, commands, calls }) => [
      `  ${oneLine(text)}:`,
      ...(commands.length === 0 ? calls : commands.map((words) => commandOf(target, words))).map(
        (words) => `  ${arrow(words)}`,
      ),
    ]),
  ].join('\n');
}
