import { Catalog } from './catalog.ts';

export interface Warehouse {
  readonly id: string;
  readonly externalId: string;
  /** The public identifier that stock payloads use. */
  readonly clientId: string;
  readonly warehouseName: string;
  readonly phone: string;
  isMain: boolean;
  readonly area: Record<string, unknown>;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface Partner {
  readonly clientId: string;
  readonly secretKey: string;
}

/** A seller's shop. An unbound shop has no token. */
export interface Store {
  readonly clientId: string;
  readonly partnerClientId: string;
  token: string | null;
  state: 'connected' | 'unbound';
  blocked: boolean;
  readonly warehouses: Warehouse[];
  readonly catalog: Catalog;
}

export function newStore(clientId: string, partnerClientId: string, token: string): Store {
  return {
    clientId,
    partnerClientId,
    token,
    state: 'connected',
    blocked: false,
    warehouses: [],
    catalog: new Catalog(),
  };
}
