import type { DocumentClaim } from '../../shared/documents/model.ts';
import type { DocumentClaimTable } from '../../shared/documents/ports.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** Who fetches which document, in memory; tables over the same `items` are one table. */
export function inMemoryDocumentClaimTable(
  step: Step = directly,
  items: VersionedItems<DocumentClaim> = new VersionedItems(),
): DocumentClaimTable {
  return { update: (key, change) => updateItem({ items, key, step, name: 'documentClaims' }, change) };
}
