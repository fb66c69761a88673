import type { Domain } from '../requests/domain.ts';
import type { UpdateCommand } from './model.ts';

// A stand-in until the updates are on the ledger.
export type UpdateRequestsPorts = object;

/** Updates of products on the ledger. */
export function createUpdateRequests(
  _: UpdateRequestsPorts,
): Pick<Domain<UpdateCommand>, 'plan' | 'send' | 'apply'> {
  const missing = () => Promise.reject(new RangeError('updates are not on the ledger yet'));
  return { plan: () => ({ requests: [], rejections: [] }), send: missing, apply: missing };
}
