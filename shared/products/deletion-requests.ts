import * as z from 'zod';
import { submissionSchema } from '../batches/model.ts';
import { answeredRows } from '../batches/rules/answered-rows.ts';
import { recordSubmission } from '../batches/use-cases/record-batch.ts';
import { definedOf } from '../collections/defined-of.ts';
import { packAll } from '../collections/packer.ts';
import { acceptedRow, batchAnswer, isRowRetryable, mayBeApplied } from '../marketplace/batch.ts';
import { PRODUCT_NOT_FOUND } from '../marketplace/errors.ts';
import { uuid } from '../marketplace/fields.ts';
import { boundedText } from '../rejections/rules/bounded.ts';
import { reportRejections } from '../rejections/use-cases/report-rejections.ts';
import type { Domain } from '../requests/domain.ts';
import type { RequestRecord } from '../requests/model.ts';
import { type CommandFault, identifiersIn, rejectionsOf } from '../requests/rules/rejection.ts';
import type { DeleteCommand } from './model.ts';
import type { ProductPorts } from './ports.ts';
import { planRows } from './rules/plan-rows.ts';
import { faultOfRequest, unknownBatchOf } from './rules/request-batch.ts';

/** An answer as the ledger stores it. */
const answerSchema = submissionSchema
  .pick({ rejectedRows: true, unknownRows: true, requestId: true })
  .extend({
    message: z.string().optional(),
    successItems: z.array(acceptedRow.pick({ id: true, externalId: true }).strip()).default([]),
  });

const kind = 'product-deletion';
const NOT_UUID = { code: 'ROW_INVALID', message: 'the id is not a UUID' };

/** The ledger's functions for deletions of products (§4.10). */
export function createDeletionRequests(
  ports: ProductPorts,
): Pick<Domain<DeleteCommand>, 'plan' | 'send' | 'apply'> {
  const readRow = (given: unknown) => {
    const { data: id } = uuid.safeParse(given);
    if (id !== undefined) return { kind, item: { id }, names: { id } } as const;
    return { kind, item: given, names: identifiersIn({ id: given }, ['id']), fault: NOT_UUID } as const;
  };
  return {
    plan: (commands) => planRows(commands, ({ ids }) => withoutRepeated(ids), readRow, ports.itemsPerRequest),

    send: async ({ record: { rows }, store }, recordAttempt) => {
      const ids = rows.flatMap(({ id }) => id ?? []);
      const answer = await ports.calls.deleteProducts(store, { ids }, { onAttempt: recordAttempt });
      const { message, requestId, data } = answer;
      return answerSchema.parse({
        ...answeredRows(rows, batchAnswer.parse(answer)),
        ...definedOf({ message: message && boundedText(message), requestId }),
        successItems: itemsOf(ids, data?.successItems ?? []),
      });
    },

    apply: async (record) => {
      const ends = deletionEnds(record);
      if (ends.some(({ state }) => state === 'unknown')) {
        const answer = answerOf(record);
        const refused = answer?.rejectedRows.filter((row) => !isDone(record, row) && !mayBeApplied(row));
        const batch = unknownBatchOf(record, ports.attemptLifetimeMs, refused);
        const unknownRows = [...ends.keys()].filter((position) => ends[position]?.state === 'unknown');
        // What the answer settles stays settled.
        await recordSubmission(ports, answer ? { ...batch, unknownRows, endsBy: 'answer' } : batch);
      } else
        await reportRejections(
          ports,
          rejectionsOf(record, (position) => ends[position]?.fault),
        );
    },
  };
}

/** The end of a deletion for one of its IDs. */
interface DeletionEnd {
  readonly state: 'accepted' | 'rejected' | 'unknown';
  readonly fault?: CommandFault;
  readonly externalId?: string | undefined;
}

const UNCLEAR = { code: 'ROW_UNCLEAR', message: 'the answer does not say whether the product was deleted' };

/** The end of an ended request for each of its IDs, in their order. */
export function deletionEnds(record: RequestRecord): DeletionEnd[] {
  const { state, rows, fault = UNCLEAR, uncertain } = record;
  const answer = answerOf(record);
  return rows.map(({ id = '' }, position): DeletionEnd => {
    const rejected = answer?.rejectedRows.find(({ rowIndex }) => rowIndex === position);
    const refusal = rejected ?? (state === 'refused' ? fault : undefined);
    if (refusal !== undefined && isDone(record, refusal)) return { state: 'accepted' };
    if (rejected !== undefined) {
      const { code, message, details } = rejected;
      // An earlier try of unknown outcome may have deleted a product that is refused for now.
      const isOpen = mayBeApplied(rejected) || (uncertain && isRowRetryable(rejected));
      return { state: isOpen ? 'unknown' : 'rejected', fault: { code, message, details } };
    }
    if (refusal !== undefined && !uncertain) return { state: 'rejected', fault: faultOfRequest(fault) };
    if (answer === undefined) return { state: 'unknown', fault: faultOfRequest(fault) };
    if (answer.unknownRows?.includes(position)) return { state: 'unknown', fault: UNCLEAR };
    const item = answer.successItems.find((one) => one.id?.toLowerCase() === id.toLowerCase());
    return { state: 'accepted', externalId: item?.externalId };
  });
}

function answerOf({ state, answer }: RequestRecord): z.infer<typeof answerSchema> | undefined {
  return state === 'answered' ? answerSchema.parse(answer) : undefined;
}

/** An answer may list other products, and may be very long: a record has at most 400 KB. */
const MAX_ITEMS_BYTES = 100_000;

function itemsOf<Item extends { readonly id?: string | undefined }>(
  ids: readonly string[],
  listed: readonly Item[],
): readonly Item[] {
  const asked = new Set(ids.map((id) => id.toLowerCase()));
  const own = listed.filter(({ id }) => id !== undefined && asked.has(id.toLowerCase()));
  return packAll(own, { maxItems: ids.length, maxBytes: MAX_ITEMS_BYTES })[0] ?? [];
}

/** Whether an earlier try, of unknown outcome, has deleted the product. */
function isDone({ uncertain }: RequestRecord, { code }: { readonly code: string }): boolean {
  return uncertain && code === PRODUCT_NOT_FOUND;
}

/** Replaces repeated IDs, in upper or lower case, by `undefined`: a second deletion would find no product. */
function withoutRepeated(ids: readonly unknown[]): unknown[] {
  const known = new Set<string>();
  return ids.map((id) => {
    const name = uuid.safeParse(id).data?.toLowerCase();
    if (name !== undefined && known.has(name)) return undefined;
    if (name !== undefined) known.add(name);
    return id;
  });
}
