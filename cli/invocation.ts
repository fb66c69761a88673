/** How this command line was called, so that a command that it prints can be pasted: as an npm script, or as the bin. */
export function invocation(environment: NodeJS.ProcessEnv = process.env): string {
  return environment.npm_lifecycle_event === 'connector'
    ? 'npm run -s connector --'
    : 'marketplace-connector';
}

/** A command of this command line about the same stack, ready to paste. */
export function commandOf(
  { options }: { readonly options: readonly string[] },
  words: string,
  program = invocation(),
): string {
  return [program, words, ...options.map(shellWord)].join(' ');
}

/** A word of a shell command, quoted if it needs to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
