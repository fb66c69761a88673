import { definedOf } from '../../shared/collections/defined-of.ts';
import type { StoredDocument } from '../../shared/documents/model.ts';
import type { DocumentBucket } from '../../shared/documents/ports.ts';
import { keepDocument } from './kept-document.ts';
import { directly, type Step } from './step.ts';

export type HeldDocument = StoredDocument & { readonly bytes: Uint8Array };

/** The document bucket in memory, with its content visible; buckets over the same `documents` are one bucket. */
export function inMemoryDocumentBucket(
  step: Step = directly,
  documents: Map<string, HeldDocument> = new Map(),
): DocumentBucket & { readonly documents: Map<string, HeldDocument> } {
  return {
    documents,
    find: (key) =>
      step(`documents.find ${key}`, () => {
        const held = documents.get(key);
        if (held === undefined) return undefined;
        const { bytes: _, ...stored } = held;
        return stored;
      }),
    remove: (key) => step(`documents.remove ${key}`, () => documents.delete(key)),
    put: async (key, document, commandId, includeItems) => {
      const { bytes, sha256, requestId } = await keepDocument(document);
      return step(`documents.put ${key}`, () => {
        const asked = definedOf({ commandId, includeItems });
        const stored = { bucket: 'documents', key, size: bytes.length, sha256, ...asked, requestId };
        documents.set(key, { ...stored, bytes });
        return stored;
      });
    },
  };
}
