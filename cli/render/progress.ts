import type { Context } from '../context.ts';

/** How far a work is. Disposing ends the display. */
export interface Progress extends Disposable {
  show(text: string): void;
}

/** Shows progress on standard error: on one line of a terminal, as lines elsewhere, and not at all with `--json`. */
export function startProgress(
  { terminal, isJson }: Pick<Context, 'terminal' | 'isJson'>,
  text: string,
): Progress {
  let shown = '';
  const show = (next: string) => {
    if (!isJson && next !== shown) terminal.progress(next);
    shown = next;
  };
  show(text);
  return { show, [Symbol.dispose]: () => isJson || terminal.progress() };
}
