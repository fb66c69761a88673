import { ConnectorError } from '../../errors/connector-error.ts';
import { type BatchRecord, CREATION_KINDS } from '../model.ts';
import type { BatchTable, RequestArchive } from '../ports.ts';
import { type FailedRow, type FailedRowScope, failedRowsOf } from '../rules/failed-rows.ts';

export interface GiveBackRowsPorts {
  readonly batches: Pick<BatchTable, 'get'>;
  readonly requests: Pick<RequestArchive, 'get'>;
}

/**
 * The failed rows of an ended batch of products, as they were sent.
 *
 * @throws ConnectorError `BATCH_UNKNOWN`; `BATCH_OPEN`; `ROWS_NOT_KEPT` for a batch of another kind, or one that is
 * older than the archive keeps anything
 */
export async function giveBackRows(
  { batches, requests }: GiveBackRowsPorts,
  batchId: string,
  scope?: FailedRowScope,
): Promise<{ batch: BatchRecord; rows: FailedRow[] }> {
  const batch = await batches.get(batchId);
  if (batch === undefined) throw refusal('BATCH_UNKNOWN', `no batch ${batchId}`);
  if (batch.completedAt === undefined) throw refusal('BATCH_OPEN', `batch ${batchId} is ${batch.state}`);
  const { kind, submission: { requestKey } = {} } = batch;
  const isKept = requestKey !== undefined && CREATION_KINDS.has(kind);
  const sent = isKept ? await requests.get(requestKey) : undefined;
  if (sent === undefined) throw refusal('ROWS_NOT_KEPT', `the rows of batch ${batchId} are not kept`);
  return { batch, rows: failedRowsOf(batch, sent, scope) };
}

function refusal(code: string, message: string): ConnectorError {
  return new ConnectorError(message, { code });
}
