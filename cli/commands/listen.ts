import type { Command } from 'commander';
import { incomingDetailTypes } from '../../shared/events/incoming.ts';
import { outgoingDetailSchemas } from '../../shared/events/outgoing.ts';
import { type BusEvent, subscribe } from '../bus/subscription.ts';
import { type Context, withContext } from '../context.ts';
import { examples, wholeNumberOption } from '../help.ts';
import { eventLine } from '../render/event-line.ts';

interface Options {
  readonly store?: string;
  readonly count?: number;
}

/** Adds `listen`. */
export function addListen(program: Command): void {
  program
    .command('listen')
    .description('one line per event on the bus, in and out, as they happen; Ctrl-C ends it')
    .option('--store <storeClientId>', 'only events of this store')
    .option('--count <number>', 'end after this many events', wholeNumberOption)
    .addHelpText('after', examples('listen', 'listen --store store-0wh --json', 'listen --count 1'))
    .action(withContext<Options>(listen));
}

/** Subscribes by a rule and a queue of its own, and removes them at the end. */
async function listen(context: Context, { store, count = Number.POSITIVE_INFINITY }: Options): Promise<void> {
  const { terminal, isJson, confirm, target } = context;
  if (!target.isLocal) await confirm(`Add a queue and a rule to ${target.name} while this listens?`);
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  await using subscription = await subscribe(context, [
    ...incomingDetailTypes,
    ...Object.keys(outgoingDetailSchemas),
  ]);
  terminal.note('listening; Ctrl-C ends it');
  const show = (event: BusEvent) =>
    terminal.print(isJson ? JSON.stringify(event) : eventLine(event, terminal));
  for (let shown = 0; shown < count && !isInterrupted; ) {
    const events = (await subscription.next()).filter(
      ({ detail }) => store === undefined || detail.storeClientId === store,
    );
    for (const event of events.slice(0, count - shown)) show(event);
    shown += events.length;
  }
}
