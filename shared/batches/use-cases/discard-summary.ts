import { ConnectorError } from '../../errors/connector-error.ts';
import type { BatchRecord } from '../model.ts';
import type { BatchTable } from '../ports.ts';
import { asDiscarded } from '../rules/apply-fact.ts';

/**
 * Discards a final summary that matches no batch. A redelivery has no effect. If the batch appears later, the summary
 * still ends it.
 *
 * @throws ConnectorError `SUMMARY_UNKNOWN` if no unmatched summary has this ID
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
