import { difference } from '../explanation/difference.ts';
import type { Explanation } from '../explanation/explain-signature.ts';
import { formatProduct } from '../formatters/product.ts';
import type { Order } from '../state/order.ts';
import type { World } from '../world.ts';

/** A request with its bodies, its batches and the reason of its refusal. */
export function requestDetail({ marketplace }: World, key: string) {
  const { requests, batches } = marketplace;
  const entry = requests.since(Number(key) - 1)[0];
  if (entry === undefined || String(entry.sequence) !== key) return undefined;
  const contents = requests.contentsOf(entry) ?? null;
  const explanation = requests.explanationOf(entry);
  return {
    entry,
    contents,
    explanation: explanation === undefined ? null : withDifference(explanation),
    batches: [...batches.values()]
      .filter(({ requestId }) => requestId === contents?.requestId)
      .map(({ batchId, kind }) => ({ batchId, kind })),
  };
}

/** The base strings in pieces. Differences are marked if the client's base string is known. */
function withDifference({ sentence, expected, signed }: Explanation) {
  if (signed === null) return { sentence, expected: [{ text: expected, marked: false }], signed: null };
  const { left, right } = difference(expected, signed);
  return { sentence, expected: left, signed: right };
}

/** A batch with its rows and the `sequence` of its request. */
export function batchDetail({ marketplace }: World, key: string) {
  const batch = marketplace.batches.get(key);
  if (batch === undefined) return undefined;
  const { result, pending, disturbance = null, ...rest } = batch;
  return {
    ...rest,
    disturbance,
    sequence: marketplace.requests.sequenceOf(batch.requestId) ?? null,
    state: result === undefined ? 'waiting' : 'applied',
    acceptedRows: result?.acceptedRows ?? pending.map(({ accepted }) => accepted),
    errors: (result ?? batch).errors,
  };
}

export function orderDetail({ marketplace }: World, key: string): Order | undefined {
  return marketplace.order({ orderId: key });
}

/** A store with its warehouses. */
export function storeDetail({ marketplace }: World, key: string) {
  const store = marketplace.stores.get(key);
  if (store === undefined) return undefined;
  const { catalog: _catalog, ...rest } = store;
  return rest;
}

/** A product with its variants and the history of prices and stock. */
export function productDetail({ marketplace }: World, key: string) {
  for (const store of marketplace.stores.values()) {
    const product = store.catalog.byId(key);
    if (product === undefined) continue;
    return { storeClientId: store.clientId, ...formatProduct(store, product, { withHistory: true }) };
  }
  return undefined;
}
