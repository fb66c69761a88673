import { difference } from '../explanation/difference.ts';
import type { Explanation } from '../explanation/explain-signature.ts';
import { formatProduct } from '../formatters/product.ts';
import type { Order } from '../state/order.ts';
import type { World } from '../world.ts';

/** One request with its bodies, the batches that it made and why it was refused. */
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

/** The base strings in pieces: what differs is marked where the client's is known. */
function withDifference({ sentence, expected, signed }: Explanation) {
  if (signed === null) return { sentence, expected: [{ text: expected, marked: false }], signed: null };
  const { left, right } = difference(expected, signed);
  return { sentence, expected: left, signed: right };
}

/** One batch with its rows; `sequence` is of the request that made it. */
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

/** One store with its warehouses. */
export function storeDetail({ marketplace }: World, key: string) {
  const store = marketplace.stores.get(key);
  if (store === undefined) return undefined;
  const { catalog: _catalog, ...rest } = store;
  return rest;
}

/** One product with its variants, and every value that its prices and stocks had. */
export function productDetail({ marketplace }: World, key: string) {
  for (const store of marketplace.stores.values()) {
    const product = store.catalog.byId(key);
    if (product === undefined) continue;
    return { storeClientId: store.clientId, ...formatProduct(store, product, { withHistory: true }) };
  }
  return undefined;
}
