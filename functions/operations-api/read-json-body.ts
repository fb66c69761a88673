import { HttpError, type HttpRequest } from '../../shared/lambda/http-handler.ts';

/** Largest body that a route takes, in bytes: what fits one queue message with room for the event around it. */
const MAX_BODY_BYTES = 1_000_000;

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;
/** What curl calls the data it sends when nobody says what they are. */
const CURL_DEFAULT_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/**
 * Reads a request's body as JSON.
 *
 * @throws HttpError 413 `BODY_TOO_LARGE`, 415 `CONTENT_TYPE_UNKNOWN`, 400 `BODY_NOT_JSON`
 */
export function readJsonBody({ rawBody, headers }: Pick<HttpRequest, 'rawBody' | 'headers'>): unknown {
  if (rawBody.byteLength > MAX_BODY_BYTES) {
    throw new HttpError(413, 'BODY_TOO_LARGE', `the body has more than ${MAX_BODY_BYTES} bytes`);
  }
  const type = headers['content-type'] ?? 'application/json';
  const body = parse(rawBody);
  const isTaken = JSON_TYPE.test(type) || (CURL_DEFAULT_TYPE.test(type) && body !== undefined);
  if (!isTaken) throw new HttpError(415, 'CONTENT_TYPE_UNKNOWN', 'the content type is not application/json');
  if (body === undefined) throw new HttpError(400, 'BODY_NOT_JSON', 'the body is not JSON');
  return body;
}

function parse(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(rawBody).toString('utf8'));
  } catch {
    return undefined;
  }
}
