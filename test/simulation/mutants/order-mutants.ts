import type { Mutant } from './mutant.ts';

const ACTION = 'shared/orders/rules/order-action.ts';
const SEND = 'shared/orders/use-cases/send-orders.ts';
const APPLY = 'shared/orders/use-cases/apply-orders.ts';
const ENDS = 'shared/orders/rules/request-ends.ts';
const PLAN = 'shared/orders/rules/plan-orders.ts';

/** Mistakes in sending each order once, and in reporting its outcome. */
export const orderMutants: readonly Mutant[] = [
  {
    name: 'an order that is done is sent again',
    file: ACTION,
    find: "return { verdict: 'done before', ...given,",
    replace: "return { verdict: 'sent', ...given,",
  },
  {
    name: 'an order is decided differently while the outcome of its decision is unknown',
    file: ACTION,
    find: 'if (!isSame) return rejected(DECIDED_OTHERWISE);\n      if (!retry)',
    replace: 'if (!isSame) return sent;\n      if (!retry)',
  },
  {
    name: 'an order of unknown outcome is sent again without a retry',
    file: ACTION,
    find: 'if (!retry) return rejected(OUTCOME_UNKNOWN);',
    replace: '',
  },
  {
    name: 'a retry does not wait until the earlier request can no longer land',
    file: ACTION,
    find: '...(isUnknown && { lock:',
    replace: '...(false && { lock:',
  },
  {
    name: 'an order in flight in another request is sent',
    file: ACTION,
    find: "return isFree ? 'abandoned' : 'busy';",
    replace: "return isFree ? 'abandoned' : sent;",
  },
  {
    name: 'a refused retry makes the earlier outcome known',
    file: ACTION,
    find: "own?.before?.state === 'unknown' && end.state === 'rejected'",
    replace: "end.state === ('never' as string)",
  },
  {
    name: 'an order whose request had no effect loses its unknown outcome',
    file: ACTION,
    find: '...(current.before && { [action]: current.before })',
    replace: '...(false && { [action]: current.before })',
  },
  {
    name: 'an order is locked for less time than its request may take to land',
    file: ACTION,
    find: 'lock: { holder: senderId, until: lockedUntil(claim) },',
    replace: 'lock: { holder: senderId, until: now + 10_000 },',
  },
  {
    name: 'an order whose sender was killed counts as not sent',
    file: SEND,
    find: '? requests.update(recordId, (current) => endedUnknown(current, ABANDONED))',
    replace: '? undefined',
  },
  {
    name: 'orders of a request whose outcome is unknown are released',
    file: SEND,
    find: 'if (hadNoEffect(error)) await releaseOrders',
    replace: 'if (hadNoEffect(error) || error instanceof MarketplaceError) await releaseOrders',
  },
  {
    name: 'a stored answer of a killed sender is not applied by the request that finds it',
    file: SEND,
    find: "hasEnded(record) && record.state !== 'split' && record.appliedAt === undefined",
    replace: "hasEnded(record) && record.state === 'split'",
  },
  {
    name: 'the verdicts on the orders of a request are not stored when it is sent',
    file: SEND,
    find: '{ rows } satisfies OrderAnswer',
    replace: 'undefined',
  },
  {
    name: 'an unknown outcome is not stored with the order',
    file: APPLY,
    find: 'return next && {',
    replace: "return next?.state === 'unknown' ? undefined : next && {",
  },
  {
    name: 'an unknown outcome is not announced',
    file: APPLY,
    find: "const unknown = rows.filter(({ end }) => end.state === 'unknown');",
    replace: 'const unknown: typeof rows = [];',
  },
  {
    name: 'a row rejected because of the state of its order is not reported',
    file: APPLY,
    find: '(!wasSent || batchId === undefined)',
    replace: 'wasSent && batchId === undefined',
  },
  {
    name: 'orders that an answer skips without naming them count as done',
    file: ENDS,
    find: "if (row.outcome === 'unknown') return",
    replace: "if (row.outcome === ('never' as string)) return",
  },
  {
    name: 'every store accepts both identifiers of orders, so that one can be decided twice',
    file: PLAN,
    find: "nameFault('orders', names.orders,",
    replace: "nameFault('orders', orderId === undefined ? 'invoiceNumber' : 'orderId',",
  },
  {
    name: 'a command that names an order twice sends it twice',
    file: PLAN,
    find: 'rows.set(orderKey, first);',
    replace: 'rows.set(orderKey + index, row);',
  },
  {
    name: 'a row that contradicts an earlier one of its command is not reported',
    file: PLAN,
    find: 'if (first.item.decision !== row.item.decision)',
    replace: 'if (false)',
  },
  {
    name: 'an order that several commands decide is in one request twice',
    file: PLAN,
    find: 'const repeats = seen.get(key) ?? 0;',
    replace: 'const repeats = 0;',
  },
  {
    name: 'a waiting caller is answered before what follows from the end is durable',
    file: 'shared/requests/use-cases/await-command.ts',
    find: 'if (record?.appliedAt === undefined) return undefined;',
    replace: "if (record === undefined || record.state === 'prepared') return undefined;",
    scenario: 'orders',
  },
];
