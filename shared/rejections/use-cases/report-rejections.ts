import { packAll } from '../../collections/packer.ts';
import type { EventPublisher } from '../../events/outgoing.ts';
import { type OutgoingEvent, REJECTED_ROWS_LIMITS, rejectedEventRowSchema } from '../../events/outgoing.ts';
import type { RejectionTable } from '../model.ts';
import { type Rejection, rejectionSchema, UNKNOWN_STORE } from '../model.ts';

const rejectionOriginSchema = rejectionSchema
  .pick({ storeClientId: true, batchId: true, commandId: true, eventId: true, detailType: true })
  .partial();

export interface ReportRejectionsPorts {
  readonly rejections: Pick<RejectionTable, 'putAll'>;
  readonly events: EventPublisher;
}

/** Stores rejections and publishes them as `rows.rejected`, grouped by batch, command and event. */
export async function reportRejections(
  ports: ReportRejectionsPorts,
  rejections: readonly Rejection[],
): Promise<void> {
  if (rejections.length === 0) return;
  await ports.rejections.putAll(rejections);
  await ports.events.publish(rejectionEvents(rejections));
}

function rejectionEvents(rejections: readonly Rejection[]): OutgoingEvent[] {
  const groups = Map.groupBy(rejections, (rejection) => JSON.stringify(originOf(rejection)));
  return [...groups.values()].flatMap((group) =>
    packAll(group, REJECTED_ROWS_LIMITS).map((rows): OutgoingEvent => {
      const { storeClientId = UNKNOWN_STORE, ...origin } = originOf(rows[0]);
      return {
        detailType: 'rows.rejected',
        detail: { storeClientId, ...origin, rows: rows.map((row) => rejectedEventRowSchema.parse(row)) },
      };
    }),
  );
}

/** The fields by which rejections are grouped into events. */
function originOf(rejection: Rejection | undefined) {
  return rejectionOriginSchema.parse(rejection);
}
