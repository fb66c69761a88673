import type { TakenRows } from '../../changes/file-receipts.ts';
import {
  isSameValue,
  isStockRegister,
  type Listing,
  type ListingChange,
  registerEntries,
} from '../../listings/model.ts';

/** The outcome of a row of stock or prices that was merged into its listing. */
export type TakenRowOutcome =
  | 'open'
  | 'accepted'
  /**
   * The row has no outcome of its own: its product was renamed, or its value was replaced by a newer one, or by a smaller one of its
   * version.
   */
  | 'superseded'
  | { readonly code: string; readonly batchId?: string | undefined };

/** The outcome of a row: the outcome of those values in its listing that still come from the row. */
export function outcomeOfRow(
  listing: Listing | undefined,
  kind: 'stock' | 'prices',
  { versionKind, version }: Pick<TakenRows, 'versionKind' | 'version'>,
  values: ListingChange['values'] = {},
): TakenRowOutcome {
  if (listing === undefined || listing.versionKind !== versionKind) return 'superseded';
  const own = registerEntries(listing.desired).filter(
    ([name, register]) =>
      isStockRegister(name) === (kind === 'stock') &&
      register.version === version &&
      // Of two values with the same version only one was taken.
      (!(name in values) || values[name] === register.value),
  );
  if (own.length === 0) return 'superseded';
  const answers = own.map(([name, register]) => {
    const answer = listing.settled[name];
    return isSameValue(answer, register) ? { ...answer, batchId: listing.sent[name]?.batchId } : undefined;
  });
  if (answers.includes(undefined)) return 'open';
  const rejected = answers.find((answer) => answer?.outcome === 'rejected');
  return rejected ? { code: rejected.code ?? 'UNKNOWN', batchId: rejected.batchId } : 'accepted';
}

/** The batches of the row's values. */
export function batchesOfRow(
  { sent }: Pick<Listing, 'sent'>,
  { version }: Pick<TakenRows, 'version'>,
): string[] {
  return registerEntries(sent).flatMap(([, one]) =>
    one.version === version && one.batchId !== undefined ? [one.batchId] : [],
  );
}
