import type { Mutant } from './mutant.ts';

const FULL_FILE = 'shared/imports/use-cases/full-file.ts';
const FULL_ROWS = 'shared/imports/rules/full-rows.ts';
const COMPARISON = 'shared/imports/rules/full-comparison.ts';

/** Mistakes with files of stock. */
export const fileMutants: readonly Mutant[] = [
  {
    name: 'stock that a file does not name becomes 0 before the rows of the file are taken',
    file: FULL_FILE,
    find: '< reading.sent) {',
    replace: '< 0) {',
  },
  {
    name: 'a listing that a rejected row names becomes 0',
    file: COMPARISON,
    find: '.filter((target) => !known.has(target));',
    replace: '.filter(() => known !== undefined);',
  },
  {
    name: 'a full file that names too little is not held',
    file: COMPARISON,
    find: 'if (2 * missing > known) {',
    replace: 'if (known < 0) {',
  },
  {
    name: 'a full file with a row that names nothing is not held',
    file: FULL_ROWS,
    find: '} else this.#isSparedIncomplete = true;',
    replace: '}',
  },
  {
    name: 'a full file with a rejected row that names no product of the store is not held',
    file: COMPARISON,
    find: 'const unknown = strangers + refused',
    replace: 'const unknown = refused',
  },
  {
    name: 'only the first page of listings is looked at',
    file: FULL_FILE,
    find: 'const isLast = page.next === undefined;',
    replace: 'const isLast = true;',
  },
  {
    name: 'only the last page of listings counts as missing',
    file: COMPARISON,
    find: 'missing: full.missing + missing.length',
    replace: 'missing: missing.length',
  },
  {
    name: 'a product that was created after the file counts as missing',
    file: COMPARISON,
    find: '? knownAt <= time',
    replace: '? true',
  },
  {
    name: 'a listing of the version of the file counts as missing',
    file: COMPARISON,
    find: 'newest < version.value,',
    replace: 'newest <= version.value,',
  },
  {
    name: 'zeros have the time of the put and not the version of the file',
    file: FULL_FILE,
    find: '...(full.version && versionFieldOf(full.version)), items }',
    replace: "...(full.version?.kind === 'integer' && versionFieldOf(full.version)), items }",
  },
  {
    name: 'how far a full file was worked on is kept before its zeros are queued',
    file: FULL_FILE,
    find: 'await queue.send(events);',
    replace: 'void queue.send(events).catch(() => {});',
  },
  {
    name: 'rows of a full file may have versions of their own',
    file: FULL_ROWS,
    find: 'if (version?.kind === this.#version?.kind && version?.value === this.#version?.value) return undefined;',
    replace: 'if (version !== undefined) return undefined;',
  },
  {
    name: 'a full file that was read to its end is not queued again by a redelivery',
    file: 'shared/imports/use-cases/import-file.ts',
    find: 'await continueRead(ports, facts, begun);',
    replace: 'await reportFileFault(ports, facts, begun);',
  },
  {
    name: 'a file that was read to its end is not followed',
    file: 'shared/imports/use-cases/import-file.ts',
    find: 'await ports.importQueue.send({ importId, isFollowed: true });',
    replace: ';',
  },
  {
    name: 'a file is followed only until its first look',
    file: 'shared/imports/use-cases/follow-rows.ts',
    find: 'const isEnded = !this.#isOpen && ',
    replace: 'const isEnded = ',
  },
  {
    name: 'a row that the marketplace has rejected counts as accepted',
    file: 'shared/imports/rules/row-outcome.ts',
    find: "answer?.outcome === 'rejected'",
    replace: "answer?.outcome !== 'rejected' && answer === undefined",
  },
  {
    name: 'rows of a file count as taken although their message is redelivered',
    file: 'shared/changes/use-cases/intake-outcome.ts',
    find: 'const taken = this.#ofFiles.filter(({ message }) => !this.#failed.has(message.messageId));',
    replace: 'const taken = this.#ofFiles;',
  },
  {
    name: 'the fault of a file is lost with the delivery that stored it',
    scenario: 'stock-files',
    file: 'shared/imports/use-cases/import-file.ts',
    find: 'await continueRead(ports, facts, begun);',
    replace: 'await continueRead(ports, facts, { ...begun, reading: undefined });',
  },
];
