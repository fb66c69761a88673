import { oneLine } from '../../../shared/collections/visible.ts';
import type { Paint, Style } from '../terminal/terminal.ts';

/** A line on the screen about something that happened. */
export interface ActivityLine {
  readonly kind:
    | 'event in'
    | 'not taken'
    | 'file in'
    | 'call in'
    | 'request'
    | 'batch'
    | 'rejected'
    | 'event out'
    | 'failed';
  readonly text: string;
  /** Whether to show the line in red. */
  readonly isBad: boolean;
}

const KIND_WIDTH = 'event out'.length;

const kindStyles: Readonly<Record<ActivityLine['kind'], Style>> = {
  'event in': 'cyan',
  'not taken': 'red',
  'file in': 'cyan',
  'call in': 'cyan',
  request: 'blue',
  batch: 'green',
  rejected: 'red',
  'event out': 'magenta',
  failed: 'red',
};

/** @param time time of the event, shown as local time */
export function formatActivity({ kind, text, isBad }: ActivityLine, time: Date, paint: Paint): string {
  const clock = time.toTimeString().slice(0, 8);
  const label = paint(isBad ? 'red' : kindStyles[kind], kind.padEnd(KIND_WIDTH));
  return `${paint('dim', clock)} ${label} ${oneLine(text.replace(/\s*\n\s*/g, ' '))}`;
}

/** `1 row`, `2 rows` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
