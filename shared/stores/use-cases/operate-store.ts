import { definedOf } from '../../collections/defined-of.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { Clock } from '../../time/clock.ts';
import { checkTransition, type Store, type StoreNames, type StoreOnboarding } from '../model.ts';
import type { StoreTable } from '../ports.ts';
import { type AnnounceStorePorts, announceStore } from './announce-store.ts';

export interface ConnectStorePorts extends AnnounceStorePorts {
  readonly stores: Pick<StoreTable, 'get' | 'put' | 'forgetEvent'>;
  readonly marketplace: Pick<MarketplaceClient, 'listWarehouses'>;
  /** The names of a store that is connected for the first time. */
  readonly defaultNames: StoreNames;
  readonly clock: Pick<Clock, 'now'>;
}

export interface OperateStorePorts extends AnnounceStorePorts {
  readonly stores: Pick<StoreTable, 'resume' | 'unbind' | 'forgetEvent'>;
  readonly marketplace: Pick<MarketplaceClient, 'listWarehouses' | 'unbindStore'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface SuspendStorePorts extends AnnounceStorePorts {
  readonly stores: Pick<StoreTable, 'suspend' | 'forgetEvent'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The store is already unbound at the marketplace (§3). */
const ALREADY_UNBOUND = 'STORE_021';

/**
 * Connects a store in any state, with a new token.
 * `StoreTable.put` keeps the partner's settings, `discardedAt`, `renamingUntil` and `connectedAt`. A signed call (§4.15) checks the
 * credentials first. The store's waiting work is sent afterwards.
 *
 * @throws MarketplaceError if the marketplace refuses the credentials (AUTH_014) or fails; nothing changes then
 */
export async function connectStore(
  ports: ConnectStorePorts,
  { onboarding, ...credentials }: StoreCredentials & { readonly onboarding?: StoreOnboarding },
  options?: CallOptions,
): Promise<void> {
  await ports.marketplace.listWarehouses(credentials, options);
  const at = new Date(ports.clock.now()).toISOString();
  const known = await ports.stores.get(credentials.storeClientId);
  const names = known?.names ?? ports.defaultNames;
  const event = { detailType: 'store.connected', at, ...(onboarding && definedOf(onboarding)) } as const;
  const times = { connectedAt: known?.connectedAt ?? at, updatedAt: at };
  await ports.stores.put({ ...credentials, state: 'connected', names, ...times, ...onboarding }, event);
  await announceStore(ports, credentials.storeClientId, event);
}

/**
 * Suspends a store whose credentials the marketplace refuses (AUTH_014), and publishes the suspension. A store whose token was
 * rotated meanwhile stays connected.
 */
export async function suspendStore(
  ports: SuspendStorePorts,
  store: StoreCredentials,
  { code, message, requestId }: Pick<MarketplaceError, 'code' | 'message' | 'requestId'>,
): Promise<void> {
  const event = {
    detailType: 'store.suspended',
    at: new Date(ports.clock.now()).toISOString(),
    reason: `${code}: ${message}`,
    ...(requestId !== undefined && { requestId }),
  } as const;
  if (await ports.stores.suspend(store, event)) await announceStore(ports, store.storeClientId, event);
}

/**
 * Lifts a suspension if a signed call shows that the store's credentials are valid again. The store's waiting work is
 * sent afterwards. A store that got other credentials meanwhile does not change.
 *
 * @throws ConnectorError `STORE_TRANSITION` for a store that is not suspended
 * @throws MarketplaceError if the marketplace still refuses the credentials (AUTH_014) or fails
 */
export async function resumeStore(
  ports: OperateStorePorts,
  store: Store,
  options?: CallOptions,
): Promise<void> {
  checkTransition('resume', store.state);
  await ports.marketplace.listWarehouses(store, options);
  const event = { detailType: 'store.connected', at: new Date(ports.clock.now()).toISOString() } as const;
  if (await ports.stores.resume(store, event)) await announceStore(ports, store.storeClientId, event);
}

/**
 * Unbinds a store (§4.2). Its waiting work is kept for a later onboarding. Idempotent: unbinding a store that is already unbound, here or
 * at the marketplace, is not an error.
 *
 * @throws MarketplaceError if the marketplace does not know the store (STORE_020) or fails
 */
export async function unbindStore(
  ports: OperateStorePorts,
  store: Store,
  options?: CallOptions,
): Promise<void> {
  if (store.state === 'unbound') return;
  checkTransition('unbind', store.state);
  const { storeClientId } = store;
  try {
    await ports.marketplace.unbindStore({ storeClientId }, options);
  } catch (error) {
    if (!(error instanceof MarketplaceError) || error.code !== ALREADY_UNBOUND) throw error;
  }
  const event = { detailType: 'store.unbound', at: new Date(ports.clock.now()).toISOString() } as const;
  if (await ports.stores.unbind(store, event)) await announceStore(ports, storeClientId, event);
}
