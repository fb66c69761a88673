import { bodyHash, type SignedRequest, signedPath } from '../signing.ts';

/** The parts of a base string. A mistake is a change of one part. */
export interface BaseParts {
  method: string;
  path: string;
  headers: readonly (readonly [name: string, value: string])[];
  /** Separator between the name and the value of a header. */
  colon: string;
  /** The last line. */
  hash: string;
  newline: string;
  join(lines: readonly string[], newline: string): string;
}

/** A way to build a wrong base string, and the sentence that names it. */
export interface Mistake {
  sentence: string;
  change(parts: BaseParts): BaseParts;
}

/** The parts of the right base string (§5). */
export function rightParts(request: SignedRequest): BaseParts {
  return {
    method: request.method.toUpperCase(),
    path: signedPath(request.path),
    headers: Object.entries(request.headers).sort(([left], [right]) => (left < right ? -1 : 1)),
    colon: ':',
    hash: bodyHash(request.body),
    newline: '\n',
    join: (lines, newline) => lines.join(newline),
  };
}

export function baseStringOf(parts: BaseParts): string {
  const headers = parts.headers.map(([name, value]) => `${name}${parts.colon}${value}`);
  return parts.join([parts.method, parts.path, ...headers, parts.hash], parts.newline);
}

/** The request with a masked store token, as a real token may have been sent by mistake. */
export function masked(request: SignedRequest): SignedRequest {
  if (request.headers['x-store-token'] === undefined) return request;
  return { ...request, headers: { ...request.headers, 'x-store-token': '••••' } };
}
