import { headerValue, type RequestHeaders, type SigV4Request } from './request.ts';

/**
 * The canonical request of Signature Version 4, rebuilt from the received request.
 *
 * @throws URIError when the path or the query holds malformed percent-encoding
 */
export function canonicalRequest(
  request: Pick<SigV4Request, 'method' | 'rawPath' | 'rawQuery' | 'headers'>,
  options: { service: string; signedHeaders: readonly string[]; payloadHash: string },
): string {
  return [
    request.method,
    options.service === 's3' ? storagePath(request.rawPath) : normalizedPath(request.rawPath),
    canonicalQuery(request.rawQuery),
    ...options.signedHeaders.map((name) => `${name}:${canonicalValue(request.headers, name)}`),
    '',
    options.signedHeaders.join(';'),
    options.payloadHash,
  ].join('\n');
}

/** S3 keys are not normalized: they are encoded once, and `a//b` and `a/../b` are separate keys. */
function storagePath(rawPath: string): string {
  return rawPath
    .split('/')
    .map((segment) => encode(decodeURIComponent(segment)))
    .join('/');
}

/** Every other service normalizes the path, and encodes the encoded path once more. */
function normalizedPath(rawPath: string): string {
  const segments: string[] = [];
  for (const segment of rawPath.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(encode(segment));
  }
  const trailing = segments.length > 0 && rawPath.endsWith('/') ? '/' : '';
  return `/${segments.join('/')}${trailing}`;
}

function canonicalQuery(rawQuery: string): string {
  return rawQuery
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const name = equals < 0 ? pair : pair.slice(0, equals);
      const value = equals < 0 ? '' : pair.slice(equals + 1);
      return { name: encode(decodeQuery(name)), value: encode(decodeQuery(value)) };
    })
    .filter(({ name }) => name !== 'X-Amz-Signature')
    .sort((a, b) => compare(a.name, b.name) || compare(a.value, b.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
}

function canonicalValue(headers: RequestHeaders, name: string): string {
  return (headerValue(headers, name) ?? '').trim().replace(/\s+/g, ' ');
}

function decodeQuery(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** RFC 3986: `encodeURIComponent` leaves five reserved characters alone. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Sorts by code point of the encoded ASCII text; a locale's order would differ. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
