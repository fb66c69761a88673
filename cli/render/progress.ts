import type { Context } from '../context.ts';

/** How far a work is. Disposing ends the display. */
export interface Progress extends Disposable {
  show(text: string): void;
}

/**
 * Shows progress on standard error: on one line of a terminal, as lines elsewhere, and not at all with `--json`.
 *
 * @param text for a terminal, until there is progress
 */
export function startProgress(
  { terminal: { progressLine, note }, isJson }: Pick<Context, 'terminal' | 'isJson'>,
  text: string,
): Progress {
  if (isJson) return { show: () => {}, [Symbol.dispose]: () => {} };
  let shown = '';
  progressLine?.(text);
  return {
    show(next) {
      if (next !== shown) (progressLine ?? note)(next);
      shown = next;
    },
    [Symbol.dispose]: () => progressLine?.(),
  };
}
