import type { ApiCall } from '../../aws/index.ts';
import type { ActivityLine } from './activity-line.ts';

const FIRST_ERROR_STATUS = 400;

/** The line of a call of the stack's HTTP API; none for a successful read. */
export function callLines({ method, path, status }: ApiCall): ActivityLine[] {
  const isBad = status >= FIRST_ERROR_STATUS;
  if (method === 'GET' && !isBad) return [];
  return [{ kind: 'call in', text: `${method} ${path}: ${status}`, isBad }];
}
