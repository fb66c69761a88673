import { hasFailed, type ImportRecord, isHeld, lastPutFirst, replaces } from '../../shared/imports/model.ts';
import type { ImportTable } from '../../shared/imports/ports.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** The files of the Inputs table in memory; tables over the same `items` are one table. */
export function inMemoryImportTable(
  step: Step = directly,
  items: VersionedItems<ImportRecord> = new VersionedItems(),
): ImportTable {
  const written = new Map();
  return {
    get: (importId) => step(`imports.read ${importId}`, () => items.read(importId)?.value),
    update: (importId, change) =>
      updateItem({ items, key: importId, step, name: 'imports', written }, change),
    listNamed: (name, { limit, storeClientId }) =>
      step('imports.listNamed', () =>
        items
          .all()
          .filter((file) => storeClientId === undefined || file.storeClientId === storeClientId)
          .filter(({ key }) => key === name || key.split('/').at(-1)?.toLowerCase() === name.toLowerCase())
          .sort(lastPutFirst)
          .slice(0, limit),
      ),
    listFailed: (since, limit) =>
      step('imports.listFailed', () => {
        const all = items.all();
        return all
          .filter((file) => file.putAt >= since && hasFailed(file))
          .filter((file) => !all.some((later) => replaces(later, file)))
          .sort(lastPutFirst)
          .slice(0, limit);
      }),
    listHeld: (limit) => step('imports.listHeld', () => items.all().filter(isHeld).slice(0, limit)),
    list: (storeClientId, query) =>
      step(`imports.list ${storeClientId ?? ''}`, () => {
        const files = items
          .all()
          .filter((file) => storeClientId === undefined || file.storeClientId === storeClientId)
          .sort((a, b) => lastPutFirst(a, b) || compareText(b.importId, a.importId));
        const { page, ...cursor } = pageOf(files, ({ importId }) => importId, query);
        return { imports: page, ...cursor };
      }),
  };
}
