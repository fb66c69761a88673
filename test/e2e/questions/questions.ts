import { skuOf } from '../../../local/run/catalog.ts';
import { matrixQuestions } from './matrix.ts';
import { NOTHING, type Question } from './question.ts';
import { type Names, SUSPENDED, WELL } from './situations.ts';

export const questions: readonly Question[] = [
  ...matrixQuestions,
  // Products from their creation on.
  {
    ask: 'trace MUG-1',
    has: ['product.created', 'product.update.requested'],
    hasNot: [NOTHING, 'row.rejected'],
  },
  { ask: 'trace MUG-2', has: ['product.created'], hasNot: [NOTHING] },
  { ask: `trace ${skuOf(3)}`, has: ['product.created'], hasNot: [NOTHING] },
  { ask: 'find MUG-1', has: ['product', 'sku:MUG-1', WELL], hasNot: [NOTHING] },
  { ask: 'find MUG', has: ['sku:MUG-1', 'sku:MUG-2'] },
  { ask: 'find {productId}', has: ['product', 'sku:MUG-1', WELL], hasNot: ['sku:MUG-2', NOTHING] },
  { ask: 'trace {productId}', has: ['product.created', 'sku:MUG-1'], hasNot: [NOTHING] },
  {
    ask: 'trace DISH-1',
    has: ['product.created', 'product.delete.requested', 'request.ended'],
    hasNot: [NOTHING, 'row.rejected'],
  },
  { ask: 'trace id:{productId}', has: ['product.created', 'sku:MUG-1'], hasNot: [NOTHING] },
  { ask: 'trace {creation}', has: ['command.given', 'batch.ended'], hasNot: [NOTHING] },
  { ask: 'find {routeCommand}', has: ['a command', 'product.create.requested'] },
  { ask: 'trace {routeCommand}', has: ['batch.ended', 'completed'], hasNot: [NOTHING] },
  { ask: 'find {refusedCreation}', has: ['sync-broken'] },
  // Files.
  { ask: 'find autumn.ndjson', has: ['a file', '3 rows'] },
  { ask: `find stock/${WELL}/faulty.csv`, has: ['a file', '2 rows'] },
  // Stock and prices.
  { ask: 'find {stock}', has: ['an event', 'stock.changed'] },
  { ask: 'find {stockRequest}', has: ['the request of batch', 'stock'], hasNot: [NOTHING] },
  { ask: 'find {failedRequest}', has: ['a stock request of 1 row', '503 SYS_DEP_503'], hasNot: [NOTHING] },
  { ask: 'trace {failedRequest}', has: ['request.tried', 'status 503', 'sku:GLASS-1'], hasNot: [NOTHING] },
  { ask: `trace ${skuOf(1)}`, has: ['price = 12500', 'stock = 41', 'accepted'], hasNot: [NOTHING] },
  { ask: 'trace {newer}', has: ['stock = 7', 'accepted'], hasNot: ['superseded'] },
  { ask: 'trace NO-SUCH', has: ['INV_001', 'rejected'], hasNot: [NOTHING] },
  { ask: 'trace {unknownType}', has: ['DETAIL_TYPE_UNKNOWN'], hasNot: [NOTHING] },
  // Orders.
  { ask: 'find {accepted}', has: ['an order', 'accept: accepted'] },
  { ask: 'trace {rejected}', has: ['reject', 'out of stock', 'accepted'] },
  { ask: 'trace {tried}', has: ['request.tried', 'status 503', 'SYS_DEP_503', 'accepted'] },
  // What waits, and for what.
  {
    ask: `trace {waiting} --store ${SUSPENDED}`,
    has: ['command.waiting', `waits: store ${SUSPENDED} is suspended`, 'next try'],
    hasNot: [NOTHING],
  },
  { ask: 'trace {waitingDecision}', has: ['command.waiting'], hasNot: [NOTHING] },
  {
    ask: 'status',
    has: [
      /The marketplace answers 503 SYS_DEP_503 since/,
      'last success',
      /About \d+ commands? .* for a later try/,
    ],
  },
  // What was rejected, and lists.
  {
    ask: 'rejections --limit 200',
    has: ['INV_001', 'ROW_INVALID', 'DETAIL_TYPE_UNKNOWN', 'ORDER_DECIDED_OTHERWISE'],
  },
  { ask: 'rejections --sku NO-SUCH', has: ['INV_001', 'sku:NO-SUCH', 'batch '], hasNot: ['VERSION_FUTURE'] },
  { ask: 'rejections --event {unknownProduct}', has: ['INV_001', 'sku:NO-SUCH'], hasNot: ['ROW_INVALID'] },
  { ask: 'rejections --event {negative}', has: ['ROW_INVALID', 'sku:MUG-2'], hasNot: ['INV_001'] },
  { ask: 'rejections --order {accepted}', has: ['ORDER_DECIDED_OTHERWISE'], hasNot: ['INV_001'] },
  { ask: 'rejections --file faulty.csv', has: ['BAD-FILE', 'faulty.csv'], hasNot: ['INV_001'] },
  {
    ask: 'rejections --code VERSION_FUTURE --format csv --since 1h',
    has: ['rejectedAt,storeClientId,code', 'VERSION_FUTURE'],
    hasNot: ['ROW_INVALID'],
  },
  { ask: `orders list --store ${WELL}`, has: ['accepted · accept', 'accepted · reject', 'unknown · accept'] },
  {
    ask: `orders list {tried} --store ${WELL}`,
    has: ['accepted · accept', '2 tries, the last that failed: 503 SYS_DEP_503'],
  },
  {
    ask: `orders list {waiting} --store ${SUSPENDED}`,
    has: ['accept-waiting', `waits: store ${SUSPENDED} is suspended`, 'next try'],
  },
  {
    ask: `orders list --store ${SUSPENDED}`,
    has: [
      `the decision waits: store ${SUSPENDED} is suspended`,
      'the dropoff waits',
      'the invoice waits',
      'next try',
    ],
  },
  {
    ask: `orders list --store ${WELL} --state unknown`,
    has: ['unknown · accept'],
    hasNot: ['accepted · reject'],
  },
  {
    ask: `orders resolve {unknown} --store ${WELL} --action decision`,
    has: [
      'own pages',
      'It was done',
      'It was not done',
      'Try it again',
      '--outcome accepted',
      '--outcome rejected',
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
      /rejections of 24 h: \d+\+? \(/,
      'warning: import failed',
      'FILE_COLUMNS_UNKNOWN',
      'imports show ',
    ],
  },
  { ask: 'trace {stock} --time-zone Europe/Berlin', has: ['Europe/Berlin', 'stock = 41'] },
  // What was never sent.
  { ask: 'find NEVER-SENT', has: ['No record of NEVER-SENT', 'not received', 'upper and lower case count'] },
  { ask: 'trace NEVER-SENT', has: ['NEVER-SENT', 'not received'] },
];

/** The words of a question, with the names of the situations. */
export function wordsOf({ ask }: Question, names: Names): string[] {
  return ask.split(' ').map((word) => word.replace(/\{(\w+)\}/, (_, name) => names[name] ?? `{${name}}`));
}
