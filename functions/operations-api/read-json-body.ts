import { parseJson } from '../../shared/collections/parse-json.ts';
import { HttpError, type HttpRequest } from '../../shared/lambda/http-handler.ts';

/** Largest body that a route takes unless it says otherwise, in bytes: one queue message with the event around it. */
const MAX_EVENT_BODY_BYTES = 1_000_000;

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;
/** What curl calls the data it sends when nobody says what they are. */
const CURL_DEFAULT_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/**
 * Reads a request's body of at most `maxBytes` as JSON.
 *
 * @throws HttpError 413 `BODY_TOO_LARGE`, 415 `CONTENT_TYPE_UNKNOWN`, 400 `BODY_NOT_JSON`
 */
export function readJsonBody(
  { rawBody, headers }: Pick<HttpRequest, 'rawBody' | 'headers'>,
  maxBytes = MAX_EVENT_BODY_BYTES,
): unknown {
  if (rawBody.byteLength > maxBytes) {
    throw new HttpError(413, 'BODY_TOO_LARGE', `the body has more than ${maxBytes} bytes`);
  }
  const type = headers['content-type'] ?? 'application/json';
  const body = parseJson(Buffer.from(rawBody).toString('utf8'));
  const isTaken = JSON_TYPE.test(type) || (CURL_DEFAULT_TYPE.test(type) && body !== undefined);
  if (!isTaken) throw new HttpError(415, 'CONTENT_TYPE_UNKNOWN', 'the content type is not application/json');
  if (body === undefined)
    throw new HttpError(400, 'BODY_NOT_JSON', 'the body is not JSON, or nests too deep');
  return body;
}
