import type { Command } from 'commander';
import { EVENT_SOURCE } from '../../shared/settings/stack-rules.ts';
import { type BusEvent, subscribe } from '../bus/subscription.ts';
import { SANDBOX_URL } from '../clients/sandbox-client.ts';
import { type Context, withContext } from '../context.ts';
import { examples, wholeNumberOption } from '../help.ts';
import { eventLine } from '../render/event-line.ts';
import { requestLine } from '../render/request-line.ts';
import { followLoggedRequests } from '../requests/logged-requests.ts';
import type { RequestStep } from '../requests/request-step.ts';
import { followSandboxRequests } from '../requests/sandbox-requests.ts';

interface Options {
  readonly store?: string;
  readonly count?: number;
  readonly requests?: boolean;
  readonly sandbox: string;
}

export function addListen(program: Command): void {
  program
    .command('listen')
    .description(
      'one line per event on the bus, in and out, as they happen; Enter shows the last one in full',
    )
    .option('--store <storeClientId>', 'only events of this store')
    .option('--count <number>', 'end after this many lines', wholeNumberOption)
    .option(
      '--requests',
      'also each request to the marketplace and its answer; of a deployed stack from its logs',
    )
    .option('--sandbox <url>', 'with --requests: the sandbox marketplace of the local run', SANDBOX_URL)
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
  if (!target.isLocal) await confirm(`Add a queue and a rule to ${target.name} while this listens?`);
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
  };
  // SIGHUP: the terminal was closed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, interrupt);
  const nextSteps = requests ? await followRequests(context, sandbox) : async () => [];
  await using subscription = await subscribe(context);
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
      .sort(inOrder)
      .slice(0, count - shown);
    for (const entry of entries) {
      latest = entry;
      terminal.print(isJson ? JSON.stringify(entry.whole) : entry.line);
    }
    shown += entries.length;
  }
}

async function followRequests(context: Context, sandbox: string): Promise<() => Promise<RequestStep[]>> {
  return context.target.isLocal ? followSandboxRequests(sandbox) : followLoggedRequests(context);
}

function inOrder(one: Entry, other: Entry): number {
  const second = ({ time }: Entry) => Math.floor(Date.parse(time) / 1000);
  return (
    second(one) - second(other) || one.rank - other.rank || Date.parse(one.time) - Date.parse(other.time)
  );
}

/** One line of the list. */
interface Entry {
  /** ISO 8601. Events have whole seconds. */
  readonly time: string;
  /** Within one second, events in come before requests, and events out after them. */
  readonly rank: 0 | 1 | 2;
  readonly storeClientId: unknown;
  readonly line: string;
  readonly whole: object;
}

function entryOfEvent(event: BusEvent, terminal: Context['terminal']): Entry {
  const { time, detail, source } = event;
  const rank = source === EVENT_SOURCE ? 2 : 0;
  return { time, rank, storeClientId: detail.storeClientId, line: eventLine(event, terminal), whole: event };
}

function entryOfStep(step: RequestStep, terminal: Context['terminal']): Entry {
  const { time, request } = step;
  return {
    time,
    rank: 1,
    storeClientId: request.storeClientId,
    line: requestLine(step, terminal),
    whole: step,
  };
}
