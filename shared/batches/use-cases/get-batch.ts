import type { BatchRecord } from '../model.ts';
import type { BatchTable, RequestArchive } from '../ports.ts';
import { namedRow, openRowsOf } from '../rules/read-back.ts';
import { withCommand } from '../rules/row-origins.ts';

export interface GetBatchPorts {
  readonly batches: Pick<BatchTable, 'get'>;
  readonly requests: Pick<RequestArchive, 'get'>;
}

/** A batch, with the rows of which nobody has told yet while it is open. */
export async function getBatch(
  { batches, requests }: GetBatchPorts,
  batchId: string,
): Promise<BatchRecord | undefined> {
  const batch = await batches.get(batchId);
  const requestKey = batch?.submission?.requestKey;
  if (batch?.state !== 'submitted' || requestKey === undefined) return batch;
  const sent = await requests.get(requestKey);
  if (sent === undefined) return batch;
  const { origins } = batch.submission ?? {};
  const unknownRows = openRowsOf(batch, sent).map((row) => withCommand(namedRow(row), origins));
  return { ...batch, unknownRows };
}
