import type { BatchRecord } from '../../../../shared/batches/model.ts';
import type { RequestRecord } from '../../../../shared/requests/model.ts';
import type { ProductFunctions } from '../../world/products/product-functions.ts';
import type { ProductWorld } from '../../world/products/product-world.ts';

/** Whether every command that was given has its outcome, and nothing can land any more but values that still wait. */
export function isAtRest(
  { tables, marketplace, network, simulation }: ProductWorld,
  functions: ProductFunctions,
): boolean {
  return (
    functions.isIdle &&
    marketplace.syncs.isIdle &&
    tables.batches.all().every(isPublished) &&
    tables.records.all().every(isSettledRequest) &&
    network.exchanges.every(({ mayLandUntil }) => mayLandUntil < simulation.now)
  );
}

/** Whether the outcome of a request is known and reported, also if its command is no longer redelivered. */
function isSettledRequest({ state, uncertain, appliedAt }: RequestRecord): boolean {
  return appliedAt !== undefined || (state === 'prepared' && !uncertain);
}

/** Whether a batch has ended and its end is published. */
function isPublished({ state, submission, announced }: BatchRecord): boolean {
  if (submission === undefined) return true;
  return announced.includes(state === 'unresolved' ? 'batch.unresolved' : 'batch.completed');
}
