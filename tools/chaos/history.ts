import type { SandboxProduct } from '../../local/run/sandbox-controls.ts';
import type { Change, PriceFields, StockFields } from './changes.ts';

/** A value of one register with the partner's version; version 0 is that of the catalog. */
interface Versioned {
  readonly version: number;
  readonly value: number | null;
}

/** Describes what is wrong with a product at the marketplace; empty when nothing is. */
export function faultsOf(product: SandboxProduct, changes: readonly Change[]): string[] {
  return registersOf(product).flatMap(({ name, history, valueIn }) => {
    const sent = changes.flatMap((change) => {
      const value = valueIn(change);
      return value === undefined ? [] : [{ version: change.version, value }];
    });
    return registerFaults(`${product.sku} ${name}`, history, sent);
  });
}

interface RegisterView {
  readonly name: string;
  /** Every value at the marketplace, the oldest first. */
  readonly history: readonly (number | null)[];
  readonly valueIn: (change: Change) => number | null | undefined;
}

function registersOf({ history }: SandboxProduct): RegisterView[] {
  const clientIds = [...new Set(history.stock.map(({ clientId }) => clientId))];
  const stocks = clientIds.map((clientId) => ({
    name: `stock ${clientId ?? ''}`,
    history: history.stock.filter((entry) => entry.clientId === clientId).map(({ stock }) => stock),
    valueIn: (change: Change) =>
      change.detailType === 'stock.changed' ? stockFor(clientId, change.item as StockFields) : undefined,
  }));
  const price = (change: Change) =>
    change.detailType === 'price.changed' ? (change.item as PriceFields) : undefined;
  return [
    ...stocks,
    {
      name: 'price',
      history: history.price.map((entry) => entry.price),
      valueIn: (change) => price(change)?.price,
    },
    {
      name: 'specialPrice',
      history: history.price.map(({ specialPrice }) => specialPrice),
      valueIn: (change) => price(change)?.specialPrice,
    },
  ];
}

function stockFor(clientId: string | null, { stock, warehouses }: StockFields): number | undefined {
  if (warehouses === undefined) return stock;
  const own = warehouses.find((one) => (typeof one === 'string' ? one : one.clientId) === clientId);
  if (own === undefined) return undefined;
  return typeof own === 'string' ? stock : own.stock;
}

/** The last value is the newest one, and no value was followed by an older one. */
function registerFaults(
  name: string,
  history: readonly (number | null)[],
  sent: readonly Versioned[],
): string[] {
  const [initial] = history;
  const known = [{ version: 0, value: initial ?? null }, ...sent];
  const newest = known.reduce((best, each) => (each.version > best.version ? each : best));
  const faults: string[] = [];
  if (history.at(-1) !== newest.value) {
    faults.push(`${name} ends at ${history.at(-1)}, the newest is ${newest.value}`);
  }
  let reached = 0;
  for (const value of history) {
    const versions = known.filter((each) => each.value === value).map(({ version }) => version);
    const next = Math.min(...versions.filter((version) => version >= reached));
    if (Number.isFinite(next)) reached = next;
    else faults.push(`${name} went back to ${value} after version ${reached}`);
  }
  return faults;
}
