import { skuOf } from '../../../local/run/catalog.ts';
import { FAILING, type Names, SUSPENDED, WELL } from './situations.ts';

/** A question as a person types it, and what a true answer has and has not. */
export interface Question {
  /** Words after `connector`; `{name}` is one of the names of the situations. */
  readonly ask: string;
  readonly has: readonly (string | RegExp)[];
  readonly hasNot?: readonly (string | RegExp)[];
}

const NOTHING = /not received/;

export const questions: readonly Question[] = [
  // Products from their creation on.
  { ask: 'trace MUG-1', has: ['product.created'], hasNot: [NOTHING, 'rejected'] },
  { ask: 'trace MUG-2', has: ['product.created'], hasNot: [NOTHING] },
  { ask: `trace ${skuOf(3)}`, has: ['product.created'], hasNot: [NOTHING] },
  { ask: 'find MUG-1', has: ['product', 'sku:MUG-1', WELL], hasNot: [NOTHING] },
  { ask: 'find MUG', has: ['sku:MUG-1', 'sku:MUG-2'] },
  {
    ask: 'trace create-mug-1',
    has: ['command.given', 'request.tried', 'accepted', 'batch.ended'],
    hasNot: [NOTHING],
  },
  { ask: 'trace {creation}', has: ['command.given', 'batch.ended'], hasNot: [NOTHING] },
  { ask: 'find {routeCommand}', has: ['a command', 'product.create.requested'] },
  { ask: 'trace {routeCommand}', has: ['batch.ended', 'completed'], hasNot: [NOTHING] },
  { ask: 'trace sync-broken', has: ['row.rejected', 'sent 0, rejected 1'], hasNot: ['sent 1', NOTHING] },
  { ask: 'find {refusedCreation}', has: ['sync-broken'] },
  // Files.
  { ask: 'find autumn.ndjson', has: ['a file', '3 rows'] },
  { ask: `find stock/${WELL}/faulty.csv`, has: ['a file', '2 rows'] },
  // Stock and prices.
  { ask: 'trace {stock}', has: ['event.taken', 'stock = 41', 'accepted'], hasNot: [NOTHING] },
  { ask: 'find {stock}', has: ['an event', 'stock.changed'] },
  { ask: `trace ${skuOf(1)}`, has: ['price = 12500', 'stock = 41', 'accepted'], hasNot: [NOTHING] },
  { ask: 'trace {price}', has: ['price = 12500', 'accepted'] },
  { ask: 'trace {older}', has: ['superseded', 'stock = 7'], hasNot: ['value.sent'] },
  { ask: 'trace {newer}', has: ['stock = 7', 'accepted'], hasNot: ['superseded'] },
  { ask: 'trace {unknownProduct}', has: ['INV_001', 'row.rejected'], hasNot: [NOTHING] },
  { ask: 'trace NO-SUCH', has: ['INV_001', 'rejected'], hasNot: [NOTHING] },
  { ask: 'trace {negative}', has: ['ROW_INVALID'], hasNot: ['sent 1', NOTHING] },
  { ask: 'trace {unknownType}', has: ['DETAIL_TYPE_UNKNOWN'], hasNot: [NOTHING] },
  { ask: 'trace {future}', has: ['VERSION_FUTURE'], hasNot: ['sent 1'] },
  // Orders.
  { ask: 'trace {accepted}', has: ['accept', 'done'], hasNot: [NOTHING] },
  { ask: 'trace reject-1', has: ['reject', 'ORDER_DECIDED_OTHERWISE', 'sent 0'], hasNot: ['sent 1'] },
  { ask: 'find {accepted}', has: ['an order', 'accept: done'] },
  { ask: 'trace {rejected}', has: ['reject', 'out of stock', 'done'] },
  { ask: 'trace {noOrder}', has: ['order.decision', /ORDER_\d+/], hasNot: [NOTHING] },
  { ask: 'trace {tried}', has: ['request.tried', 'status 503', 'SYS_DEP_503', 'done'] },
  { ask: 'trace {unknown}', has: ['unknown', 'accept'], hasNot: ['order.resolved', NOTHING] },
  {
    ask: 'trace {resolved}',
    has: ['unknown', 'order.resolved', 'an operator recorded: it was done: seen in the seller panel'],
  },
  { ask: 'trace {labelOfNothing}', has: ['document.invoice', 'failed'], hasNot: [NOTHING] },
  // What waits, and for what.
  {
    ask: 'trace CUP-1',
    has: ['value.waiting', 'waits for the store: it is suspended since'],
    hasNot: [NOTHING],
  },
  {
    ask: `trace {waiting} --store ${SUSPENDED}`,
    has: ['command.waiting', `waits: store ${SUSPENDED} is suspended`, 'next try'],
    hasNot: [NOTHING],
  },
  { ask: 'trace accept-later', has: ['command.given', 'command.waiting', 'suspended'], hasNot: [NOTHING] },
  { ask: 'trace {waitingDecision}', has: ['command.waiting'], hasNot: [NOTHING] },
  { ask: 'trace LATER-1', has: ['command.waiting', 'suspended'], hasNot: [NOTHING] },
  { ask: `trace GLASS-1 --store ${FAILING}`, has: ['value.waiting', 'waits for the marketplace', '503'] },
  { ask: 'status', has: [/The marketplace answers 503 SYS_DEP_503 since/, 'last success'] },
  // What was rejected, and lists.
  { ask: 'rejections', has: ['INV_001', 'ROW_INVALID', 'DETAIL_TYPE_UNKNOWN', 'ORDER_DECIDED_OTHERWISE'] },
  { ask: 'rejections --sku NO-SUCH', has: ['INV_001', 'sku:NO-SUCH', 'batch '], hasNot: ['VERSION_FUTURE'] },
  { ask: 'rejections --event {negative}', has: ['ROW_INVALID', 'sku:MUG-2'], hasNot: ['INV_001'] },
  { ask: 'rejections --order {accepted}', has: ['ORDER_DECIDED_OTHERWISE'], hasNot: ['INV_001'] },
  { ask: 'rejections --file faulty.csv', has: ['BAD-FILE', 'faulty.csv'], hasNot: ['INV_001'] },
  {
    ask: 'rejections --code VERSION_FUTURE --format csv --since 1h',
    has: ['rejectedAt,storeClientId,code', 'VERSION_FUTURE'],
    hasNot: ['ROW_INVALID'],
  },
  { ask: `orders list --store ${WELL}`, has: ['done · accept', 'done · reject', 'unknown · accept'] },
  {
    ask: `orders list --store ${WELL} --state unknown`,
    has: ['unknown · accept'],
    hasNot: ['done · reject'],
  },
  {
    ask: `orders resolve {unknown} --store ${WELL} --action decision`,
    has: [
      'own pages',
      'It was done',
      'It was not done',
      'Try it again',
      '--outcome done',
      '--outcome refused',
    ],
  },
  {
    ask: `label {label} --store ${WELL} --out never.pdf`,
    has: ['ORDER_021', 'must be in one of these states', 'Nothing was changed'],
  },
  { ask: 'batches list --sku NO-SUCH', has: ['stock', '1 rejected'] },
  { ask: `batches list --sku ${skuOf(1)}`, has: ['stock', 'price', '1/1 accepted'] },
  {
    ask: 'status',
    has: [
      `critical: store suspended · ${SUSPENDED}`,
      `stores rotate ${SUSPENDED}`,
      /critical: (order|2 orders) of unknown outcome/,
      'Look first at the order',
      /rejections of 24 h: \d+ \(/,
    ],
  },
  { ask: 'trace {stock} --time-zone Europe/Berlin', has: ['Europe/Berlin', 'stock = 41'] },
  // What was never sent.
  { ask: 'find NEVER-SENT', has: ['No record of NEVER-SENT', 'not received'] },
  { ask: 'trace NEVER-SENT', has: ['NEVER-SENT', 'not received'] },
];

/** The words of a question, with the names of the situations. */
export function wordsOf({ ask }: Question, names: Names): string[] {
  return ask.split(' ').map((word) => word.replace(/\{(\w+)\}/, (_, name) => names[name] ?? `{${name}}`));
}
