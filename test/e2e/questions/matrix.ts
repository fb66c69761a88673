import type { IncomingDetailType } from '../../../shared/events/incoming.ts';
import { NOTHING, type Question } from './question.ts';
import { FAILING, SUSPENDED } from './situations.ts';

/** What can become of what an event asks for. */
type Outcome =
  | 'accepted'
  | 'rejected by us'
  | 'refused by the marketplace'
  | 'superseded'
  | 'waits for its store'
  | 'waits for the marketplace'
  | 'waits for a person'
  | 'unknown'
  | 'resolved';

/** Why a cell has no question here: it can't be, or a test with a clock of its own holds it. */
type NotHere = { readonly never: string } | { readonly heldBy: string };

const traced = (ask: string, has: Question['has'], hasNot: Question['has'] = []): Question => ({
  ask: `trace ${ask}`,
  has,
  hasNot: [NOTHING, ...hasNot],
});
const batchEnded = (commandId: string) =>
  traced(commandId, ['command.given', 'request.tried', 'batch.ended', 'completed']);
const waitsForStore = (commandId: string) =>
  traced(commandId, ['command.waiting', `waits: store ${SUSPENDED} is suspended`, 'next try'], ['sent 1']);
const refusedForNow = (commandId: string) =>
  traced(
    `${commandId} --store ${FAILING}`,
    ['command.given', /(request\.(prepared|tried)|command\.waiting).*503/],
    ['accepted'],
  );

const DONE_ONCE = { never: 'a command is done once: none replaces it' };
const NO_GUARD = { never: 'no guard holds it' };
const SENT_AGAIN = { never: 'it is sent again until its outcome is known: no person settles it' };
/** The outcome is unknown only after all tries and their lifetime. */
const TAKES_TIME = { heldBy: 'test/unit/trace/product-ends.test.ts' };

/** Each kind of event by each outcome. */
export const matrix: Record<IncomingDetailType, Record<Outcome, Question | NotHere>> = {
  'stock.changed': {
    accepted: traced('{stock}', ['event.taken', 'stock = 41', 'accepted']),
    'rejected by us': traced('{future}', ['VERSION_FUTURE'], ['sent 1']),
    'refused by the marketplace': traced('{unknownProduct}', ['INV_001', 'row.rejected']),
    superseded: traced('{older}', ['superseded', 'stock = 7'], ['value.sent']),
    'waits for its store': traced('CUP-1', ['value.waiting', 'waits for the store: it is suspended since']),
    'waits for the marketplace': traced(`GLASS-1 --store ${FAILING}`, [
      'value.waiting',
      'waits for the marketplace',
      '503',
    ]),
    'waits for a person': traced('{heldStock}', ['value.waiting', 'waits for a person: the prices']),
    unknown: { heldBy: 'test/unit/trace/trace.test.ts' },
    resolved: SENT_AGAIN,
  },
  'price.changed': {
    accepted: traced('{price}', ['price = 12500', 'accepted']),
    'rejected by us': traced('{negative}', ['ROW_INVALID'], ['sent 1']),
    'refused by the marketplace': traced('{unknownPriced}', ['PRD_016', 'row.rejected']),
    superseded: traced('{olderPrice}', ['superseded'], ['value.sent']),
    'waits for its store': traced('{suspendedPrice}', [
      'value.waiting',
      'waits for the store: it is suspended',
    ]),
    'waits for the marketplace': traced('{failingPrice}', [
      'value.waiting',
      'waits for the marketplace',
      '503',
    ]),
    'waits for a person': traced('{heldPrice}', [
      'value.waiting',
      'waits for a person: the prices of the store are held',
    ]),
    unknown: { heldBy: 'test/unit/trace/trace.test.ts' },
    resolved: SENT_AGAIN,
  },
  'catalog.sync.requested': {
    accepted: batchEnded('sync-plate'),
    'rejected by us': traced('sync-broken', ['row.rejected', 'sent 0, rejected 1'], ['sent 1']),
    'refused by the marketplace': traced('sync-taken', ['row.rejected', 'PRD_002', 'batch.ended', 'failed']),
    superseded: DONE_ONCE,
    'waits for its store': waitsForStore('sync-later'),
    'waits for the marketplace': refusedForNow('sync-failing'),
    'waits for a person': NO_GUARD,
    unknown: TAKES_TIME,
    resolved: TAKES_TIME,
  },
  'product.create.requested': {
    accepted: batchEnded('create-mug-1'),
    'rejected by us': traced('create-broken', ['row.rejected', 'sent 0, rejected 1'], ['sent 1']),
    'refused by the marketplace': traced('create-taken', [
      'row.rejected',
      'PRD_002',
      'batch.ended',
      'failed',
    ]),
    superseded: DONE_ONCE,
    'waits for its store': traced('LATER-1', ['command.waiting', 'suspended']),
    'waits for the marketplace': refusedForNow('create-failing'),
    'waits for a person': NO_GUARD,
    unknown: TAKES_TIME,
    resolved: TAKES_TIME,
  },
  'product.update.requested': {
    accepted: traced('update-mug', ['command.given', 'request.tried', 'accepted'], ['rejected 1']),
    'rejected by us': traced('update-broken', ['row.rejected', 'ROW_INVALID'], ['sent 1']),
    'refused by the marketplace': traced('update-none', ['request.tried', 'PRD_014']),
    superseded: { heldBy: 'test/unit/trace/product-ends.test.ts' },
    'waits for its store': waitsForStore('update-later'),
    'waits for the marketplace': refusedForNow('update-failing'),
    'waits for a person': NO_GUARD,
    unknown: TAKES_TIME,
    resolved: TAKES_TIME,
  },
  'product.delete.requested': {
    accepted: traced('delete-dish', ['command.given', 'request.tried', 'accepted'], ['rejected 1']),
    'rejected by us': traced('delete-broken', ['row.rejected', 'ROW_INVALID'], ['sent 1']),
    'refused by the marketplace': traced('delete-none', ['row.rejected', 'PRD_014']),
    superseded: DONE_ONCE,
    'waits for its store': waitsForStore('delete-later'),
    'waits for the marketplace': refusedForNow('delete-failing'),
    'waits for a person': NO_GUARD,
    unknown: TAKES_TIME,
    resolved: TAKES_TIME,
  },
  'order.decision.requested': {
    accepted: traced('{accepted}', ['accept', 'accepted']),
    'rejected by us': traced('reject-1', ['reject', 'ORDER_DECIDED_OTHERWISE', 'sent 0'], ['sent 1']),
    'refused by the marketplace': traced('{noOrder}', ['order.decision', /ORDER_\d+/]),
    superseded: DONE_ONCE,
    'waits for its store': waitsForStore('accept-later'),
    'waits for the marketplace': refusedForNow('accept-failing'),
    'waits for a person': NO_GUARD,
    unknown: traced('{unknown}', ['unknown', 'accept'], ['order.resolved']),
    resolved: traced('{resolved}', [
      'unknown',
      'order.resolved',
      'an operator recorded: it was done: seen in the seller panel',
    ]),
  },
  'order.dropoff.requested': {
    accepted: traced('dropoff-1', ['command.given', 'order.dropoff', 'accepted', 'batch.ended']),
    'rejected by us': traced('dropoff-broken', ['row.rejected', 'ROW_INVALID'], ['sent 1']),
    'refused by the marketplace': traced('dropoff-pending', [
      'order.dropoff',
      'rejected',
      'STATUS_NOT_ALLOWED',
    ]),
    superseded: DONE_ONCE,
    'waits for its store': waitsForStore('dropoff-later'),
    'waits for the marketplace': refusedForNow('dropoff-failing'),
    'waits for a person': NO_GUARD,
    unknown: traced('{unknownDropoff}', ['order.dropoff', 'unknown'], ['order.resolved']),
    resolved: traced('{resolvedDropoff}', [
      'order.resolved',
      'an operator recorded: it had no effect: not in the panel',
    ]),
  },
  'order.document.requested': {
    accepted: traced('{documented}', ['document.invoice', 'stored']),
    'rejected by us': traced('{receipt}', ['row.rejected', 'EVENT_INVALID'], ['sent 1']),
    'refused by the marketplace': traced('{labelOfNothing}', ['document.invoice', 'failed']),
    superseded: DONE_ONCE,
    'waits for its store': waitsForStore('invoice-later'),
    'waits for the marketplace': refusedForNow('invoice-failing'),
    'waits for a person': NO_GUARD,
    unknown: SENT_AGAIN,
    resolved: SENT_AGAIN,
  },
};

const cells = Object.values(matrix).flatMap((row) => Object.values(row));
export const matrixQuestions: readonly Question[] = cells.filter((cell): cell is Question => 'ask' in cell);
/** Files that hold a cell that has no question here. */
export const filesOfOthers = new Set(cells.flatMap((cell) => ('heldBy' in cell ? [cell.heldBy] : [])));
