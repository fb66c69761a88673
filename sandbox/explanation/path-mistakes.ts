import type { SignedRequest } from '../signing.ts';
import type { Mistake } from './base-parts.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Mistakes in the first two lines: the method and the path. */
export function pathMistakes(request: SignedRequest): Mistake[] {
  const query = request.path.includes('?') ? request.path.slice(request.path.indexOf('?')) : '';
  return [
    path('The path was signed with its query string.', (value) => `${value}${query}`),
    path('The path was signed with the /api/v1 prefix.', (value) => `/api/v1${value}`),
    path('The path was signed in uppercase.', (value) => value.toUpperCase()),
    path('The path was signed in lowercase.', (value) => value.toLowerCase()),
    path('The path was signed without /partner at its start.', (value) => value.replace(/^\/partner/, '')),
    path('The path was signed without its first slash.', (value) => value.replace(/^\//, '')),
    path('The path was signed with a slash at its end.', (value) => `${value}/`),
    path('The path was signed decoded; sign it as it is sent, percent-encoding included.', decoded),
    path('The path was percent-encoded twice before it was signed.', (value) => value.replaceAll('%', '%25')),
    {
      sentence: 'The method was signed in lowercase.',
      change: (parts) => ({ ...parts, method: parts.method.toLowerCase() }),
    },
    ...METHODS.filter((method) => method !== request.method.toUpperCase()).map((method) => ({
      sentence: `The request was signed as ${method} and sent as ${request.method}.`,
      change: (parts: Parameters<Mistake['change']>[0]) => ({ ...parts, method }),
    })),
  ];
}

function path(sentence: string, change: (path: string) => string): Mistake {
  return { sentence, change: (parts) => ({ ...parts, path: change(parts.path) }) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
