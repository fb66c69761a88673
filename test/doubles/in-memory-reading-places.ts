import type { ReadingPlaces } from '../../shared/imports/model.ts';
import type { ReadingPlacePorts } from '../../shared/imports/use-cases/reading-place.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** The reading places of each store, in memory. */
export function inMemoryReadingPlaces(
  step: Step = directly,
  items: VersionedItems<ReadingPlaces> = new VersionedItems(),
): ReadingPlacePorts['readingPlaces'] {
  const written = new Map();
  return {
    update: (storeClientId, change) =>
      updateItem({ items, key: storeClientId, step, name: 'readingPlaces', written }, change),
  };
}
