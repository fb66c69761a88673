import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../collections/is-object.ts';
import type { RowSighting } from './read-back.ts';

/**
 * Fields that a product may show otherwise than they were set: variants have fields of the marketplace's own, its
 * pictures may come from other addresses, and the sub-category is in no answer (§2).
 */
const NOT_COMPARABLE = new Set(['variants', 'photos', 'thumbnails', 'officialBanners', 'subCategoryId']);

/** Whether a product, as it is shown, has the values that an update was to set, as far as they can be compared. */
export function showsChanges(
  shown: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): RowSighting {
  const told = Object.entries(changes)
    .filter(([field]) => !NOT_COMPARABLE.has(field) && shown[field] !== undefined)
    .map(([field, wanted]) => isShown(shown[field], wanted));
  if (told.length === 0) return 'unknown';
  return told.every((isEqual) => isEqual) ? 'done' : 'not done';
}

/** Objects may be shown with more fields than were set. */
function isShown(shown: unknown, wanted: unknown): boolean {
  if (!isObject(shown) || !isObject(wanted)) return isDeepStrictEqual(shown, wanted);
  return Object.entries(wanted).every(([field, value]) => isDeepStrictEqual(shown[field], value));
}
