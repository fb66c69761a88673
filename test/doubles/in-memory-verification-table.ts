import type { Verification } from '../../shared/drift/model.ts';
import type { VerificationTable } from '../../shared/drift/ports.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** The Verifications table in memory; tables over the same `items` are one table. */
export function inMemoryVerificationTable(
  step: Step = directly,
  items: VersionedItems<Verification> = new VersionedItems(),
): VerificationTable {
  return {
    get: (storeClientId) =>
      step(`verifications.read ${storeClientId}`, () => items.read(storeClientId)?.value),
    update: (storeClientId, change) =>
      updateItem({ items, key: storeClientId, step, name: 'verifications' }, change),
    all: () => step('verifications.all', () => new Map(items.all().map((one) => [one.storeClientId, one]))),
  };
}
