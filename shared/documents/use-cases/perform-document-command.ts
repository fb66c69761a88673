import { type CommandStep, stepKey } from '../../commands/model.ts';
import type { CommandTable } from '../../commands/ports.ts';
import { begun, done, refused, withdrawn } from '../../commands/rules/steps.ts';
import { type CommandMessage, type OrPutOffPorts, orPutOff } from '../../commands/use-cases/or-put-off.ts';
import type { IncomingEvent } from '../../events/incoming.ts';
import { parseIncomingEvent } from '../../events/parse-incoming-event.ts';
import { writeIncomingEvent } from '../../events/write-incoming-event.ts';
import { rejectionOfEvent } from '../../rejections/rules/event-rejection.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { DocumentCommand, DocumentOutcome } from '../model.ts';
import { FETCHER_LIFETIME_MS } from '../rules/claim.ts';
import { failureOf, rejectionOfDocument } from '../rules/document-rejection.ts';
import { pauseForState } from '../rules/wait-for-state.ts';
import { type AnnounceDocumentPorts, announceDocument } from './announce-document.ts';
import { type FetchDocumentPorts, fetchDocument } from './fetch-document.ts';

export interface PerformDocumentCommandPorts
  extends FetchDocumentPorts,
    AnnounceDocumentPorts,
    OrPutOffPorts {
  readonly clock: FetchDocumentPorts['clock'];
  readonly commands: CommandTable;
  /** How long after its command an order may take to come into a state that allows the document, in milliseconds. */
  readonly waitForStateMs: number;
}

export interface DocumentCommandResult {
  /**
   * - `done before`: a redelivered command left nothing to do;
   * - `waiting`: the command comes again, as the order's state does not allow the document yet, or for `putOff`.
   */
  readonly state: 'stored' | 'failed' | 'rejected' | 'done before' | 'waiting';
  readonly storeClientId?: string | undefined;
  readonly commandId?: string;
  /** Of the document bucket. */
  readonly key?: string;
  /** Why there is no document. */
  readonly code?: string;
  /** Why the command waits in its queue. */
  readonly putOff?: string;
  /** For how long so far, in milliseconds, where it is the marketplace that keeps it waiting. */
  readonly ageMs?: number;
}

/**
 * Does one `order.document.requested`, once: its document ends in the bucket with `document.stored` on the bus, or is
 * refused for good, with `document.failed` and a rejection. Where the order's state may still come to allow it, the
 * command waits in its queue.
 *
 * @throws {ConnectorError | MarketplaceError} when waiting is not what the command needs.
 */
export async function performDocumentCommand(
  ports: PerformDocumentCommandPorts,
  message: CommandMessage,
): Promise<DocumentCommandResult> {
  const parsed = parseIncomingEvent(message.body, ['order.document.requested'], message);
  if (!parsed.ok) {
    await reportRejections(ports, [rejectionOfEvent(parsed.refusal, message.sentAt)]);
    return { state: 'rejected', storeClientId: parsed.refusal.storeClientId, code: parsed.refusal.code };
  }
  const command = commandOf(parsed.event);
  const { storeClientId, commandId } = command;
  const key = stepKey(storeClientId, commandId, 'document');
  const at = new Date(ports.clock.now()).toISOString();
  const attempt = { commandId: key, attemptId: ports.newId(), at };
  const step = await ports.commands.update(key, (current) =>
    isAtWork(current, ports.clock.now()) ? undefined : begun(current, attempt),
  );
  const facts = { storeClientId, commandId };
  if (step?.state === 'done') return { state: 'done before', ...facts };
  const [known] = step?.rejections ?? [];
  if (known !== undefined) return end(ports, command, key, { failure: failureOf(known) });
  if (step?.attemptId !== attempt.attemptId) {
    await ports.again.sendLater(eventOf(command), FETCHER_LIFETIME_MS);
    return { state: 'waiting', ...facts, putOff: 'DOCUMENT_BUSY' };
  }
  const fetched = await orPutOff(ports, { message, time: command.time }, () => fetchDocument(ports, command));
  const withdraw = () => ports.commands.update(key, (current) => withdrawn(current, attempt.attemptId));
  if ('putOff' in fetched) {
    await withdraw();
    return { state: 'waiting', ...facts, ...fetched };
  }
  const pause = pauseForState(fetched, command, ports.clock.now(), ports.waitForStateMs);
  if (pause === undefined) return end(ports, command, key, fetched);
  await withdraw();
  await ports.again.sendLater(eventOf(command), pause);
  return { state: 'waiting', ...facts };
}

/** Keeps a failure before it is told of, so that a crash in between makes no other outcome of it. */
async function end(
  ports: PerformDocumentCommandPorts,
  command: DocumentCommand,
  key: string,
  outcome: DocumentOutcome,
): Promise<DocumentCommandResult> {
  const { storeClientId, commandId } = command;
  const failure = 'failure' in outcome ? outcome.failure : undefined;
  if (failure) {
    const rejection = rejectionOfDocument(command, failure);
    await ports.commands.update(key, (current) => refused(current, [rejection], failure.code));
  }
  await announceDocument(ports, command, outcome);
  const at = new Date(ports.clock.now()).toISOString();
  const ended = failure ? { code: failure.code } : {};
  await ports.commands.update(key, (current) => done(current, ended, at));
  return 'failure' in outcome
    ? { state: 'failed', storeClientId, commandId, code: outcome.failure.code }
    : { state: 'stored', storeClientId, commandId, key: outcome.stored.key };
}

/** Whether another delivery of the command is being done now. */
function isAtWork(current: CommandStep | undefined, now: number): boolean {
  return (
    current?.state === 'sending' &&
    now - Date.parse(current.begunAt ?? current.startedAt) < FETCHER_LIFETIME_MS
  );
}

function commandOf({ id, time, detail }: IncomingEvent<'order.document.requested'>): DocumentCommand {
  const { storeClientId, commandId = id, orderId, document, includeItems, refresh } = detail;
  return { storeClientId, commandId, eventId: id, time, orderId, document, includeItems, refresh };
}

/** The event with its defaults, as another message would stand for others. */
function eventOf({ eventId, time, ...detail }: DocumentCommand): string {
  return writeIncomingEvent({ id: eventId, time, detailType: 'order.document.requested', detail });
}
