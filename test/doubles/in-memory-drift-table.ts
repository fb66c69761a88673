import { isDeepStrictEqual } from 'node:util';
import type { Drift, ShownPage } from '../../shared/drift/model.ts';
import type { DriftTable } from '../../shared/drift/ports.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** What is in a Drift table; tables over the same state are one. */
export interface DriftState {
  readonly drifts: VersionedItems<Drift>;
  readonly pages: Map<string, ShownPage>;
}

/** The Drift table in memory. */
export function inMemoryDriftTable(
  step: Step = directly,
  { drifts, pages }: DriftState = { drifts: new VersionedItems(), pages: new Map() },
): DriftTable {
  const keyOf = (storeClientId: string, target: string) => `${storeClientId} ${target}`;
  const driftsOf = (storeClientId: string) =>
    drifts
      .all()
      .filter((drift) => drift.storeClientId === storeClientId)
      .sort((a, b) => compareText(a.target, b.target));
  const pageKey = (storeClientId: string, { list, page }: ShownPage) =>
    `${storeClientId} ${list} ${String(page).padStart(6, '0')}`;
  const isNotLater = (storeClientId: string, page: ShownPage) =>
    (pages.get(pageKey(storeClientId, page))?.cycle ?? '') <= page.cycle;
  const pagesOf = (storeClientId: string) =>
    [...pages]
      .filter(([key]) => key.startsWith(`${storeClientId} `))
      .sort(([a], [b]) => compareText(a, b))
      .map(([, page]) => page);

  return {
    update: (storeClientId, target, change) =>
      updateItem({ items: drifts, key: keyOf(storeClientId, target), step, name: 'drift' }, change),
    remove: (known) =>
      step(`drift.remove ${known.storeClientId} ${known.target}`, () => {
        const key = keyOf(known.storeClientId, known.target);
        const isUnchanged = isDeepStrictEqual(drifts.read(key)?.value, known);
        if (isUnchanged) drifts.delete(key);
        return isUnchanged;
      }),
    ofStore: (storeClientId) =>
      step(
        `drift.ofStore ${storeClientId}`,
        () => new Map(driftsOf(storeClientId).map((drift) => [drift.target, drift])),
      ),
    list: (storeClientId, request) =>
      step(`drift.list ${storeClientId}`, () => {
        const { page, ...rest } = pageOf(driftsOf(storeClientId), ({ target }) => target, request);
        return { drifts: page, ...rest };
      }),
    listContested: (request) =>
      step('drift.listContested', () => {
        const since = (drift: Drift) =>
          Object.values(drift.registers)
            .flatMap((register) => register?.contestedSince ?? [])
            .sort()[0];
        const contested = drifts.all().filter((drift) => since(drift) !== undefined);
        contested.sort((a, b) => compareText(since(a) ?? '', since(b) ?? ''));
        const key = ({ storeClientId, target }: Drift) => keyOf(storeClientId, target);
        const { page, ...rest } = pageOf(contested, key, request);
        return { drifts: page, ...rest };
      }),
    putPage: (storeClientId, page) =>
      step(`drift.putPage ${storeClientId} ${page.list} ${page.page}`, () => {
        if (isNotLater(storeClientId, page)) pages.set(pageKey(storeClientId, page), page);
      }),
    pagesOf: (storeClientId) => step(`drift.pagesOf ${storeClientId}`, () => pagesOf(storeClientId)),
    listPages: (storeClientId, request) =>
      step(`drift.listPages ${storeClientId}`, () => {
        const key = (page: ShownPage) => pageKey(storeClientId, page);
        const { page, ...rest } = pageOf(pagesOf(storeClientId), key, request);
        return { pages: page, ...rest };
      }),
    removePages: (storeClientId, some) =>
      step(`drift.removePages ${storeClientId}`, () => {
        for (const page of some)
          if (isNotLater(storeClientId, page)) pages.delete(pageKey(storeClientId, page));
      }),
  };
}
