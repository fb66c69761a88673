import type { ProductWorld } from '../../world/products/product-world.ts';

/**
 * At the end the outcome of every request is known, so no product keeps fields for one. Older updates of such fields would wait,
 * and never be sent.
 */
export function checkLockClaims({ simulation, tables }: Pick<ProductWorld, 'simulation' | 'tables'>): void {
  for (const [product, { claims = [] }] of tables.locks.entries()) {
    for (const { commandId } of claims)
      simulation.violate(`P2: ${product} keeps fields for ${commandId}, which has ended or was not sent`);
  }
}
