import { oneLine } from '../shared/collections/visible.ts';

/** How npm says that it runs this command line, and how it is called then. */
const INVOCATIONS: Readonly<Record<string, string>> = {
  connector: 'npm run -s connector --',
  npx: 'npx marketplace-connector',
};

/** How this command line was called, so that a command that it prints can be pasted: as an npm script, by npx, or as the bin. */
export function invocation(environment: NodeJS.ProcessEnv = process.env): string {
  return INVOCATIONS[environment.npm_lifecycle_event ?? ''] ?? 'marketplace-connector';
}

/** The command that starts a program of this machine: `local` or `sandbox start`, in a clone its npm script. */
export function startOf(
  program: 'local' | 'sandbox start',
  environment: NodeJS.ProcessEnv = process.env,
): string {
  if (environment.npm_lifecycle_event !== 'connector') return `${invocation(environment)} ${program}`;
  return program === 'local' ? 'npm start' : 'npm run sandbox';
}

/** A command of this command line about the same stack, ready to paste. After `--` it has no options. */
export function commandOf(
  { options }: { readonly options: readonly string[] },
  words: string,
  program = invocation(),
): string {
  const target = options.map(shellWord);
  return (words.includes(' -- ') ? [program, ...target, words] : [program, words, ...target]).join(' ');
}

/**
 * The words of a command. One that is no option of ours, but begins like one, as an ID of the marketplace may, comes after `--`.
 *
 * @param operands its arguments
 */
export function wordsOf(
  command: string,
  operands: readonly string[],
  options: readonly string[] = [],
): string {
  const quoted = operands.map(shellWord);
  const rest = options.map(shellWord);
  const words = operands.some((word) => word.startsWith('-'))
    ? [command, ...rest, '--', ...quoted]
    : [command, ...quoted, ...rest];
  return words.join(' ');
}

/** A word of a shell command, quoted if it needs to be. Characters that can't be seen are written as escapes. */
export function shellWord(word: string): string {
  if (oneLine(word) !== word) return `$'${oneLine(word.replaceAll(/[\\']/g, '\\$&'))}'`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
