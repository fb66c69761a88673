import * as z from 'zod';
import { isRowOf } from '../../marketplace/row-outcomes.ts';
import { CLOCK_MARGIN_MS } from '../../time/waits.ts';
import type { FinalSummary, Submission } from '../model.ts';

/** What waits to be matched by its rows. `batch`: an answer to its request was lost. `summary`: its IDs name no batch. */
export const lostNoteSchema = z.object({
  kind: z.enum(['batch', 'summary']),
  /** The key of its record in the Batches table. */
  id: z.string().min(1),
  /** ISO 8601: when the batch was submitted, or the summary received. */
  at: z.iso.datetime(),
});
export type LostNote = z.infer<typeof lostNoteSchema>;

/** For which a note is kept, milliseconds; and the most notes of one kind. */
const KEPT_MS = 24 * 3_600_000;
const MOST_NOTES = 100;

/** The notes of a store with a further one, the newest last; `undefined` if it is noted already. */
export function withNote(notes: readonly LostNote[], note: LostNote): LostNote[] | undefined {
  if (notes.some(({ kind, id }) => kind === note.kind && id === note.id)) return undefined;
  const since = Date.parse(note.at) - KEPT_MS;
  const kept = notes.filter(({ at }) => Date.parse(at) >= since);
  const same = kept.filter(({ kind }) => kind === note.kind).slice(1 - MOST_NOTES);
  return [...kept.filter(({ kind }) => kind !== note.kind), ...same, note];
}

/** Whether a try of the batch's request may have begun another batch at the marketplace, under IDs that no answer brought. */
export function mayHaveOtherIds({ batchId, attemptId, uncertain }: Submission): boolean {
  return uncertain === true || batchId === attemptId;
}

/** Whether a summary gives a store and names of rows, by which its batch can be found. */
export function isNamingRows(summary: FinalSummary): boolean {
  const { storeClientId } = summary;
  return storeClientId !== undefined && rowsIn(summary).some(({ rowIndex: _, ...names }) => hasValue(names));
}

/**
 * Whether a summary is about the rows of a batch: of its store, as many, none that the batch does not have, and not from a time
 * before the batch's request.
 */
export function isSummaryOf(submission: Submission, summary: FinalSummary): boolean {
  const { storeClientId, sentRows, names = [], plannedAt } = submission;
  const receivedAt = Date.parse(summary.receivedAt) + CLOCK_MARGIN_MS;
  if (plannedAt !== undefined && receivedAt < Date.parse(plannedAt)) return false;
  if (summary.storeClientId !== storeClientId || summary.summary.total !== sentRows) return false;
  const found = rowsIn(summary).map((row) => isRowOf(names, row));
  return found.includes(true) && !found.includes(false);
}

function rowsIn({ acceptedRows = [], rejectedRows }: FinalSummary) {
  const rejected = rejectedRows.map(({ rowIndex, sku, id, externalId, orderId, invoiceNumber }) => ({
    ...{ rowIndex, sku, id, externalId, orderId, invoiceNumber },
  }));
  return [...acceptedRows, ...rejected];
}

function hasValue(names: object): boolean {
  return Object.values(names).some((name) => name !== undefined);
}
