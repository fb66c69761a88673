import type { MarketplaceError } from '../../marketplace/errors.ts';

/** Failures that are ours or the network's to put right: credentials, addresses, answers without a code. */
const NOT_OF_THE_ORDER = /^(AUTH|HTTP|REQUEST)_/;

/** What came was no document that can be kept, at every try. */
const NOT_A_DOCUMENT = /^DOCUMENT_/;

/**
 * Whether a document is refused for good: by the state of its order (ORDER_021), because there is no such order, or
 * because what came is no PDF. Any other failure leaves the command to a later delivery.
 */
export function isFinalRefusal({ code, outcome, retryable }: MarketplaceError): boolean {
  if (NOT_A_DOCUMENT.test(code)) return true;
  return outcome === 'refused' && !retryable && !NOT_OF_THE_ORDER.test(code);
}
