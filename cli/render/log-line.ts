import { isObject, parseJson } from '../../shared/collections/parse-json.ts';
import { oneLine } from '../../shared/collections/visible.ts';
import type { LogLine } from '../logs/read-logs.ts';
import type { Style, Terminal } from '../terminal.ts';

const STYLES: Readonly<Record<string, Style>> = { WARN: 'yellow', ERROR: 'red', CRITICAL: 'red' };
/** Fields of every line that say nothing about the work. */
const LEFT_OUT = new Set(['level', 'message', 'timestamp', 'service', 'cold_start', 'xray_trace_id']);

/** A log line with its time and level, its message, and its fields. A line that is no JSON has its text. */
export function logLine({ at, text }: LogLine, { style }: Pick<Terminal, 'style'>): string {
  const time = new Date(at).toISOString().slice(11, 23);
  const fields = parseJson(text);
  if (!isObject(fields)) return oneLine(`${time} ${text.trimEnd()}`);
  const { level = '', message = '' } = fields;
  const facts = Object.entries(fields)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const name = String(level);
  const shown = STYLES[name] === undefined ? name : style(STYLES[name], name);
  return oneLine([time, shown, message, ...facts].filter(Boolean).join(' '));
}
