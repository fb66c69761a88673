import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { IncomingDetailType, IncomingEvent } from '../../events/incoming.ts';
import { type MessageFacts, parseIncomingEvent, withIdentity } from '../../events/parse-incoming-event.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import type { MarketplaceClientOptions } from '../../marketplace/options.ts';
import { rejectionOfEvent } from '../../rejections/rules/bounded.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { Domain } from '../domain.ts';
import type { Command, RequestRecord } from '../model.ts';
import type { CommandQueue } from '../ports.ts';
import { type Deferral, deferralOf, isPartnerRefused } from '../rules/deferral.ts';
import { type CommandEnd, type PerformCommandsPorts, performCommands } from './perform-commands.ts';
import { RequestTime } from './run-request.ts';

export interface ReceiveCommandsPorts extends PerformCommandsPorts {
  readonly commandQueue: CommandQueue;
  readonly secretKey: MarketplaceClientOptions['secretKey'];
  readonly limiter: Pick<Limiter, 'stop'>;
}

/** A message of a command queue. */
export interface CommandMessage extends MessageFacts {
  readonly body: string;
}

/** A command with the message that it came in. */
export type ReceivedCommand = Pick<Command, 'commandId' | 'eventId' | 'storeClientId'> & {
  readonly messageId: string;
};

type DeferredCommand = Deferral & Pick<Command, 'storeClientId' | 'eventId' | 'commandId'>;

/** The result of one batch of messages. */
export interface CommandsReceived {
  /** Messages to redeliver. */
  readonly failedMessageIds: readonly string[];
  /** Of each of these messages, in the same order. */
  readonly failures: readonly unknown[];
  /** The commands of all valid messages. */
  readonly commands: readonly ReceivedCommand[];
  /** Commands that were queued again as delayed messages. */
  readonly deferred: readonly DeferredCommand[];
  /** Rows, commands and messages that were rejected before anything was sent. */
  readonly rejected: number;
  /** Ended requests, without duplicates. */
  readonly requests: readonly RequestRecord[];
}

/** Stores processed at a time. */
const STORES_AT_A_TIME = 5;
/** Messages deferred at a time. */
const DEFERRED_AT_A_TIME = 10;

/**
/**
 * Performs the commands of one batch of messages, those of each store together. An invalid message is rejected. A command
 * that must wait is deferred as a delayed message: waiting must not count as a failed delivery. While the partner's
 * credentials are refused or not set, all commands wait, and all lanes are stopped.
 *
 * @param stopAt epoch ms after which no request but the first is begun. Default: no limit.
 */
export async function receiveCommands<C extends Command>(
  ports: ReceiveCommandsPorts,
  domain: Domain<C>,
  messages: readonly CommandMessage[],
  stopAt = Number.POSITIVE_INFINITY,
): Promise<CommandsReceived> {
  const report = {
    failedMessageIds: [] as string[],
    failures: [] as unknown[],
    deferred: [] as DeferredCommand[],
    rejected: 0,
    requests: [] as RequestRecord[],
  };
  const fail = (messageId: string, error: unknown) => {
    report.failedMessageIds.push(messageId);
    report.failures.push(error);
  };
  const received: { readonly message: CommandMessage; readonly command: C }[] = [];
  for (const message of messages) {
    const parsed = parseIncomingEvent(message.body, domain.detailTypes, message);
    if (parsed.ok)
      received.push({ message, command: domain.read(parsed.event as IncomingEvent<IncomingDetailType>) });
    else {
      report.rejected += 1;
      await reportRejections(ports, [rejectionOfEvent(parsed.refusal, message.sentAt)]).catch((error) =>
        fail(message.messageId, error),
      );
    }
  }
  const time = new RequestTime(ports.clock, stopAt);
  const stores = [...Map.groupBy(received, ({ command }) => command.storeClientId).values()];
  let refusal = received.length === 0 ? undefined : await refusalOf(ports);
  await forEachConcurrently(stores, STORES_AT_A_TIME, async (ofStore) => {
    const commands = ofStore.map(({ command }) => command);
    const ends = refusal
      ? new Map(commands.map((command) => [command, { requests: [], rejections: [], error: refusal }]))
      : await performCommands(ports, domain, commands, time);
    refusal ??= [...ends.values()].map(({ error }) => error).find(isPartnerRefused);
    await forEachConcurrently(ofStore, DEFERRED_AT_A_TIME, async ({ message, command }) => {
      const end = ends.get(command);
      const deferral = await deferIfOpen(ports, { message, command }, end).catch((error: unknown) => {
        fail(message.messageId, error);
      });
      if (deferral) report.deferred.push(deferral);
      report.rejected += end?.rejections.length ?? 0;
      report.requests.push(...(end?.requests ?? []));
    });
  });
  if (refusal) await ports.limiter.stop(refusal);
  const requests = [...new Map(report.requests.map((request) => [request.recordId, request])).values()];
  const commands = received.map(({ message, command: { commandId, eventId, storeClientId } }) => ({
    messageId: message.messageId,
    eventId,
    commandId,
    storeClientId,
  }));
  return { ...report, requests, commands };
}

/** Why no request can be signed; `undefined` if the secret can be used. */
async function refusalOf({ secretKey }: ReceiveCommandsPorts): Promise<MarketplaceError | undefined> {
  try {
    await secretKey.read();
    return undefined;
  } catch (error) {
    if (isPartnerRefused(error)) return error;
    throw error;
  }
}

/** @throws the error of a command that can't be deferred. */
async function deferIfOpen<C extends Command>(
  { commandQueue, clock }: ReceiveCommandsPorts,
  { message, command }: { readonly message: CommandMessage; readonly command: C },
  end: CommandEnd | undefined,
) {
  if (end?.error === undefined) return undefined;
  const { time, storeClientId, eventId, commandId } = command;
  const deferral = deferralOf(end.error, Math.max(0, clock.now() - time));
  if (deferral === undefined) throw end.error;
  await commandQueue.sendLater(withIdentity(message.body, { id: message.messageId, time }), deferral.delayMs);
  return { ...deferral, storeClientId, eventId, commandId };
}
