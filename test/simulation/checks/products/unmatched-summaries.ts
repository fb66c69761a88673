import type { BatchRecord } from '../../../../shared/batches/model.ts';
import type { RequestRecord } from '../../../../shared/requests/model.ts';
import type { Simulation } from '../../engine/simulation.ts';
import type { ProductTables } from '../../world/products/product-tables.ts';

/** After quiescence: no final summary is left whose rows are those of one request with a lost answer alone (P4). */
export function checkUnmatchedSummaries(simulation: Simulation, { batches, records }: ProductTables): void {
  const all = batches.all();
  const recorded = new Set(all.map(({ attemptId }) => attemptId));
  const lost = records.all().filter((record) => recorded.has(record.recordId) && isAnswerLost(record));
  for (const batch of all) {
    if (batch.state !== 'unmatched') continue;
    const [request, ...others] = lost.filter((record) => isAbout(batch, record));
    if (request === undefined || others.length > 0) continue;
    simulation.violate(
      `P4: the summary ${batch.batchId} of request ${request.recordId} is matched to no batch`,
    );
  }
}

/** Whether the marketplace may have begun a batch whose IDs no answer brought. */
function isAnswerLost({ state, uncertain, answer }: RequestRecord): boolean {
  const { batchId, requestId } = { ...(answer as { batchId?: string; requestId?: string } | undefined) };
  return uncertain || state === 'unknown' || (batchId ?? requestId) === undefined;
}

function isAbout({ storeClientId, finalSummary }: BatchRecord, record: RequestRecord): boolean {
  const { summary, acceptedRows = [], rejectedRows = [], receivedAt = '' } = finalSummary ?? {};
  const named = [...acceptedRows, ...rejectedRows].filter(({ externalId }) => externalId !== undefined);
  const externalIds = record.rows.map(({ externalId = '' }) => externalId.toLowerCase());
  return (
    storeClientId === record.storeClientId &&
    // An earlier summary is of another request.
    Date.parse(receivedAt) >= Date.parse(record.createdAt) &&
    summary?.total === externalIds.length &&
    named.length > 0 &&
    named.every(({ rowIndex, externalId = '' }) => {
      const own = externalId.toLowerCase();
      return rowIndex === undefined ? externalIds.includes(own) : externalIds[rowIndex] === own;
    })
  );
}
