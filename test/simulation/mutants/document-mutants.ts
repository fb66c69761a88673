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
    name: 'what is no PDF is stored',
    file: 'shared/marketplace/documents.ts',
    find: ' || magic !== PDF_MAGIC)',
    replace: ')',
  },
];
