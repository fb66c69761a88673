import { forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import type { IncomingDetailType, IncomingEvent } from '../../events/incoming.ts';
import { type MessageFacts, parseIncomingEvent, withIdentity } from '../../events/parse-incoming-event.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import type { MarketplaceClientOptions } from '../../marketplace/options.ts';
import { countRows } from '../../rejections/model.ts';
import { rejectionOfEvent } from '../../rejections/rules/bounded.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { Domain } from '../domain.ts';
import { type Command, planKey, type RequestRecord } from '../model.ts';
import type { CommandQueue } from '../ports.ts';
import { type Deferral, deferralOf, isPartnerRefused } from '../rules/deferral.ts';
import { type CommandEnd, performCommands } from './perform-commands.ts';
import { RequestTime, type RunRequestPorts, touchRequest } from './run-request.ts';

export interface ReceiveCommandsPorts extends RunRequestPorts {
  readonly commandQueue: CommandQueue;
  readonly secretKey: MarketplaceClientOptions['secretKey'];
  readonly limiter: Pick<Limiter, 'stop'>;
}

/** A message of a command queue. */
export interface CommandMessage extends MessageFacts {
  readonly body: string;
}

type CommandIds = Pick<Command, 'commandId' | 'eventId' | 'storeClientId'>;

/** A message to redeliver, with the IDs of its command if it is a valid one. */
interface FailedMessage extends Partial<CommandIds> {
  readonly messageId: string;
  readonly error: unknown;
}

/** The result of one batch of messages. */
export interface CommandsReceived {
  readonly failures: readonly FailedMessage[];
  /** The commands of all valid messages. */
  readonly commands: readonly (CommandIds & Pick<FailedMessage, 'messageId'>)[];
  /** Commands that were queued again as delayed messages. */
  readonly deferred: readonly (CommandIds & Deferral)[];
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
 * Performs the commands of one batch of messages, those of each store together. An invalid message is rejected. A command
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
  const report = {
    failures: [] as FailedMessage[],
    deferred: [] as (CommandIds & Deferral)[],
    rejected: 0,
    requests: [] as RequestRecord[],
  };
  const received: { readonly message: CommandMessage; readonly command: C }[] = [];
  for (const message of messages) {
    const parsed = parseIncomingEvent(message.body, domain.detailTypes, message);
    if (parsed.ok) {
      const { receivedAt } = parsed;
      const command = { ...domain.read(parsed.event as IncomingEvent<IncomingDetailType>), receivedAt };
      received.push({ message, command });
    } else {
      report.rejected += 1;
      const { messageId, sentAt } = message;
      await reportRejections(ports, [rejectionOfEvent(parsed.refusal, sentAt)]).catch((error: unknown) => {
        report.failures.push({ messageId, error });
      });
    }
  }
  const stores = [...Map.groupBy(received, ({ command }) => command.storeClientId).values()];
  let refusal = received.length === 0 ? undefined : await refusalOf(ports);
  await forEachConcurrently(stores, STORES_AT_A_TIME, async (ofStore) => {
    const commands = ofStore.map(({ command }) => command);
    const ends = refusal
      ? await waitAll(ports, commands, refusal)
      : await performCommands(ports, domain, commands, time);
    refusal ??= [...ends.values()].map(({ error }) => error).find(isPartnerRefused);
    await forEachConcurrently(ofStore, DEFERRED_AT_A_TIME, async ({ message, command }) => {
      const end = ends.get(command);
      const ids = idsOf(command);
      await deferIfOpen(ports, { message, command }, end).then(
        (deferral) => deferral && report.deferred.push({ ...deferral, ...ids }),
        (error: unknown) => report.failures.push({ ...ids, messageId: message.messageId, error }),
      );
      report.rejected += countRows(end?.rejections ?? []);
      report.requests.push(...(end?.requests ?? []));
    });
  });
  if (refusal) await ports.limiter.stop(refusal);
  // Of two deliveries of a command the first one applied its requests.
  const byId = new Map(report.requests.toReversed().map((request) => [request.recordId, request]));
  const commands = received.map(({ message: { messageId }, command }) => ({ messageId, ...idsOf(command) }));
  return { ...report, requests: [...byId.values()], commands };
}

function idsOf({ commandId, eventId, storeClientId }: Command): CommandIds {
  return { commandId, eventId, storeClientId };
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

/** Has commands wait that must not be begun or continued. Their requests are not abandoned. */
async function waitAll<C extends Command>(
  ports: ReceiveCommandsPorts,
  commands: readonly C[],
  error: MarketplaceError,
): Promise<ReadonlyMap<C, CommandEnd>> {
  const plans = await ports.requests.getPlans(commands.map(planKey));
  const recordIds = new Set([...plans.values()].flatMap((plan) => plan.recordIds));
  for (const recordId of recordIds) await touchRequest(ports, recordId);
  return new Map(commands.map((command) => [command, { requests: [], rejections: [], error }]));
}

/** @throws the error of a command that can't be deferred. */
async function deferIfOpen<C extends Command>(
  { commandQueue, clock }: ReceiveCommandsPorts,
  { message, command }: { readonly message: CommandMessage; readonly command: C },
  end: CommandEnd | undefined,
): Promise<Deferral | undefined> {
  if (end?.error === undefined) return undefined;
  const { time, receivedAt = time } = command;
  // The command's own time may be long past: the partner may give it late, or again.
  const deferral = deferralOf(end.error, Math.max(0, clock.now() - receivedAt));
  if (deferral === undefined) throw end.error;
  const body = withIdentity(message.body, { id: message.messageId, time, receivedAt });
  await commandQueue.sendLater(body, deferral.delayMs);
  return deferral;
}
