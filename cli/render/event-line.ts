import { oneLine } from '../../shared/collections/visible.ts';
import { EVENT_SOURCE } from '../../shared/settings/stack-rules.ts';
import type { BusEvent } from '../bus/subscription.ts';
import type { Terminal } from '../terminal.ts';

const ELLIPSIS = '…';

/** An event on one line that fits the terminal: time, direction, detail-type, store, and its detail. */
export function eventLine(
  { time, source, 'detail-type': type, detail }: BusEvent,
  { width, style }: Pick<Terminal, 'width' | 'style'>,
): string {
  const { storeClientId = '-', ...rest } = detail;
  const isOut = source === EVENT_SOURCE;
  const store = typeof storeClientId === 'string' ? storeClientId : JSON.stringify(storeClientId);
  const start = oneLine(`${time.slice(11, 19)} ${isOut ? '◄' : '►'} ${type}  ${store}  `);
  const left = Math.max(1, width - start.length);
  const facts = JSON.stringify(rest);
  const shown = facts.length > left ? `${facts.slice(0, left - 1)}${ELLIPSIS}` : facts;
  return `${style(isOut ? 'green' : 'cyan', start)}${shown}`;
}
