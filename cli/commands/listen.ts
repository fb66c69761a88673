import type { Command } from 'commander';
import { incomingDetailTypes } from '../../shared/events/incoming.ts';
import { outgoingDetailSchemas } from '../../shared/events/outgoing.ts';
import { type BusEvent, subscribe } from '../bus/subscription.ts';
import { SANDBOX_URL } from '../clients/sandbox-client.ts';
import { type Context, withContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { examples, wholeNumberOption } from '../help.ts';
import { eventLine } from '../render/event-line.ts';
import { requestLine } from '../render/request-line.ts';
import { followRequests, type RequestStep } from '../sandbox/request-log.ts';

interface Options {
  readonly store?: string;
  readonly count?: number;
  readonly requests?: boolean;
  readonly sandbox: string;
}

/** Adds `listen`. */
export function addListen(program: Command): void {
  program
    .command('listen')
    .description(
      'one line per event on the bus, in and out, as they happen; Enter shows the last one in full',
    )
    .option('--store <storeClientId>', 'only events of this store')
    .option('--count <number>', 'end after this many lines', wholeNumberOption)
    .option('--requests', 'also each request to the marketplace and its answer, on the local run')
    .option('--sandbox <url>', 'with --requests: the sandbox marketplace', SANDBOX_URL)
    .addHelpText(
      'after',
      examples('listen', 'listen --requests', 'listen --store store-0wh --json', 'listen --count 1'),
    )
    .action(withContext<Options>(listen));
}

/** Subscribes by a rule and a queue of its own, and removes them at the end. */
async function listen(context: Context, options: Options): Promise<void> {
  const { store, count = Number.POSITIVE_INFINITY, requests = false, sandbox } = options;
  const { terminal, isJson, confirm, target } = context;
  if (requests && !target.isLocal)
    throw usageError(
      '--requests goes with the local run',
      'See `logs` for the requests of a deployed stack.',
    );
  if (!target.isLocal) await confirm(`Add a queue and a rule to ${target.name} while this listens?`);
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const nextSteps = requests ? await followRequests(sandbox) : async () => [];
  await using subscription = await subscribe(context, [
    ...incomingDetailTypes,
    ...Object.keys(outgoingDetailSchemas),
  ]);
  let latest: Entry | undefined;
  using _enter = terminal.onEnter(() => {
    if (latest !== undefined) terminal.print(JSON.stringify(latest.whole, null, 2));
  });
  terminal.note(
    `listening; ${terminal.isInteractive ? 'Enter shows the last line in full, ' : ''}Ctrl-C ends it`,
  );
  for (let shown = 0; shown < count && !isInterrupted; ) {
    const events = (await subscription.next()).map((event) => entryOfEvent(event, terminal));
    const steps = (await nextSteps()).map((step) => entryOfStep(step, terminal));
    const entries = [...events, ...steps]
      .filter(({ storeClientId }) => store === undefined || storeClientId === store)
      .sort((one, other) => Date.parse(one.time) - Date.parse(other.time))
      .slice(0, count - shown);
    for (const entry of entries) {
      latest = entry;
      terminal.print(isJson ? JSON.stringify(entry.whole) : entry.line);
    }
    shown += entries.length;
  }
}

/** One line of the list. */
interface Entry {
  /** ISO 8601. */
  readonly time: string;
  readonly storeClientId: unknown;
  readonly line: string;
  readonly whole: object;
}

function entryOfEvent(event: BusEvent, terminal: Context['terminal']): Entry {
  const { time, detail } = event;
  return { time, storeClientId: detail.storeClientId, line: eventLine(event, terminal), whole: event };
}

function entryOfStep(step: RequestStep, terminal: Context['terminal']): Entry {
  const { time, request } = step;
  return { time, storeClientId: request.storeClientId, line: requestLine(step, terminal), whole: step };
}
