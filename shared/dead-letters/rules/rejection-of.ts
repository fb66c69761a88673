import * as z from 'zod';
import { parseJson } from '../../collections/parse-json.ts';
import { namesInDetail } from '../../events/names-in-detail.ts';
import { type Rejection, UNKNOWN_STORE } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import type { DeadLetterMessage } from '../ports.ts';

/** Code of what an operator deleted as a dead letter. */
export const DEAD_LETTER_DELETED = 'DEAD_LETTER_DELETED';

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

/** The record of a dead letter that an operator deleted: it is found by the names in the message. */
export function rejectionOfDeadLetter(
  { messageId, body, sentAt }: DeadLetterMessage,
  queue: string,
  reason: string,
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
    ...(detailType !== undefined && { detailType }),
    ...(detail?.commandId !== undefined && { commandId: detail.commandId }),
    ...namesInDetail(detail),
    details: { queue, messageId, body: json ?? body },
  });
}
