import { ConnectorError } from '../../errors/connector-error.ts';
import type { Rejection } from '../../rejections/model.ts';
import { judgedByStore } from '../../rejections/use-cases/judged-by-store.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { DeadLetterMessages } from '../ports.ts';
import { rejectionOfDeadLetter } from '../rules/rejection-of.ts';

export interface DeleteDeadLettersPorts extends ReportRejectionsPorts {
  readonly deadLetterMessages: DeadLetterMessages;
  readonly stores: Pick<StoreTable, 'get'>;
}

/**
 * Deletes messages that can never be processed. What each was about is rejected first, with the operator's reason, so that its history
 * tells its outcome.
 *
 * @throws ConnectorError `QUEUE_UNKNOWN`
 */
export async function deleteDeadLetters(
  { deadLetterMessages, ...ports }: DeleteDeadLettersPorts,
  { queue, messageIds, reason }: { queue: string; messageIds: readonly string[]; reason: string },
): Promise<{ deleted: string[]; notFound: string[] }> {
  const found = await deadLetterMessages.find(queue, messageIds);
  if (found === undefined)
    throw new ConnectorError(`no dead-letter queue is named ${queue}`, { code: 'QUEUE_UNKNOWN' });
  const rejections: Rejection[] = [];
  for (const message of found)
    rejections.push(...(await judgedByStore(ports.stores, [rejectionOfDeadLetter(message, queue, reason)])));
  await reportRejections(ports, rejections);
  for (const message of found) await deadLetterMessages.remove(queue, message);
  const deleted = new Set(found.map(({ messageId }) => messageId));
  return { deleted: [...deleted], notFound: messageIds.filter((id) => !deleted.has(id)) };
}
