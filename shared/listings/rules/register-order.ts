import type { Register, RegisterName } from '../model.ts';

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
