import { type Command, InvalidArgumentError, Option } from 'commander';
import { definedOf } from '../shared/collections/defined-of.ts';
import { readNumber } from '../shared/imports/rules/numbers.ts';
import { isoTime } from '../shared/time/iso-time.ts';
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

/** Reads an option that must be a number, as a file that does not say how it writes them: what has two meanings is refused. */
export function numberOption(text: string): number {
  const read = readNumber(text);
  if ('value' in read) return read.value;
  if (read.fault === 'inexact') throw new InvalidArgumentError('It has more digits than computers keep.');
  // More than three decimals have one meaning.
  const meanings = read.readings.map((one) => (Number.isInteger(one) ? String(one) : one.toFixed(4)));
  const advice = meanings.length === 0 ? '' : ` Write ${meanings.join(' or ')}.`;
  throw new InvalidArgumentError(`It must be a number with a dot before its decimals.${advice}`);
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

const AGO = /^(?<count>\d{1,6})(?<unit>min|h|d)$/;
const AGO_MS: Readonly<Record<string, number>> = { min: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads an option that is a time in ISO 8601 with its offset, or how long ago: `30min`, `24h`, `7d`. @returns ISO 8601 */
export function sinceOption(text: string): string {
  const { count, unit = '' } = AGO.exec(text)?.groups ?? {};
  const { data: time } = isoTime().safeParse(text);
  const at = time === undefined ? Date.now() - Number(count) * (AGO_MS[unit] ?? 0) : Date.parse(time);
  if (Number.isFinite(at)) return new Date(at).toISOString();
  throw new InvalidArgumentError(
    'It must be a time with its offset from UTC (2026-11-22T15:00:00Z), or how long ago (30min, 24h, 7d).',
  );
}

/** `--timeout`, in seconds; its value is in milliseconds. */
export function timeoutOption(description: string, defaultSeconds: number): Option {
  return new Option('--timeout <seconds>', description)
    .argParser((text) => wholeNumberOption(text) * 1000)
    .default(defaultSeconds * 1000, String(defaultSeconds));
}

/** Which entries of a list are shown. */
export interface PageOptions {
  readonly limit: number;
  readonly cursor?: string;
}

export function cursorOption(): Option {
  return new Option('--cursor <cursor>', 'after the last one of an earlier answer');
}

/** How a file writes numbers. */
export interface NotationOptions {
  readonly decimal?: string;
  readonly thousands?: string;
}

/** How a file is written. */
export interface FileOptions extends NotationOptions {
  readonly encoding?: string;
}

/** The options as the metadata of an imported file. */
export function hintsOf({ decimal, thousands, encoding }: FileOptions): Record<string, string> {
  return definedOf({ decimal, thousands, encoding });
}

export function encodingOption(): Option {
  const about = 'its encoding, such as windows-1252, shift_jis, gbk or utf-16le (default: UTF-8)';
  return new Option('--encoding <name>', about);
}

export function decimalOption(): Option {
  return new Option('--decimal <sign>', 'the sign before the decimals of its numbers').choices(['.', ',']);
}

export function thousandsOption(): Option {
  const about = 'the sign between their thousands (default: the other one of . and ,)';
  return new Option('--thousands <sign>', about).choices(['.', ',', "'", 'space']);
}
