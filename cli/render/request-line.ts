import type { RequestStep } from '../requests/request-step.ts';
import type { Terminal } from '../terminal.ts';
import { counted } from './words.ts';

/** A request or its answer on one line: time, direction, call, store, and rows or status. */
export function requestLine(
  { what, time, request }: RequestStep,
  { style }: Pick<Terminal, 'style'>,
): string {
  const { method, path, storeClientId, items, status, errorCode } = request;
  const call = `${method} ${path}  ${storeClientId ?? '-'}`;
  const at = time.slice(11, 19);
  if (what === 'request')
    return [style('dim', `${at} →`), call, items ? counted(items, 'row') : ''].join(' ').trimEnd();
  const isRefused = (status ?? 0) >= 400;
  const outcome = [status, errorCode].filter((part) => part !== null).join(' ');
  return `${style('dim', `${at} ←`)} ${call} ${style(isRefused ? 'red' : 'green', outcome)}`;
}
