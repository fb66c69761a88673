import { styleText } from 'node:util';

/** The output of the local run: a terminal, a file or a pipe. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type Style = Extract<Parameters<typeof styleText>[0], string>;
export type Paint = (style: Style, text: string) => string;

/** Permanent lines, and a progress line below them. */
export interface Terminal extends Disposable {
  /** Colours text if the output supports colours; `NO_COLOR` and `FORCE_COLOR` override that. */
  readonly paint: Paint;
  /** Writes a permanent line. */
  say(line: string): void;
  /**
   * Shows the current step; `undefined` ends it. A terminal shows it on its last line, rewritten in place, with its elapsed
   * seconds. Any other output gets it as lines, at most one in `LINE_EVERY_MS`.
   */
  progress(text: string | undefined): void;
}

const LINE_EVERY_MS = 1_000;
const REFRESH_EVERY_MS = 500;
/** Width if the output reports none, or 0, as some pseudo-terminals do. */
const DEFAULT_COLUMNS = 80;
const ERASE_LINE = '\r\x1b[2K';

/**
 * @param output default the process's standard output
 * @param signal ends the progress line
 */
export function createTerminal(output: Output = process.stdout, signal?: AbortSignal): Terminal {
  const inPlace = output.isTTY === true && process.env.TERM !== 'dumb';
  let current: { text: string; since: number } | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let isLineOpen = false;

  function line(text: string): void {
    output.write(`${erased()}${text}\n`);
    writtenAt = performance.now();
  }

  function erased(): string {
    const erase = isLineOpen ? ERASE_LINE : '';
    isLineOpen = false;
    return erase;
  }

  function show(): void {
    if (current === undefined) {
      output.write(erased());
      return;
    }
    const text = progressText(current.text, performance.now() - current.since);
    if (inPlace) {
      output.write(`${erased()}${cut(text, (output.columns || DEFAULT_COLUMNS) - 1)}`);
      isLineOpen = true;
    } else if (performance.now() - writtenAt >= LINE_EVERY_MS) line(text);
  }

  const timer = setInterval(show, REFRESH_EVERY_MS);
  timer.unref();
  signal?.addEventListener('abort', () => {
    current = undefined;
    show();
  });
  return {
    paint: (style, text) => styleText(style, text, { stream: process.stdout }),
    say(text) {
      line(text);
      if (inPlace) show();
    },
    progress(text) {
      if (text === current?.text || signal?.aborted) return;
      current = text === undefined ? undefined : { text, since: performance.now() };
      show();
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      output.write(erased());
    },
  };
}

/** The step, with its elapsed whole seconds from 1 on. */
function progressText(text: string, elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  return seconds === 0 ? `${text} …` : `${text} … ${seconds} s`;
}

/** Cuts the line, as a wrapped line can't be erased. */
function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
}
