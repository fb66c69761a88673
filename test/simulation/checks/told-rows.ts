import type { BatchRecord, RejectedRow } from '../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import type { Simulation } from '../engine/simulation.ts';

/**
 * After quiescence, of batches of stock and prices: the bus heard of each row that was refused for good, and of none that
 * was refused for now, as its lane sends it again. A batch whose function died before it told of it is left out.
 */
export function checkToldRows(
  simulation: Simulation,
  records: readonly BatchRecord[],
  events: readonly OutgoingEvent[],
): void {
  for (const { batchId, rejectedRows, announced } of records) {
    const told = new Set(
      events.flatMap((event) =>
        event.detailType === 'rows.rejected' && event.detail.batchId === batchId
          ? event.detail.rows.map(nameOf)
          : [],
      ),
    );
    for (const row of rejectedRows) {
      const name = nameOf(row);
      const isForNow = row.details?.retryable === true;
      if (isForNow && told.has(name)) {
        simulation.violate(`P2: row ${name} of ${batchId} is told as rejected, and is sent again`);
      }
      if (!isForNow && !told.has(name) && announced.includes('batch.completed')) {
        simulation.violate(`P2: nobody is told that row ${name} of ${batchId} is rejected`);
      }
    }
  }
}

function nameOf({ rowIndex, sku, id, externalId, code }: RejectedRow): string {
  return `${rowIndex ?? sku ?? id ?? externalId} ${code}`;
}
