import { type RearmTargetsPorts, rearmTargets } from '../../listings/use-cases/rearm-targets.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { UpdatedProduct } from '../../marketplace/product-changes.ts';
import type { ProductChanges } from '../../marketplace/product-request.ts';
import type { Store } from '../../stores/model.ts';
import type { RowFault } from '../model.ts';
import type { ProductCalls } from '../ports.ts';
import { skusOf, splitUpdate } from '../rules/split-update.ts';
import { type ChangeListingPorts, changeListing } from './change-listing.ts';
import { type InTurnPorts, inTurn, newestOf, turnKey } from './in-turn.ts';

export interface ChangeProductPorts extends InTurnPorts, RearmTargetsPorts, ChangeListingPorts {
  readonly calls: Pick<ProductCalls, 'getProduct' | 'updateProduct'>;
}

/** An update that somebody waits for; its changes are checked already. */
export interface ChangeRequest {
  readonly productId: string;
  readonly changes: ProductChanges;
  readonly commandId: string;
  /** Epoch ms. */
  readonly time: number;
  /** Of its price and stock, in a store with integer versions. */
  readonly version?: number | undefined;
}

/** What became of an update: `queued` where only listings change, or commands of a later time have set all else. */
export type ProductChange =
  | { readonly state: 'answered'; readonly answer: UpdatedProduct }
  | { readonly state: 'refused'; readonly fault: RowFault }
  | { readonly state: 'queued' };

/**
 * Updates one product while somebody waits (§4.7), in its turn among the commands that update it: once, as he will ask
 * again if he wants to. Stock and price become changes of listings, as with `updateProduct`.
 *
 * @throws {ConnectorError} PRODUCT_BUSY while a command is updating the product, or an update of it may still land.
 * @throws {MarketplaceError}
 */
export async function changeProduct(
  ports: ChangeProductPorts,
  { productId, changes, commandId, time, version }: ChangeRequest,
  store: Store,
  options: CallOptions,
): Promise<ProductChange> {
  const parts = splitUpdate(changes, store.names);
  const fields = Object.keys(parts.product);
  const listed = async (): Promise<ProductChange> => {
    const fault = await changeListing(
      ports,
      { productId, commandId, time, version, changes, store },
      parts,
      options,
    );
    return fault === undefined ? { state: 'queued' } : { state: 'refused', fault };
  };
  if (fields.length === 0) return listed();
  const { storeClientId } = store;
  return inTurn(ports, turnKey(storeClientId, productId), { commandId, time, fields }, async (turn) => {
    const newest = newestOf(parts.product, turn);
    // In its turn as well: one who is told to come later has changed nothing yet.
    const change = await listed();
    if (change.state === 'refused' || newest === undefined) return change;
    const answer = await ports.calls.updateProduct(
      store,
      { productId, changes: newest },
      { ...options, onAttempt: ({ signedAt }) => turn.extend(signedAt) },
    );
    await turn.settle();
    const created = skusOf(newest).map((sku) => `sku:${sku}`);
    await rearmTargets(ports, storeClientId, created, {
      time: Number.POSITIVE_INFINITY,
      at: ports.clock.now(),
    });
    return { state: 'answered', answer };
  });
}
