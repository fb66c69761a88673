import type { SandboxRequest } from '../sandbox-controls.ts';
import { type ActivityLine, counted } from './activity-line.ts';

const FIRST_ERROR_STATUS = 400;

/** The line of a request to the marketplace and its answer. */
export function requestLine(request: SandboxRequest): ActivityLine {
  const { method, path, storeClientId, items, status, errorCode } = request;
  const parts = [
    ...(storeClientId === null ? [] : [storeClientId]),
    ...(items ? [counted(items, 'row')] : []),
  ].join(', ');
  const answer = status === null ? 'connection cut' : [status, errorCode].filter(Boolean).join(' ');
  const subject = [`${method} ${path}`, parts].filter(Boolean).join(', ');
  return {
    kind: 'request',
    text: `${subject}: ${answer}`,
    isBad: status === null || status >= FIRST_ERROR_STATUS,
  };
}
