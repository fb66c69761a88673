import {
  type DesiredRegister,
  isStockRegister,
  type Listing,
  type Register,
  type RegisterName,
  type SentRegister,
  type SettledRegister,
} from '../model.ts';

/**
 * The total order of one register's values: newer version first; at equal versions the smaller stock, the smaller
 * price, and a special price over none win (design §5.1). Returns > 0 when `a` wins, < 0 when `b` does, 0 when equal.
 */
export function compareRegisters(name: RegisterName, a: Register, b: Register): number {
  if (a.version !== b.version) return a.version - b.version;
  if (a.value === b.value) return 0;
  if (name === 'specialPrice' && (a.value === null || b.value === null)) return a.value === null ? -1 : 1;
  return (b.value ?? 0) - (a.value ?? 0);
}

/** What was accepted last of a register, as far as it is known. */
export function lastAccepted(settled: SettledRegister | undefined): SentRegister | undefined {
  return settled?.outcome === 'rejected' ? settled.acceptedBefore : settled;
}

/**
 * Whether a stock value is above what the marketplace may show. What is not known counts as less: what was never
 * accepted, and values in between, as any one of them may have been applied.
 */
export function isRaise(
  { settled }: Listing,
  name: RegisterName,
  { value, lowest }: DesiredRegister,
): boolean {
  const accepted = lastAccepted(settled[name])?.value;
  return typeof accepted !== 'number' || (value ?? 0) > Math.min(accepted, lowest ?? accepted);
}

/** A new value of a register: of stock with the lowest of those before it that may have been applied. */
export function succeeding(
  { desired, settled }: Listing,
  name: RegisterName,
  { value, version }: Register,
): DesiredRegister {
  const [before, known] = [desired[name], settled[name]];
  const isApplied =
    known?.outcome === 'accepted' && known.version === before?.version && known.value === before.value;
  const register = { value, version };
  if (before === undefined || isApplied || !isStockRegister(name)) return register;
  return withLowest(register, valuesOf(before));
}

/** A global value in place of warehouses' own, wanted or accepted: any of these may be what the marketplace shows there. */
export function superseding(global: DesiredRegister, own: readonly DesiredRegister[]): DesiredRegister {
  return withLowest(global, [...valuesOf(global), ...own.flatMap(valuesOf)]);
}

function valuesOf({ value, lowest }: DesiredRegister): number[] {
  return [value, lowest].filter((one) => typeof one === 'number');
}

/** Kept only where it says more than the value itself. */
function withLowest({ value, version }: Register, before: readonly number[]): DesiredRegister {
  const lowest = Math.min(...before);
  return value !== null && lowest < value ? { value, version, lowest } : { value, version };
}
