import { packAll } from '../../collections/packer.ts';
import {
  type EventPublisher,
  type OutgoingEvent,
  REJECTED_ROWS_LIMITS,
  rejectedEventRowSchema,
} from '../../events/outgoing.ts';
import {
  type Rejection,
  type RejectionsOfMessages,
  type RejectionTable,
  rejectionSchema,
  UNKNOWN_STORE,
} from '../model.ts';

const rejectionOriginSchema = rejectionSchema
  .pick({ storeClientId: true, batchId: true, commandId: true, eventId: true, detailType: true })
  .partial();

export interface ReportRejectionsPorts {
  readonly rejections: Pick<RejectionTable, 'putAll'>;
  readonly events: EventPublisher;
}

/**
 * Stores rejections and publishes them as `rows.rejected`, grouped by batch, command and event.
 *
 * @param withdrawn rejections that were stored before and no longer hold
 */
export async function reportRejections(
  ports: ReportRejectionsPorts,
  rejections: readonly Rejection[],
  withdrawn: readonly Rejection[] = [],
): Promise<void> {
  if (rejections.length + withdrawn.length === 0) return;
  await ports.rejections.putAll(rejections, withdrawn);
  if (rejections.length > 0) await ports.events.publish(rejectionEvents(rejections));
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

/** Most rejections and names in one part, unless a single message has more. The table takes 1,000 a second for one store. */
const NAMES_PER_PART = { maxBytes: 2_000 };

/** The table has an item for each name. */
function namesIn([, rejections]: readonly [messageId: string, readonly Rejection[]]): number {
  return rejections.reduce((sum, { subjects }) => sum + Math.max(1, subjects?.length ?? 0), 0);
}

/** Rejections that are reported together, and their messages. */
export interface ReportPart {
  readonly messageIds: readonly string[];
  readonly rejections: readonly Rejection[];
}

/**
 * The rejections of a receive, in parts that are reported one after another. Each part is of one store. Messages with few
 * rejections come first: many bad rows in one message must not delay the other messages.
 */
export function reportParts(byMessage: RejectionsOfMessages): ReportPart[] {
  const byStore = Map.groupBy(byMessage, ([, rejections]) => rejections[0]?.storeClientId);
  return [...byStore.values()].flatMap((own) => {
    const sorted = own.toSorted((a, b) => namesIn(a) - namesIn(b));
    const parts = packAll(sorted, NAMES_PER_PART, namesIn);
    return parts.map((part) => ({
      messageIds: part.map(([messageId]) => messageId),
      rejections: part.flatMap(([, rejections]) => rejections),
    }));
  });
}
