import { type BatchRecord, creationOf } from '../../../../shared/batches/model.ts';
import type { RequestRecord } from '../../../../shared/requests/model.ts';
import type { ProductWorld } from '../../world/products/product-world.ts';
import { rootOf } from './sent-requests.ts';

/**
 * After quiescence: a final summary was matched to the batch of its own request alone, and none is left that names all products
 * of one request with a lost answer, unless another request had the same (P4).
 */
export function checkLostAnswers({ simulation, tables, marketplace: { syncs } }: ProductWorld): void {
  const all = tables.batches.all();
  for (const { batchId, matchedTo } of all) {
    const sync = matchedTo === undefined ? undefined : syncs.syncOf(batchId);
    const batch = all.find((one) => one.batchId === matchedTo);
    if (sync !== undefined && batch !== undefined && purposeOf(batch) !== sync.purpose)
      simulation.violate(
        `P4: the summary ${batchId} is of ${sync.purpose} and was matched to ${purposeOf(batch)}`,
      );
  }
  for (const { batchId, state } of all) {
    const sync = state === 'unmatched' && syncs.isNamedWhole(batchId) ? syncs.syncOf(batchId) : undefined;
    if (sync === undefined) continue;
    const { storeClientId } = sync.store;
    const [record, ...others] = tables.records
      .all()
      .filter((one) => one.storeClientId === storeClientId && isOfProducts(one, sync.externalIds));
    const batch = all.find(({ attemptId }) => attemptId !== undefined && attemptId === record?.recordId);
    if (others.length === 0 && batch !== undefined && isAnswerLost(batch))
      simulation.violate(`P4: the summary ${batchId} of request ${record?.recordId} is matched to no batch`);
  }
}

function purposeOf({ attemptId = '', retryOf, commandId = '' }: BatchRecord): string {
  return retryOf === undefined ? rootOf(attemptId) : commandId;
}

function isOfProducts({ kind, rows }: RequestRecord, externalIds: readonly string[]): boolean {
  const own = rows.map(({ externalId = '' }) => externalId.toLowerCase()).sort();
  return (
    creationOf(kind as BatchRecord['kind']) !== undefined && own.join() === [...externalIds].sort().join()
  );
}

/** Whether the marketplace may have begun a batch whose IDs no answer brought. */
function isAnswerLost({ batchId, submission }: BatchRecord): boolean {
  return submission?.uncertain === true || submission?.attemptId === batchId;
}
