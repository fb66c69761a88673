import * as z from 'zod';
import { parseJson } from '../../collections/parse-json.ts';
import { rowNamesSchema } from '../../events/outgoing.ts';
import { type Rejection, UNKNOWN_STORE } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import type { DeadLetterMessage } from '../ports.ts';

/** Code of what an operator deleted as a dead letter. */
export const DEAD_LETTER_DELETED = 'DEAD_LETTER_DELETED';

const name = z.string().min(1).max(200).optional().catch(undefined);
const rows = z.array(z.unknown()).catch([]);

/** What any message of a queue may have: an event, or a message of the connector's own. */
const bodySchema = z.looseObject({
  id: name,
  'detail-type': name,
  storeClientId: name,
  detail: z
    .looseObject({
      storeClientId: name,
      commandId: name,
      items: rows,
      products: rows,
      ids: rows,
      productId: name,
      orderId: name,
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
  const subjects = subjectsIn(detail ?? {});
  const { rowIndex: _, ...first } = subjects[0] ?? {};
  return boundedRejection({
    storeClientId: detail?.storeClientId ?? storeClientId ?? UNKNOWN_STORE,
    rejectionId: `${rejectedAt}#${messageId}`,
    rejectedAt,
    code: DEAD_LETTER_DELETED,
    message: `an operator deleted its message: ${reason}`,
    eventId: id ?? messageId,
    ...(detailType !== undefined && { detailType }),
    ...(detail?.commandId !== undefined && { commandId: detail.commandId }),
    ...first,
    ...(subjects.length > 1 && { subjects }),
    details: { queue, messageId, body: json ?? body },
  });
}

type Detail = NonNullable<z.infer<typeof bodySchema>['detail']>;

function subjectsIn({ items = [], products = [], ids = [], productId, orderId }: Partial<Detail>) {
  const named = [...items, ...products, ...ids.map((id) => ({ id }))].flatMap((row, rowIndex) => {
    const names = rowNamesSchema.safeParse(row).data;
    return names !== undefined && Object.keys(names).length > 0 ? [{ ...names, rowIndex }] : [];
  });
  const whole = {
    ...(productId !== undefined && { id: productId }),
    ...(orderId !== undefined && { orderId }),
  };
  return Object.keys(whole).length > 0 ? [{ ...whole, rowIndex: 0 }, ...named] : named;
}
