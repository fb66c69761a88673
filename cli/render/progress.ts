import { progress } from '@clack/prompts';
import type { Context } from '../context.ts';

/** How far a work is. Disposing ends the display. */
export interface Progress extends Disposable {
  /** @param done of the maximum that was given at the start */
  show(done: number, text: string): void;
}

/** Shows progress as a bar in a terminal, as lines on standard error elsewhere, and not at all with `--json`. */
export function startProgress(
  { terminal, isJson }: Pick<Context, 'terminal' | 'isJson'>,
  { max, text }: { max: number; text: string },
): Progress {
  const bar = terminal.isInteractive && !isJson ? progress({ max }) : undefined;
  bar?.start(text);
  let shown = { done: 0, text: '' };
  return {
    show(done, next) {
      if (bar !== undefined) bar.advance(done - shown.done, next);
      else if (!isJson && next !== shown.text) terminal.note(next);
      shown = { done, text: next };
    },
    [Symbol.dispose]: () => bar?.stop(shown.text),
  };
}
