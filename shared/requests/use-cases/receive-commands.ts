import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { IncomingDetailType, IncomingEvent } from '../../events/incoming.ts';
import { type MessageFacts, parseIncomingEvent, withIdentity } from '../../events/parse-incoming-event.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import type { MarketplaceClientOptions } from '../../marketplace/options.ts';
import { countRows } from '../../rejections/model.ts';
import { boundedText, rejectionOfEvent } from '../../rejections/rules/bounded.ts';
import { judgedByStore } from '../../rejections/use-cases/judged-by-store.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { Warning } from '../../warnings/model.ts';
import type { Domain } from '../domain.ts';
import { type Command, planKey, type RequestRecord } from '../model.ts';
import type { CommandQueue, LedgerPorts } from '../ports.ts';
import { type Deferral, deferralOf, isPartnerRefused } from '../rules/deferral.ts';
import { type CommandEnd, performCommands } from './perform-commands.ts';
import { aliasesOf } from './plan-commands.ts';
import { RequestTime, touchRequest } from './run-request.ts';

interface ReceiveCommandsPorts extends LedgerPorts {
  readonly commandQueue: CommandQueue;
  readonly secretKey: MarketplaceClientOptions['secretKey'];
  readonly limiter: Pick<Limiter, 'stop'>;
}

export interface CommandMessage extends MessageFacts {
  readonly body: string;
}

type CommandIds = Pick<Command, 'commandId' | 'eventId' | 'storeClientId'>;

/** A message to redeliver. If the message is valid, it has the IDs of its command. */
interface FailedMessage extends Partial<CommandIds> {
  readonly messageId: string;
  readonly error: unknown;
}

export interface CommandsReceived {
  readonly failures: readonly FailedMessage[];
  readonly commands: readonly (CommandIds & Pick<FailedMessage, 'messageId'>)[];
  /** Commands that were queued again as delayed messages. */
  readonly deferred: readonly (CommandIds & Deferral)[];
  /** Rows, commands and messages that were rejected before anything was sent. */
  readonly rejected: number;
  /** Ended requests, without duplicates. */
  readonly requests: readonly RequestRecord[];
  /** Warnings about commands that have ended. */
  readonly warnings: readonly (CommandIds & Warning)[];
}

const STORES_AT_A_TIME = 5;

/**
 * Performs the commands of one batch of messages, all commands of a store together. An invalid message is rejected. A command
 * that must wait is deferred as a delayed message: waiting must not count as a failed delivery. While the partner's
 * credentials are refused or not set, all commands wait, and all lanes are stopped.
 *
 * @param time until when requests are begun. Default: no limit.
 */
export async function receiveCommands<C extends Command>(
  ports: ReceiveCommandsPorts,
  domain: Domain<C>,
  messages: readonly CommandMessage[],
  time = new RequestTime(ports.clock, Number.POSITIVE_INFINITY),
): Promise<CommandsReceived> {
  const { received, failures } = await readCommands(ports, domain, messages);
  const refused = messages.length - received.length;
  const ends = new Map<C, CommandEnd>();
  const stores = Map.groupBy(
    received.map(({ command }) => command),
    ({ storeClientId }) => storeClientId,
  );
  let refusal = received.length === 0 ? undefined : await refusalOf(ports);
  await forEachConcurrently([...stores.values()], STORES_AT_A_TIME, async (commands) => {
    const own = refusal
      ? await waitAll(ports, commands, refusal)
      : await performCommands(ports, domain, commands, time);
    for (const [command, end] of own) ends.set(command, end);
    refusal ??= [...own.values()].map(({ error }) => error).find(isPartnerRefused);
  });
  // Stop the lanes before commands are deferred. If this fails, all messages are redelivered; a deferred one would be queued twice.
  if (refusal) await ports.limiter.stop(refusal);
  const waiting: Waiting<C>[] = [];
  await forEachConcurrently(received, AT_A_TIME, async ({ message, command }) => {
    await deferIfOpen(ports, { message, command }, ends.get(command)).then(
      (deferral) => {
        if (deferral === undefined) return;
        const isNew = command.receivedAt === message.sentAt;
        waiting.push({ command, error: ends.get(command)?.error, deferral, isNew });
      },
      (error: unknown) => failures.push({ ...idsOf(command), messageId: message.messageId, error }),
    );
  });
  await noteWaits(ports, domain, waiting);
  const ended = received.flatMap(({ command }) => ends.get(command) ?? []);
  // If a command was delivered twice, its first delivery applied the requests: reversed, the first record replaces the second.
  const requests = ended.flatMap((end) => end.requests).toReversed();
  return {
    failures,
    deferred: waiting.map(({ command, deferral }) => ({ ...deferral, ...idsOf(command) })),
    rejected: refused + countRows(ended.flatMap(({ rejections }) => rejections)),
    requests: [...new Map(requests.map((request) => [request.recordId, request])).values()],
    commands: received.map(({ message: { messageId }, command }) => ({ messageId, ...idsOf(command) })),
    warnings: [...ends].flatMap(([command, { error }]) =>
      // Warn about a command only when it ends: it may be redelivered many times before.
      error === undefined ? warningsOf(domain, command) : [],
    ),
  };
}

interface Received<C extends Command> {
  readonly message: CommandMessage;
  readonly command: C;
}

/** The commands of the messages. An invalid message is rejected. It is a failure only if its rejection can't be recorded. */
async function readCommands<C extends Command>(
  ports: ReceiveCommandsPorts,
  domain: Domain<C>,
  messages: readonly CommandMessage[],
): Promise<{ readonly received: readonly Received<C>[]; readonly failures: FailedMessage[] }> {
  const received: Received<C>[] = [];
  const failures: FailedMessage[] = [];
  for (const message of messages) {
    const parsed = parseIncomingEvent(message.body, domain.detailTypes, message);
    if (parsed.ok) {
      const { receivedAt } = parsed;
      const command = { ...domain.read(parsed.event as IncomingEvent<IncomingDetailType>), receivedAt };
      received.push({ message, command });
    } else {
      const { messageId, sentAt } = message;
      await judgedByStore(ports.stores, [rejectionOfEvent(parsed.refusal, sentAt)])
        .then((rejections) => reportRejections(ports, rejections))
        .catch((error: unknown) => failures.push({ messageId, error }));
    }
  }
  return { received, failures };
}

interface Waiting<C extends Command> {
  readonly command: C;
  readonly error: unknown;
  readonly deferral: Deferral;
  /** Whether the command waits for the first time. */
  readonly isNew: boolean;
}

/** A command that waits for the first time is found by at most this many names: two for each row of a file's message. */
const MOST_OF_NEW = 200;

/** Stores why deferred commands wait, and makes them found by what they are about. A failure here does not stop the waiting. */
async function noteWaits<C extends Command>(
  ports: Pick<LedgerPorts, 'requests' | 'clock'>,
  domain: Pick<Domain<C>, 'subjectsOf' | 'noteWaiting'>,
  waiting: readonly Waiting<C>[],
): Promise<void> {
  if (waiting.length === 0) return;
  const now = ports.clock.now();
  const waits = waiting.map(({ command, error, deferral: { code, delayMs } }) => {
    const { storeClientId, commandId, eventId, detailType, time, receivedAt = time } = command;
    return {
      storeClientId,
      commandId,
      eventId,
      detailType,
      time,
      code,
      message: boundedText(error instanceof Error ? error.message : code),
      since: new Date(receivedAt).toISOString(),
      at: new Date(now).toISOString(),
      nextAt: new Date(now + delayMs).toISOString(),
    };
  });
  const commands = waiting.map(({ command }) => command);
  // A command may wait hundreds of times: all of its names are written only the first time.
  const aliases = waiting.flatMap(({ command, isNew }) =>
    aliasesOf([command], domain.subjectsOf, isNew ? MOST_OF_NEW : undefined),
  );
  // Wait for all writes, even if one fails: a write that is still running would go on in the next invocation.
  await Promise.allSettled([
    ports.requests.putWaits(waits),
    ports.requests.putAliases(aliases),
    forEachConcurrently(commands, AT_A_TIME, async (command) => domain.noteWaiting?.(command)),
  ]);
}

function warningsOf<C extends Command>(domain: Pick<Domain<C>, 'warningsOf'>, command: C) {
  return (domain.warningsOf?.(command) ?? []).map((warning) => ({ ...idsOf(command), ...warning }));
}

function idsOf({ commandId, eventId, storeClientId }: Command): CommandIds {
  return { commandId, eventId, storeClientId };
}

/** Why no request can be signed: the partner's secret is refused or not set. `undefined` if the secret can be used. */
async function refusalOf({ secretKey }: ReceiveCommandsPorts): Promise<MarketplaceError | undefined> {
  try {
    await secretKey.read();
    return undefined;
  } catch (error) {
    if (isPartnerRefused(error)) return error;
    throw error;
  }
}

/** Makes commands wait. Touches their requests, so that the sweeper does not count them as abandoned. */
async function waitAll<C extends Command>(
  ports: ReceiveCommandsPorts,
  commands: readonly C[],
  error: MarketplaceError,
): Promise<ReadonlyMap<C, CommandEnd>> {
  const plans = await ports.requests.getPlans(commands.map(planKey));
  const recordIds = new Set([...plans.values()].flatMap((plan) => plan.recordIds));
  await forEachConcurrently([...recordIds], AT_A_TIME, (recordId) => touchRequest(ports, recordId));
  return new Map(commands.map((command) => [command, { requests: [], rejections: [], error }]));
}

/** @throws the error of a command that can't be deferred. */
async function deferIfOpen<C extends Command>(
  { commandQueue, clock }: ReceiveCommandsPorts,
  { message, command }: Received<C>,
  end: CommandEnd | undefined,
): Promise<Deferral | undefined> {
  if (end?.error === undefined) return undefined;
  const { time, receivedAt = time } = command;
  // Count from the receipt: the command's own time may be long past, as the partner may send a command late, or again.
  const deferral = deferralOf(end.error, Math.max(0, clock.now() - receivedAt));
  if (deferral === undefined) throw end.error;
  const body = withIdentity(message.body, { id: message.messageId, time, receivedAt });
  await commandQueue.sendLater(body, deferral.delayMs);
  return deferral;
}
