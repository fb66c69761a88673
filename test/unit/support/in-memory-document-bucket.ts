import type { StoredDocument } from '../../../shared/documents/model.ts';
import type { DocumentBucket } from '../../../shared/documents/ports.ts';

/** The document bucket in memory, with what it holds in view. */
export function inMemoryDocumentBucket(): DocumentBucket & {
  readonly documents: Map<string, StoredDocument & { readonly bytes: Uint8Array }>;
} {
  const documents = new Map<string, StoredDocument & { bytes: Uint8Array }>();
  return {
    documents,
    find: async (key) => {
      const held = documents.get(key);
      if (held === undefined) return undefined;
      const { bytes: _, ...stored } = held;
      return stored;
    },
    put: async (key, { bytes, sha256, requestId }, commandId) => {
      const stored = { bucket: 'documents', key, size: bytes.length, sha256, commandId, requestId };
      documents.set(key, { ...stored, bytes });
      return stored;
    },
  };
}
