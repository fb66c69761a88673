import type { z } from 'zod';
import { type RejectedRow, submissionSchema } from '../batches/model.ts';
import { answeredRows } from '../batches/rules/apply-fact.ts';
import { type RecordBatchPorts, recordSubmission } from '../batches/use-cases/record-batch.ts';
import type { MarketplaceClient } from '../marketplace/client.ts';
import { PRODUCT_NOT_FOUND } from '../marketplace/errors.ts';
import { uuid } from '../marketplace/fields.ts';
import type { DeletedProducts } from '../marketplace/product-changes.ts';
import { type ReportRejectionsPorts, reportRejections } from '../rejections/use-cases/report-rejections.ts';
import type { Domain } from '../requests/domain.ts';
import type { RequestRecord } from '../requests/model.ts';
import { type CommandFault, rejectionOfRow, rejectionsOf } from '../requests/rules/rejection.ts';
import type { DeleteCommand } from './model.ts';
import { requestsOf } from './rules/plan-rows.ts';
import { faultOfRequest, unknownBatchOf } from './rules/request-batch.ts';

export interface DeletionRequestsPorts extends ReportRejectionsPorts, RecordBatchPorts {
  readonly calls: Pick<MarketplaceClient, 'deleteProducts'>;
  /** Most IDs per request. */
  readonly itemsPerRequest: number;
}

/** An answer as the ledger stores it. */
const answerSchema = submissionSchema.pick({ rejectedRows: true, unknownRows: true });

/** The ledger's functions for deletions of products (§4.10). */
export function createDeletionRequests(
  ports: DeletionRequestsPorts,
): Pick<Domain<DeleteCommand>, 'plan' | 'send' | 'apply'> {
  return {
    plan: (commands) => {
      const rows = commands.flatMap((command) =>
        command.ids.map((id, index) => ({ kind: 'product-deletion' as const, command, index, id })),
      );
      const { good = [], bad = [] } = Object.groupBy(rows, ({ id }) =>
        uuid.safeParse(id).success ? 'good' : 'bad',
      );
      return {
        requests: requestsOf(
          good.map(({ id, ...row }) => ({ ...row, item: { id }, names: { id } })),
          ports.itemsPerRequest,
        ),
        rejections: bad.map(({ command, ...row }) => rejectionOfRow(command, row, NOT_UUID)),
      };
    },

    send: async ({ record, store }, recordAttempt) => {
      const ids = record.rows.flatMap(({ id }) => id ?? []);
      return readAnswer(
        record,
        await ports.calls.deleteProducts(store, { ids }, { onAttempt: recordAttempt }),
      );
    },

    apply: async (record) => {
      const { state, fault, uncertain } = record;
      if (state === 'answered') {
        const { rejectedRows, unknownRows = [] } = answerSchema.parse(record.answer);
        // An earlier try deleted the product.
        const isDone = ({ code }: { code: string }) => uncertain && code === PRODUCT_NOT_FOUND;
        const refused = rejectedRows.filter((row) => !isDone(row));
        if (unknownRows.length > 0) await recordSubmission(ports, unknownBatchOf(record, refused));
        else
          await reportRejections(
            ports,
            rejectionsOf(record, (position) => faultOfRow(refused, position)),
          );
        return;
      }
      if (state === 'unknown' || fault === undefined) {
        await recordSubmission(ports, unknownBatchOf(record));
      } else if (!uncertain) {
        await reportRejections(
          ports,
          rejectionsOf(record, () => faultOfRequest(fault)),
        );
      } else if (fault.code !== PRODUCT_NOT_FOUND) {
        await recordSubmission(ports, unknownBatchOf(record));
      }
    },
  };
}

const NOT_UUID: CommandFault = { code: 'ROW_INVALID', message: 'the id is not a UUID' };

function readAnswer({ rows }: RequestRecord, { data }: DeletedProducts): z.infer<typeof answerSchema> {
  const { summary, successItems: acceptedRows, errors } = data;
  return answeredRows(rows, { summary, acceptedRows, errors });
}

function faultOfRow(refused: readonly RejectedRow[], position: number): CommandFault | undefined {
  const row = refused.find(({ rowIndex }) => rowIndex === position);
  return row && { code: row.code, message: row.message };
}
