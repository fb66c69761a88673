import type { ProductWorld } from '../../world/products/product-world.ts';

/**
 * After quiescence the outcome of every request is known: no product keeps fields for one that may still take effect, which
 * older updates of these fields would wait for, and never be sent.
 */
export function checkLockClaims({ simulation, tables }: Pick<ProductWorld, 'simulation' | 'tables'>): void {
  for (const [product, { claims = [] }] of tables.locks.entries()) {
    for (const { commandId } of claims)
      simulation.violate(`P2: ${product} keeps fields for ${commandId}, which has ended or was not sent`);
  }
}
