import type { z } from 'zod';
import { type RejectedRow, submissionSchema } from '../batches/model.ts';
import { answeredRows } from '../batches/rules/apply-fact.ts';
import { type RecordBatchPorts, recordSubmission } from '../batches/use-cases/record-batch.ts';
import { batchAnswer } from '../marketplace/batch.ts';
import type { MarketplaceClient } from '../marketplace/client.ts';
import { PRODUCT_NOT_FOUND } from '../marketplace/errors.ts';
import { uuid } from '../marketplace/fields.ts';
import type { DeletedProducts } from '../marketplace/product-changes.ts';
import { type ReportRejectionsPorts, reportRejections } from '../rejections/use-cases/report-rejections.ts';
import type { Domain } from '../requests/domain.ts';
import type { RequestRecord } from '../requests/model.ts';
import {
  type CommandFault,
  identifiersIn,
  RowRejections,
  rejectionsOf,
} from '../requests/rules/rejection.ts';
import type { DeleteCommand } from './model.ts';
import { type RowOfKind, requestsOf } from './rules/plan-rows.ts';
import { faultOfRequest, unknownBatchOf } from './rules/request-batch.ts';

export interface DeletionRequestsPorts extends ReportRejectionsPorts, RecordBatchPorts {
  readonly calls: Pick<MarketplaceClient, 'deleteProducts'>;
  /** Most IDs per request. */
  readonly itemsPerRequest: number;
  /** Milliseconds after its signature within which a request lands, or never. */
  readonly attemptLifetimeMs: number;
}

/** An answer as the ledger stores it. */
const answerSchema = submissionSchema.pick({ rejectedRows: true, unknownRows: true });

/** The ledger's functions for deletions of products (§4.10). */
export function createDeletionRequests(
  ports: DeletionRequestsPorts,
): Pick<Domain<DeleteCommand>, 'plan' | 'send' | 'apply'> {
  return {
    plan: (commands) => {
      const good: RowOfKind<DeleteCommand>[] = [];
      const rejections = new RowRejections();
      for (const command of commands) {
        const { ids } = command;
        // Sent once: a repeated ID would be reported as not found.
        const known = new Set<string>();
        for (const [index, given] of ids.entries()) {
          const { data: id } = uuid.safeParse(given);
          if (id === undefined) {
            const row = { index, ...identifiersIn({ id: given }, ['id']) };
            rejections.add(command, ids.length, row, NOT_UUID);
          } else if (!known.has(id.toLowerCase())) {
            known.add(id.toLowerCase());
            good.push({ kind, command, index, item: { id }, names: { id } });
          }
        }
      }
      return { requests: requestsOf(good, ports.itemsPerRequest), rejections: rejections.all };
    },

    send: async ({ record, store }, recordAttempt) => {
      const ids = record.rows.flatMap(({ id }) => id ?? []);
      return readAnswer(
        record,
        await ports.calls.deleteProducts(store, { ids }, { onAttempt: recordAttempt }),
      );
    },

    apply: async (record) => {
      const { state, answer, uncertain } = record;
      const fault = state === 'refused' ? record.fault : undefined;
      // An earlier try deleted the product.
      const isDone = ({ code }: { code: string }) => uncertain && code === PRODUCT_NOT_FOUND;
      if (state === 'answered') {
        const { rejectedRows, unknownRows = [] } = answerSchema.parse(answer);
        const refused = rejectedRows.filter((row) => !isDone(row));
        if (unknownRows.length > 0)
          await recordSubmission(ports, unknownBatchOf(record, ports.attemptLifetimeMs, refused));
        else await reject(ports, record, (position) => faultOfRow(refused, position));
      } else if (fault !== undefined && !uncertain) {
        await reject(ports, record, () => faultOfRequest(fault));
      } else if (fault === undefined || !isDone(fault)) {
        await recordSubmission(ports, unknownBatchOf(record, ports.attemptLifetimeMs));
      }
    },
  };
}

const kind = 'product-deletion';
const NOT_UUID: CommandFault = { code: 'ROW_INVALID', message: 'the id is not a UUID' };

function readAnswer({ rows }: RequestRecord, answer: DeletedProducts): z.infer<typeof answerSchema> {
  return answeredRows(rows, batchAnswer.parse(answer));
}

function reject(ports: ReportRejectionsPorts, ...rows: Parameters<typeof rejectionsOf>): Promise<void> {
  return reportRejections(ports, rejectionsOf(...rows));
}

function faultOfRow(refused: readonly RejectedRow[], position: number): CommandFault | undefined {
  const row = refused.find(({ rowIndex }) => rowIndex === position);
  return row && { code: row.code, message: row.message };
}
