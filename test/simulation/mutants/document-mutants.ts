import type { Mutant } from './mutant.ts';

/** Mistakes in fetching each document once, and in saying what became of it. */
export const documentMutants: readonly Mutant[] = [
  {
    name: 'a document that is stored is fetched again',
    file: 'shared/documents/use-cases/fetch-document.ts',
    find: 'return refresh === true && stored.commandId !== commandId;',
    replace: 'return true;',
  },
  {
    name: 'a document that is asked for anew is not fetched',
    file: 'shared/documents/use-cases/fetch-document.ts',
    find: 'return refresh === true && stored.commandId !== commandId;',
    replace: 'return false;',
  },
  {
    name: "a document's failure is told before it is kept",
    file: 'shared/documents/use-cases/perform-document-command.ts',
    find: 'await ports.commands.update(key, (current) => refused(current, [rejection], failure.code));',
    replace: '',
  },
  {
    name: 'two deliveries of a document command are at work at a time',
    file: 'shared/documents/use-cases/perform-document-command.ts',
    find: 'isAtWork(current, ports.clock.now()) ? undefined : begun(current, attempt)',
    replace: 'begun(current, attempt)',
  },
  {
    name: 'a document does not wait for the state of its order',
    file: 'shared/documents/rules/wait-for-state.ts',
    find: 'if (left <= 0) return undefined;',
    replace: 'if (left <= waitMs) return undefined;',
  },
  {
    name: 'a document is given up for what passes',
    file: 'shared/documents/rules/final-refusal.ts',
    find: "return outcome === 'refused' && !retryable",
    replace: "return outcome === 'refused'",
  },
  {
    name: 'a document is fetched by two commands at a time',
    file: 'shared/documents/use-cases/while-claimed.ts',
    find: 'if (claim?.holder !== holder) throw busy(name);',
    replace: '',
  },
  {
    name: 'the claim of a document whose holder is gone holds for ever',
    file: 'shared/documents/rules/claim.ts',
    find: ' || current.until <= now;',
    replace: ';',
  },
  {
    name: 'the claim of a document is not given back',
    file: 'shared/documents/use-cases/while-claimed.ts',
    find: '    await giveBack();\n    return result;',
    replace: '    return result;',
  },
  {
    name: "another's claim of a document is given back",
    file: 'shared/documents/use-cases/while-claimed.ts',
    find: 'if (claim?.holder !== holder) throw busy(name);',
    replace: `if (claim?.holder !== holder) {
      await ports.documentClaims.update(key, (current) => current && givenBack(current, current.holder ?? ''));
      throw busy(name);
    }`,
  },
  {
    name: 'a document that another command has stored meanwhile is not looked for',
    file: 'shared/documents/use-cases/fetch-document.ts',
    find: `    return whileClaimed(ports, command, async () => {
      const stored = await ports.documents.find(key);
`,
    replace: `    const stored = await ports.documents.find(key);
    return whileClaimed(ports, command, async () => {
`,
  },
  {
    name: 'a document that was cut short is stored',
    file: 'shared/marketplace/documents.ts',
    find: '  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;',
    replace: `  try {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  } catch {}`,
  },
  {
    name: 'what is no PDF is stored',
    file: 'shared/marketplace/documents.ts',
    find: "if (first.subarray(0, PDF_MAGIC.length).toString('latin1') !== PDF_MAGIC) throw notPdf(response);",
    replace: '',
  },
];
