import type { RowError } from '../../marketplace/batch.ts';
import type { OrderReference } from '../model.ts';
import { orderKeyOf } from './order-key.ts';

/** What the answer says of the rows that were sent, by their position in the request. */
export interface SkippedRows {
  readonly skipped: ReadonlyMap<number, RowError>;
  /** Rows of which some were skipped, but the answer does not say which. */
  readonly unclear: ReadonlySet<number>;
  /** What was skipped of the unclear rows. */
  readonly strangers: readonly RowError[];
}

/**
 * Brings the skipped rows of an answer to the rows that were sent. The answer names an order by its `orderId` (§4.17);
 * rows that were sent by invoice number can be told by it only when all of them were skipped.
 */
export function matchSkipped(sent: readonly OrderReference[], errors: readonly RowError[]): SkippedRows {
  const skipped = new Map<number, RowError>();
  const strangers: RowError[] = [];
  for (const error of errors) {
    const position = positionOf(error, sent);
    if (position === undefined || skipped.has(position)) strangers.push(error);
    else skipped.set(position, error);
  }
  if (strangers.length === 0) return { skipped, unclear: new Set(), strangers };
  const candidates = [...sent.keys()].filter(
    (position) => !skipped.has(position) && sent[position]?.orderId === undefined,
  );
  if (candidates.length !== strangers.length) return { skipped, unclear: new Set(candidates), strangers };
  const [only] = strangers;
  for (const position of candidates) {
    // Which of several is which stays open, but not that each was skipped.
    const { code = 'UNKNOWN', message } = only ?? {};
    skipped.set(position, candidates.length === 1 && only ? only : { code, message });
  }
  return { skipped, unclear: new Set(), strangers: [] };
}

function positionOf(error: RowError, sent: readonly OrderReference[]): number | undefined {
  const names = [
    ...(error.orderId === undefined ? [] : [orderKeyOf({ orderId: error.orderId })]),
    ...(error.invoiceNumber === undefined ? [] : [orderKeyOf({ invoiceNumber: error.invoiceNumber })]),
  ];
  const byName = sent.findIndex((reference) => names.includes(orderKeyOf(reference)));
  if (byName >= 0) return byName;
  return error.rowIndex !== undefined && error.rowIndex < sent.length ? error.rowIndex : undefined;
}
