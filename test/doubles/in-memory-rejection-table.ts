import type { Rejection, RejectionTable } from '../../shared/rejections/model.ts';
import { compareText, pageOf } from './page-of.ts';
import { directly, type Step } from './step.ts';

/** The Rejections table in memory; tables over the same `rejections` are one table. */
export function inMemoryRejectionTable(
  step: Step = directly,
  rejections: Map<string, Rejection> = new Map(),
): RejectionTable {
  return {
    putAll: (added) =>
      step(`rejections.putAll ${added.length}`, () => {
        for (const rejection of added) rejections.set(keyOf(rejection), { ...rejection });
      }),

    listOf: (sourceId) =>
      step(`rejections.listOf ${sourceId}`, () =>
        [...rejections.values()]
          .filter(({ commandId, eventId }) => (commandId ?? eventId) === sourceId)
          .sort((a, b) => compareText(a.rejectionId, b.rejectionId)),
      ),

    list: (storeClientId, options) =>
      step(`rejections.list ${storeClientId}`, () => {
        const ofStore = [...rejections.values()]
          .filter((rejection) => rejection.storeClientId === storeClientId)
          .sort((a, b) => compareText(a.rejectionId, b.rejectionId));
        const { page, ...cursor } = pageOf(ofStore, ({ rejectionId }) => rejectionId, options);
        return { rejections: page, ...cursor };
      }),
  };
}

function keyOf({ storeClientId, rejectionId }: Rejection): string {
  return `${storeClientId} ${rejectionId}`;
}
