import { submissionSchema } from '../batches/model.ts';
import { answeredRows } from '../batches/rules/answered-rows.ts';
import { recordSubmission } from '../batches/use-cases/record-batch.ts';
import { batchAnswer } from '../marketplace/batch.ts';
import { PRODUCT_NOT_FOUND } from '../marketplace/errors.ts';
import { uuid } from '../marketplace/fields.ts';
import { reportRejections } from '../rejections/use-cases/report-rejections.ts';
import type { Domain } from '../requests/domain.ts';
import { identifiersIn, rejectionsOf } from '../requests/rules/rejection.ts';
import type { DeleteCommand } from './model.ts';
import type { ProductPorts } from './ports.ts';
import { planRows } from './rules/plan-rows.ts';
import { faultOfRequest, unknownBatchOf } from './rules/request-batch.ts';

/** An answer as the ledger stores it. */
const answerSchema = submissionSchema.pick({ rejectedRows: true, unknownRows: true });

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
      return answeredRows(rows, batchAnswer.parse(answer));
    },

    apply: async (record) => {
      const { state, fault, uncertain } = record;
      // An earlier try deleted the product.
      const isDone = ({ code }: { code: string }) => uncertain && code === PRODUCT_NOT_FOUND;
      if (state === 'refused' && fault !== undefined) {
        if (isDone(fault)) return;
        if (!uncertain)
          return reportRejections(
            ports,
            rejectionsOf(record, () => faultOfRequest(fault)),
          );
      }
      const isAnswered = state === 'answered';
      const { rejectedRows, unknownRows = [] } = isAnswered
        ? answerSchema.parse(record.answer)
        : { rejectedRows: [] };
      const refused = rejectedRows.filter((row) => !isDone(row));
      if (!isAnswered || unknownRows.length > 0) {
        await recordSubmission(ports, unknownBatchOf(record, ports.attemptLifetimeMs, refused));
        return;
      }
      const faults = new Map(refused.map(({ rowIndex, code, message }) => [rowIndex, { code, message }]));
      await reportRejections(
        ports,
        rejectionsOf(record, (position) => faults.get(position)),
      );
    },
  };
}

/** A repeated ID, in whichever case, becomes `undefined`: the second deletion would find no product. */
function withoutRepeated(ids: readonly unknown[]): unknown[] {
  const known = new Set<string>();
  return ids.map((id) => {
    const name = uuid.safeParse(id).data?.toLowerCase();
    if (name !== undefined && known.has(name)) return undefined;
    if (name !== undefined) known.add(name);
    return id;
  });
}
