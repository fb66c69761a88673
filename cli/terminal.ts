import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import { confirm, isCancel } from '@clack/prompts';
import { oneLine, visible } from '../shared/collections/visible.ts';

export type Style = Parameters<typeof styleText>[0];

/** Where a command writes. */
export interface Terminal {
  /** Columns of standard output; unlimited if it is no terminal, so that each line stays whole. */
  readonly width: number;
  /** Whether a person can answer a question. */
  readonly isInteractive: boolean;
  /** Writes lines to standard output. Texts of others in them are quoted by `oneLine`, so that they add none. */
  print(text?: string): void;
  /** Writes a file to standard output: as it is, unless that is a terminal, which shows it as `print` does. */
  printFile(text: string): void;
  /** Writes a line to standard error: progress and errors, which are no result. */
  note(text: string): void;
  /** Writes a line to standard error that the next one replaces, or ends it. Absent if standard error is no terminal. */
  readonly progressLine: ((text?: string) => void) | undefined;
  /** The text with colours, if standard output is a terminal with colours. */
  style(style: Style, text: string): string;
  /** Asks a question whose answer is yes or no; `false` also for Ctrl-C. */
  confirm(question: string): Promise<boolean>;
  /** Calls `handle` each time that a person presses Enter, until it is disposed. */
  onEnter(handle: () => void): Disposable;
}

/** Of a terminal that does not say its columns. */
const USUAL_WIDTH = 100;

/** Erases the line of the terminal, and begins it again. */
const CLEARED_LINE = '\r\u001b[K';

/** The terminal of this process. NO_COLOR and FORCE_COLOR are honoured. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const isInteractive = stdin.isTTY === true && stdout.isTTY === true;
  return {
    width: stdout.isTTY ? stdout.columns || USUAL_WIDTH : Number.POSITIVE_INFINITY,
    isInteractive,
    print: (text = '') => stdout.write(`${visible(text)}\n`),
    printFile: (text) =>
      stdout.write(stdout.isTTY ? visible(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')) : text),
    note: (text) => stderr.write(`${oneLine(text)}\n`),
    progressLine: stderr.isTTY
      ? (text) => {
          const line = text && oneLine(text).slice(0, (stderr.columns || USUAL_WIDTH) - 1);
          stderr.write(line === undefined ? '\n' : `${CLEARED_LINE}${line}`);
        }
      : undefined,
    style: (style, text) => styleText(style, text, { stream: stdout }),
    confirm: async (question) => {
      const answer = await confirm({ message: oneLine(question), initialValue: false });
      return !isCancel(answer) && answer;
    },
    onEnter: (handle) => {
      if (!isInteractive) return { [Symbol.dispose]: () => {} };
      const lines = createInterface({ input: stdin }).on('line', handle);
      return { [Symbol.dispose]: () => lines.close() };
    },
  };
}
