import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import type { ChangeEvent, RowRefusal } from '../model.ts';

/** Rows of an event up to which each refused one has a rejection of its own. */
const MOST_ONE_BY_ONE = 1_000;
/** Rows that one rejection of a larger event stands for at most. */
const ROWS_PER_REJECTION = 100;

/**
 * The rejections of refused rows of one event: one each, or, of an event of more than 1,000 rows, one for those of each
 * hundred rows that have the same code, with the words of its first. Which rejection a row is in depends on its position
 * and its code alone, so that a redelivery writes the same ones again.
 */
export function rejectionsOfRows(event: ChangeEvent, refusals: readonly RowRefusal[]): Rejection[] {
  const { eventId, detailType, message, storeClientId, size } = event;
  const rejectedAt = new Date(message.sentAt).toISOString();
  const keyOf = ({ rowIndex, code }: RowRefusal) =>
    size <= MOST_ONE_BY_ONE ? `${rowIndex}` : `${Math.floor(rowIndex / ROWS_PER_REJECTION)}#${code}`;
  const groups = Map.groupBy(
    refusals.toSorted((a, b) => a.rowIndex - b.rowIndex),
    keyOf,
  );
  return [...groups].flatMap(([key, rows]) => {
    const [first] = rows;
    if (first === undefined) return [];
    const rowIndexes = rows.map(({ rowIndex }) => rowIndex);
    return boundedRejection({
      storeClientId,
      rejectionId: `${rejectedAt}#${eventId}#${detailType}#${key}`,
      rejectedAt,
      detailType,
      eventId,
      ...first,
      ...(rows.length > 1 && { rowIndexes }),
    });
  });
}
