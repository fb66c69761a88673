import { ConnectorError } from '../../errors/connector-error.ts';
import type { BatchRecord } from '../model.ts';
import type { BatchTable } from '../ports.ts';
import { asDiscarded } from '../rules/take-fact.ts';

/**
 * Discards a final summary that matches no batch. A summary that says the same later has no effect; the batch that it
 * names still takes it, should it appear.
 *
 * @throws ConnectorError `SUMMARY_UNKNOWN` where no unmatched summary is kept under this ID
 */
export async function discardSummary(
  { batches }: { readonly batches: Pick<BatchTable, 'update'> },
  batchId: string,
): Promise<BatchRecord> {
  const record = await batches.update(batchId, (current) =>
    current?.state === 'unmatched' ? asDiscarded(current) : undefined,
  );
  if (record?.state === 'discarded') return record;
  throw new ConnectorError(`no unmatched summary ${batchId}`, { code: 'SUMMARY_UNKNOWN' });
}
