import { startSandbox } from '../../../../sandbox/index.ts';
import { createMarketplaceClient, type MarketplaceClient } from '../../../../shared/marketplace/client.ts';
import type { MarketplaceClientOptions } from '../../../../shared/marketplace/options.ts';
import type { StoreCredentials } from '../../../../shared/marketplace/request.ts';
import { createHttpTransport } from '../../../../shared/marketplace/transport.ts';
import { createControls, type SandboxControls } from './controls.ts';

/** A connected store and the clientIds of its warehouses. */
export interface TargetStore extends StoreCredentials {
  readonly warehouses: readonly string[];
}

/** The server that the suite compares with the spec. */
export interface Target {
  readonly baseUrl: string;
  readonly partnerClientId: string;
  readonly secretKey: string;
  readonly client: MarketplaceClient;
  /** A client with other options. */
  clientWith(options: Partial<MarketplaceClientOptions>): MarketplaceClient;
  /** The first of the stores that has 0, 1, or more than one warehouse. */
  store(warehouses: 'none' | 'one' | 'several'): TargetStore;
  /** Whether this is the suite's own sandbox, so that `controls` can be asked for. */
  readonly isSandbox: boolean;
  /** The sandbox's controls. @throws for any other server. */
  controls(): SandboxControls;
  close(): Promise<void>;
}

/**
 * Opens the server named by `MARKETPLACE_BASE_URL` with `MARKETPLACE_PARTNER_CLIENT_ID`,
 * `MARKETPLACE_PARTNER_SECRET_KEY` and `MARKETPLACE_STORES` (`storeClientId=token,…`, stores with 0, 1 and 2
 * warehouses), or a new sandbox. Against another server, tests that need the sandbox's controls are skipped; all others
 * use the spec's endpoints only. They change the given stores, so run them one file at a time
 * (`--no-file-parallelism`).
 */
export async function openTarget(): Promise<Target> {
  const { MARKETPLACE_BASE_URL: givenUrl } = process.env;
  const sandbox = givenUrl === undefined ? await startSandbox() : undefined;
  const baseUrl = givenUrl ?? sandbox?.url ?? '';
  const partnerClientId = process.env.MARKETPLACE_PARTNER_CLIENT_ID ?? 'sandbox-partner';
  const secretKey = process.env.MARKETPLACE_PARTNER_SECRET_KEY ?? 'sandbox-partner-secret';
  const transport = createHttpTransport();
  const clientWith = (options: Partial<MarketplaceClientOptions>) =>
    createMarketplaceClient({
      baseUrl,
      partnerClientId,
      secretKey: { read: async () => secretKey },
      transport,
      clock: Date,
      ...options,
    });
  const client = clientWith({});
  const stores = await Promise.all(storesGiven().map((store) => withWarehouses(client, store)));
  return {
    baseUrl,
    partnerClientId,
    secretKey,
    client,
    clientWith,
    store: (warehouses) => storeWith(stores, warehouses),
    isSandbox: sandbox !== undefined,
    controls: () => {
      if (sandbox === undefined) throw new Error('another server than the sandbox has no controls');
      return createControls(sandbox.url);
    },
    close: async () => {
      await transport.close();
      await sandbox?.close();
    },
  };
}

function storesGiven(): StoreCredentials[] {
  const given =
    process.env.MARKETPLACE_STORES ??
    ['store-0wh', 'store-1wh', 'store-2wh'].map((id) => `${id}=token-${id}`).join();
  return given.split(',').map((pair) => {
    const [storeClientId = '', ...token] = pair.split('=');
    return { storeClientId, storeToken: token.join('=') };
  });
}

async function withWarehouses(client: MarketplaceClient, store: StoreCredentials): Promise<TargetStore> {
  const { data } = await client.listWarehouses(store);
  return { ...store, warehouses: data.flatMap(({ clientId }) => clientId ?? []) };
}

function storeWith(stores: readonly TargetStore[], warehouses: 'none' | 'one' | 'several'): TargetStore {
  const wanted = { none: 0, one: 1, several: 2 }[warehouses];
  const found = stores.find((store) => Math.min(store.warehouses.length, 2) === wanted);
  if (found === undefined) throw new Error(`MARKETPLACE_STORES names no store with ${warehouses} warehouses`);
  return found;
}
