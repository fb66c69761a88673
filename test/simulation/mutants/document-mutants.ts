import type { Mutant } from './mutant.ts';

/** Mistakes in fetching each document once, and in reporting its outcome. */
export const documentMutants: readonly Mutant[] = [
  {
    name: 'a stored document is fetched again',
    file: 'shared/documents/document-domain.ts',
    find: 'return refresh === true || (isOther && stored.includeItems !== includeItems);',
    replace: 'return true;',
  },
  {
    name: 'a document requested with refresh is not fetched',
    file: 'shared/documents/document-domain.ts',
    find: 'return refresh === true || (isOther && stored.includeItems !== includeItems);',
    replace: 'return false;',
  },
  {
    name: 'a document does not wait for the state of its order',
    file: 'shared/documents/document-domain.ts',
    find: 'left <= 0) return undefined;',
    replace: 'left <= waitMs) return undefined;',
  },
  {
    name: 'a document is given up after a temporary failure',
    file: 'shared/documents/document-domain.ts',
    find: 'if (invalid.length >= MAX_INVALID_ANSWERS)',
    replace: 'if (request.failures.length + 1 >= MAX_INVALID_ANSWERS)',
  },
  {
    name: 'a document is fetched by two commands at a time',
    file: 'shared/documents/document-domain.ts',
    find: 'if (taken?.lock?.holder === holder) return;',
    replace: 'if (taken !== undefined) return;',
  },
  {
    name: 'a lock whose holder was killed never expires',
    file: 'shared/requests/model.ts',
    find: ' && lock.until > now;',
    replace: ';',
  },
  {
    name: 'the lock of a document is not released',
    file: 'shared/documents/document-domain.ts',
    find: '    await release();\n    return stored;',
    replace: '    return stored;',
  },
  {
    name: 'the lock of another holder is released',
    file: 'shared/documents/document-domain.ts',
    find: 'if (taken?.lock?.holder === holder) return;',
    replace: `if (taken?.lock?.holder === holder) return;
  await unlockDocument({ locks, clock }, key, taken?.lock?.holder ?? '');`,
  },
  {
    name: 'a document stored meanwhile by another command is not found',
    file: 'shared/documents/document-domain.ts',
    find: '  await lockDocument(ports, key, senderId, command);',
    replace: `  const before = await ports.documents.find(key);
  await lockDocument(ports, key, senderId, command);
  ports = { ...ports, documents: { ...ports.documents, find: async () => before } };`,
  },
  {
    name: 'a document stored before its sender was killed counts as missing',
    file: 'shared/documents/document-domain.ts',
    find: 'if (stored && !needsFetch(stored, command)) return { stored };',
    replace: '',
  },
  {
    name: 'the key of a document holds a colon',
    file: 'shared/documents/rules/document-key.ts',
    find: '[^A-Za-z0-9._-]/gu',
    replace: '[^A-Za-z0-9:._-]/gu',
  },
  {
    name: 'a document that was cut off is stored',
    file: 'shared/marketplace/documents.ts',
    find: 'if (!last.includes(PDF_END))',
    replace: 'if (false as boolean)',
  },
  {
    name: 'an answer that is not a PDF is stored',
    file: 'shared/marketplace/documents.ts',
    find: 'if (!hasHeader(first)) return refuse({ ...response, body });',
    replace: '',
  },
];
