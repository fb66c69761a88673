import * as z from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import { parseJson } from '../../collections/parse-json.ts';
import { namesInDetail } from '../../events/names-in-detail.ts';
import { placeOfKey } from '../../imports/file/announced-file.ts';
import type { ImportRecord } from '../../imports/model.ts';
import { fileKinds } from '../../imports/rules/file-kinds.ts';
import { DEAD_LETTER_DELETED, type Rejection, UNKNOWN_STORE } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import type { DeadLetterMessage } from '../ports.ts';

const name = z.string().min(1).max(200).optional().catch(undefined);

/** What any message of a queue may have: an event, or a message of the connector's own. */
const bodySchema = z.looseObject({
  id: name,
  'detail-type': name,
  storeClientId: name,
  detail: z
    .looseObject({
      storeClientId: name,
      commandId: name,
    })
    .optional()
    .catch(undefined),
});

/** The file that a message is about. Of an import whose record has expired only its ID is known. */
export type FileOfMessage = Pick<ImportRecord, 'importId'> & Partial<Pick<ImportRecord, 'bucket' | 'key'>>;

/**
 * The record of a dead letter that an operator deleted: it is found by the names in the message.
 *
 * @param file what the message is about, if it has no rows itself: its rejection is found as others of the file are
 */
export function rejectionOfDeadLetter(
  { messageId, body, sentAt }: DeadLetterMessage,
  queue: string,
  reason: string,
  file?: FileOfMessage,
): Rejection {
  const json = parseJson(body);
  const {
    id,
    detail,
    storeClientId,
    'detail-type': detailType,
  }: Partial<z.infer<typeof bodySchema>> = bodySchema.safeParse(json).data ?? {};
  const rejectedAt = new Date(sentAt).toISOString();
  return boundedRejection({
    storeClientId: detail?.storeClientId ?? storeClientId ?? UNKNOWN_STORE,
    rejectionId: `${rejectedAt}#${messageId}`,
    rejectedAt,
    code: DEAD_LETTER_DELETED,
    message: `an operator deleted its message: ${reason}`,
    eventId: id ?? messageId,
    ...definedOf({ detailType, commandId: detail?.commandId }),
    ...namesInDetail(detail),
    ...(file && namesOfFile(file)),
    details: { queue, messageId, body: json ?? body },
  });
}

function namesOfFile({ importId, bucket, key }: FileOfMessage) {
  if (bucket === undefined || key === undefined) return { commandId: importId };
  const { storeClientId = UNKNOWN_STORE, kind } = placeOfKey(key);
  const { detailType } = fileKinds[kind];
  return { storeClientId, commandId: importId, detailType, origin: `s3://${bucket}/${key}` };
}
