import type { Rejection, RejectionTable } from '../../shared/rejections/model.ts';
import { keyedRejections, keyText, listedWithoutStore } from '../../shared/rejections/rules/keys.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';

/** The Rejections table in memory; tables over the same `rejections` are one table. */
export function inMemoryRejectionTable(
  step: Step = directly,
  rejections: Map<string, Rejection> = new Map(),
): RejectionTable {
  return {
    putAll: (added, withdrawn = []) =>
      step(`rejections.putAll ${added.length}`, () => {
        for (const rejection of added) rejections.set(keyOf(rejection), { ...rejection });
        for (const rejection of withdrawn) rejections.delete(keyOf(rejection));
      }),

    listOf: (sourceId) =>
      step(`rejections.listOf ${sourceId}`, () =>
        [...rejections.values()]
          .filter(({ commandId, eventId }) => (commandId ?? eventId) === sourceId)
          .sort((a, b) => compareText(a.rejectionId, b.rejectionId)),
      ),

    list: (storeClientId, { about, code, since = '', newestFirst = false, ...request } = {}) =>
      step(`rejections.list ${storeClientId}`, () => {
        const all = [...rejections.values()].flatMap(listed);
        const ofStore = all.filter((one) => one.storeClientId === storeClientId);
        const found = about === undefined ? ofStore : ofStore.flatMap((one) => foundBy(one, keyText(about)));
        const sorted = found
          .filter(({ rejectionId }) => rejectionId >= since)
          .sort((a, b) => compareText(a.rejectionId, b.rejectionId) * (newestFirst ? -1 : 1));
        const { page, ...cursor } = pageOf(sorted, ({ rejectionId }) => rejectionId, request);
        return { rejections: page.filter((one) => code === undefined || one.code === code), ...cursor };
      }),

    listOfStores: (storeClientIds, { about, code, since = '', ...request }) =>
      step(`rejections.listOfStores ${storeClientIds.length}`, () => {
        const all = [...rejections.values()].flatMap(listed);
        const ofStores = all.filter((one) => storeClientIds.includes(one.storeClientId));
        const found =
          about === undefined ? ofStores : ofStores.flatMap((one) => foundBy(one, keyText(about)));
        const sorted = found
          .filter(({ rejectionId }) => rejectionId >= since)
          .sort(
            (a, b) =>
              compareText(b.rejectionId, a.rejectionId) || compareText(a.storeClientId, b.storeClientId),
          );
        const { page, ...cursor } = pageOf(sorted, keyOf, request);
        return { rejections: page.filter((one) => code === undefined || one.code === code), ...cursor };
      }),
  };
}

function listed(rejection: Rejection): Rejection[] {
  return [rejection, ...listedWithoutStore(rejection)];
}

function foundBy(rejection: Rejection, about: string): Rejection[] {
  return keyedRejections(rejection).flatMap((one) => (keyText(one.key) === about ? [one.rejection] : []));
}

function keyOf({ storeClientId, rejectionId }: Rejection): string {
  return `${storeClientId} ${rejectionId}`;
}
