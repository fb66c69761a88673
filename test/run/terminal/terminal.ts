import { styleText } from 'node:util';

/** Where the local run writes: a terminal, a file or a pipe. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type Style = Extract<Parameters<typeof styleText>[0], string>;
export type Paint = (style: Style, text: string) => string;

/** Lines that stay, and below them one that says what is being done now. */
export interface Terminal extends Disposable {
  /** Colours text where the output has colours (`NO_COLOR` and `FORCE_COLOR` decide otherwise). */
  readonly paint: Paint;
  /** Writes a line that stays. */
  say(line: string): void;
  /**
   * Says what is being done now, until something else is; `undefined` ends it. A terminal has it on its last line, rewritten
   * in place, with the seconds since then. Any other output gets it as lines, at most one in `LINE_EVERY_MS`.
   */
  progress(text: string | undefined): void;
}

const LINE_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 500;
/** Where the output does not say, or says 0, as some pseudo-terminals do. */
const DEFAULT_COLUMNS = 80;
const ERASE_LINE = '\r\x1b[2K';

/**
 * @param output default the process's standard output
 * @param signal ends what is being done: from then on only lines that stay are written
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

  const timer = setInterval(show, LOOK_EVERY_MS);
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

/** What is being done, and for how many whole seconds, from the first on. */
function progressText(text: string, elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  return seconds === 0 ? `${text} …` : `${text} … ${seconds} s`;
}

/** A line that wraps could not be erased. */
function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
}
