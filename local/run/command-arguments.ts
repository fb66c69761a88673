import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The exit status for wrong arguments, as in the command line `connector`. */
const USAGE = 2;

/**
 * Parses the arguments of a command.
 *
 * @param allowPositionals whether words besides the options are allowed. Default: false
 * @throws Error of one line for an unknown option, a missing value or a word that is not allowed
 */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  { allowPositionals = false }: { readonly allowPositionals?: boolean } = {},
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals });
  } catch (error) {
    // Keeps only the first sentence: Node adds advice about positional arguments.
    const [problem] = String(error instanceof Error ? error.message : error).split('. ');
    const known = [...Object.keys(options), 'help'].map((name) => `--${name}`);
    throw new Error(`${problem}; options: ${known.join(', ')}`, { cause: error });
  }
}

/** @throws Error of one line if the value of an option is not a whole number from `least` (default: 1) on */
export function wholeNumber(option: string, text: string, least = 1): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`--${option} must be a whole number, at least ${least}, not "${text}"`);
}

/** @throws Error of one line if no name contains the value of an option: the command would then do nothing */
export function partOfName(option: string, part: string, names: readonly string[]): string {
  if (names.some((name) => name.includes(part))) return part;
  throw new Error(`--${option} "${part}" is in none of these names: ${names.join(', ')}`);
}

/** With `--help` or `-h` prints `usage`, and ends the process with status 0. @returns the arguments of this process */
export function argumentsUnlessHelp(usage: string): readonly string[] {
  const args = process.argv.slice(2);
  if (!args.includes('--help') && !args.includes('-h')) return args;
  console.log(usage);
  process.exit(0);
}

/**
 * The arguments of this process, as `read` returns them. An error of `read` is printed in one line, and ends the process with status 2.
 *
 * @param usage what `--help` prints
 */
export function argumentsOrExit<Arguments>(
  usage: string,
  read: (args: readonly string[]) => Arguments,
): Arguments {
  const args = argumentsUnlessHelp(usage);
  try {
    return read(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(USAGE);
  }
}

/** For a command without arguments: shows the command's help, or refuses given arguments. */
export function takeNoArguments(usage: string): void {
  argumentsOrExit(usage, (args) => readArguments(args, {}));
}
