import { parseJson } from '../../collections/parse-json.ts';
import { importOfMessage } from '../../correlation/file-message-id.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { importIdOf } from '../../imports/file/announced-file.ts';
import { importMessageSchema } from '../../imports/import-message.ts';
import type { ImportTable } from '../../imports/ports.ts';
import { endUnread, type OperateImportPorts } from '../../imports/use-cases/operate-import.ts';
import type { Rejection } from '../../rejections/model.ts';
import { judgedByStore } from '../../rejections/use-cases/judged-by-store.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { StoreTable } from '../../stores/ports.ts';
import type { DeadLetterMessage, DeadLetterMessages } from '../ports.ts';
import { type FileOfMessage, rejectionOfDeadLetter } from '../rules/rejection-of.ts';

export interface DeleteDeadLettersPorts extends ReportRejectionsPorts, OperateImportPorts {
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
  const files: { importId: string; fault: Pick<Rejection, 'code' | 'message'> }[] = [];
  for (const message of found) {
    const file = await fileOf(ports.imports, message);
    const rejection = rejectionOfDeadLetter(message, queue, reason, file);
    rejections.push(...(await judgedByStore(ports.stores, [rejection])));
    const { code, message: why } = rejection;
    if (file !== undefined) files.push({ importId: file.importId, fault: { code, message: why } });
  }
  await reportRejections(ports, rejections);
  for (const { importId, fault } of files) await endUnread(ports, importId, fault);
  for (const message of found) await deadLetterMessages.remove(queue, message);
  const deleted = new Set(found.map(({ messageId }) => messageId));
  return { deleted: [...deleted], notFound: messageIds.filter((id) => !deleted.has(id)) };
}

/** The file that a message of the catalog importer is about; `undefined` for any other message. */
async function fileOf(
  imports: Pick<ImportTable, 'get'>,
  { body }: DeadLetterMessage,
): Promise<FileOfMessage | undefined> {
  const message = importMessageSchema.safeParse(parseJson(body)).data;
  if (message === undefined) return undefined;
  if ('key' in message) return { importId: importIdOf(message), bucket: message.bucket, key: message.key };
  const importId = importOfMessage(message.importId);
  return importId === undefined ? undefined : ((await imports.get(importId)) ?? { importId });
}
