import type { FileReceipt, FileReceiptTable } from '../../shared/changes/file-receipts.ts';
import { directly, type Step } from './step.ts';

/** Receipts of files in memory; tables over the same `receipts` are one table. */
export function inMemoryFileReceiptTable(
  step: Step = directly,
  receipts: Map<string, FileReceipt> = new Map(),
): FileReceiptTable {
  return {
    putAll: (added) =>
      step(`receipts.putAll ${added.length}`, () => {
        for (const receipt of added) receipts.set(`${receipt.importId}/${receipt.message}`, receipt);
      }),
    pages: async function* (importId) {
      yield await step(`receipts.pages ${importId}`, () =>
        [...receipts.values()]
          .filter((receipt) => receipt.importId === importId)
          .toSorted((one, other) => one.message - other.message),
      );
    },
  };
}
