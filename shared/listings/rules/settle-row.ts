import { type Listing, type Registers, registerEntries, type SettledRegister } from '../model.ts';
import { withWaiting } from './waiting.ts';

/** What became of a row that was sent. Times are epoch ms. */
export type RowOutcome =
  | { readonly outcome: 'accepted' }
  /** Not sent again until its value changes or its target is created. */
  | { readonly outcome: 'rejected'; readonly code: string }
  /** Refused for now: kept, and sent again with the newest value from `notBefore` on. */
  | { readonly outcome: 'retryable'; readonly notBefore: number }
  /** May have been applied, or may yet be: nothing of the target leaves before `notBefore`, the end of the attempt's life. */
  | { readonly outcome: 'unknown'; readonly notBefore: number };

/**
 * Writes a row's outcome into its listing as it stands now, which may have newer values than the row had: those go on
 * waiting. An outcome never replaces one of a newer version.
 */
export function settleRow(listing: Listing, sent: Registers, outcome: RowOutcome, now: number): Listing {
  if (outcome.outcome === 'retryable') {
    return withWaiting({ ...listing, notBefore: outcome.notBefore, failures: listing.failures + 1 }, now);
  }
  if (outcome.outcome === 'unknown') return withWaiting({ ...listing, notBefore: outcome.notBefore }, now);
  const at = new Date(now).toISOString();
  const settled: Listing['settled'] = { ...listing.settled };
  for (const [name, register] of registerEntries(sent)) {
    const known = settled[name];
    if (known !== undefined && known.version > register.version) continue;
    if (listing.desired[name] === undefined) continue;
    settled[name] = settledAs(register, outcome, at);
  }
  const { notBefore: _, ...rest } = listing;
  return withWaiting({ ...rest, settled, failures: 0 }, now);
}

function settledAs(
  register: { value: number | null; version: number },
  outcome: Extract<RowOutcome, { outcome: 'accepted' | 'rejected' }>,
  at: string,
): SettledRegister {
  return outcome.outcome === 'accepted'
    ? { ...register, outcome: 'accepted', at }
    : { ...register, outcome: 'rejected', code: outcome.code, at };
}
