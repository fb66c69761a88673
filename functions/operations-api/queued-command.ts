import * as z from 'zod';
import type { QueueSender } from '../../shared/aws/queue-sender.ts';
import { definedOf } from '../../shared/collections/defined-of.ts';
import type { ConnectorError } from '../../shared/errors/connector-error.ts';
import {
  type IncomingDetailType,
  type IncomingEvent,
  writeIncomingEvent,
} from '../../shared/events/incoming.ts';
import { HttpError, type HttpResponse } from '../../shared/lambda/http-handler.ts';
import type { EndedCommand } from '../../shared/requests/model.ts';
import { type AwaitCommandPorts, awaitCommand } from '../../shared/requests/use-cases/await-command.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import { storeNotConnected } from '../../shared/stores/use-cases/for-connected-store.ts';
import { isoTimeSchema } from '../../shared/time/times.ts';
import { getStore } from './for-store.ts';
import { wholeNumber } from './route.ts';

export interface QueuedCommandPorts extends AwaitCommandPorts {
  readonly stores: Pick<StoreTable, 'get'>;
}

/** Longest wait. With the start of the function it fits into the 30 s of an HTTP API. */
const LONGEST_WAIT_S = 20;

export const waitQuery = {
  /** Seconds to wait for the end of the command. 0: it is only queued. */
  wait: wholeNumber(z.int().min(0).max(LONGEST_WAIT_S)).default(LONGEST_WAIT_S),
};

/** The answer for a command that did not end while its caller waited. The command is still performed. */
export const openCommandSchema = z.object({
  commandId: z.string(),
  /** `waiting`: the command was begun, and waits because of `code`. */
  state: z.enum(['queued', 'waiting']),
  message: z.string(),
  code: z.string().optional(),
  /** When the command is tried again. */
  nextAt: isoTimeSchema.optional(),
  /** The path that shows the progress of the command. */
  trace: z.string(),
});

interface GivenCommand<T extends IncomingDetailType> extends Pick<IncomingEvent<T>, 'id' | 'detailType'> {
  readonly detail: IncomingEvent<T>['detail'] & { readonly storeClientId: string };
}

/**
 * Queues a command, as its event does, and waits for its end.
 *
 * @param queue the queue of the function that performs the command.
 * @param answerTo the answer to the ended command.
 * @returns 202 if it has not ended in time.
 * @throws HttpError 404 `STORE_UNKNOWN`; 409 `STORE_NOT_CONNECTED`, and the command is not queued.
 */
export async function queueCommand<T extends IncomingDetailType>(
  ports: QueuedCommandPorts,
  queue: QueueSender,
  { wait, ...given }: GivenCommand<T> & { readonly wait: number },
  answerTo: (end: EndedCommand) => HttpResponse,
): Promise<HttpResponse> {
  const { id: commandId, detailType, detail } = given;
  const { storeClientId } = detail;
  const store = await getStore(ports.stores, storeClientId);
  if (store.state !== 'connected') throw notQueued(storeNotConnected(store));
  const time = ports.clock.now();
  await queue.send([writeIncomingEvent({ ...given, time })]);
  const end = await awaitCommand(ports, { storeClientId, commandId, detailType }, time + wait * 1000);
  if ('requests' in end) return answerTo(end);
  const { code, message = 'it has not ended yet, and may have been sent', nextAt } = end.wait ?? {};
  const open = {
    commandId,
    state: end.wait === undefined ? 'queued' : 'waiting',
    message: `The command is queued: ${message}`,
    ...definedOf({ code, nextAt }),
    trace: `/trace?commandId=${encodeURIComponent(commandId)}`,
  };
  return { status: 202, body: open };
}

function notQueued(cause: ConnectorError): HttpError {
  const message = `${cause.message}: the command was not queued, give it again once the store is connected`;
  return new HttpError(409, cause.code, message, { cause });
}
