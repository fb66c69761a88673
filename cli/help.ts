import { type Command, InvalidArgumentError, Option } from 'commander';
import { invocation } from './invocation.ts';

const LARGEST_PORT = 65_535;

/** Adds a command to `parent`, with arguments as commander writes them (`show <batchId>`), and examples in its help. */
export function addCommand(
  parent: Command,
  nameAndArguments: string,
  description: string,
  commands: readonly string[],
): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .addHelpText('after', examples(...commands));
}

/** The examples at the end of a command's help. */
export function examples(...commands: readonly string[]): string {
  return `\nExamples:\n${commands.map((command) => `  $ ${invocation()} ${command}`).join('\n')}`;
}

/** Reads an option that must be a number. */
export function numberOption(text: string): number {
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('It must be a number.');
}

/** Reads an option that must be a whole number from 0 on. */
export function wholeNumberOption(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 0 on.');
}

/** Reads an option that must be a port; 0: any free one. */
export function portOption(text: string): number {
  const port = wholeNumberOption(text);
  if (port <= LARGEST_PORT) return port;
  throw new InvalidArgumentError(`It must be a port, 0 (any free one) to ${LARGEST_PORT}.`);
}

/** Reads an option of whole seconds into milliseconds. */
export function secondsOption(text: string): number {
  return wholeNumberOption(text) * 1000;
}

/** How a file writes numbers. */
export interface NotationOptions {
  readonly decimal?: string;
  readonly thousands?: string;
}

export function decimalOption(): Option {
  return new Option('--decimal <sign>', 'the sign before the decimals of its numbers').choices(['.', ',']);
}

export function thousandsOption(): Option {
  const about = 'the sign between their thousands (default: the other one of . and ,)';
  return new Option('--thousands <sign>', about).choices(['.', ',', "'", 'space']);
}
