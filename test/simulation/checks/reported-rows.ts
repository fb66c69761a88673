import type { BatchRecord, RejectedRow } from '../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import type { Simulation } from '../engine/simulation.ts';

/**
 * After quiescence, for batches of stock and prices: every finally refused row was published, and no temporarily refused
 * one, which its lane sends again. A batch whose function was killed before it published the end is left out.
 */
export function checkReportedRows(
  simulation: Simulation,
  records: readonly BatchRecord[],
  events: readonly OutgoingEvent[],
): void {
  for (const { batchId, rejectedRows, announced } of records) {
    const reported = new Set(
      events.flatMap((event) =>
        event.detailType === 'rows.rejected' && event.detail.batchId === batchId
          ? event.detail.rows.map(nameOf)
          : [],
      ),
    );
    for (const row of rejectedRows) {
      const name = nameOf(row);
      const isTemporary = row.details?.retryable === true;
      if (isTemporary && reported.has(name)) {
        simulation.violate(`P2: row ${name} of ${batchId} is reported as rejected, and is sent again`);
      }
      if (!isTemporary && !reported.has(name) && announced.includes('batch.completed')) {
        simulation.violate(`P2: row ${name} of ${batchId} is rejected, and is not reported`);
      }
    }
  }
}

function nameOf({ rowIndex, sku, id, externalId, code }: RejectedRow): string {
  return `${rowIndex ?? sku ?? id ?? externalId} ${code}`;
}
