import type { ReceivedWebhook } from '../../shared/marketplace/webhooks/verification.ts';
import { usageError } from '../errors.ts';

const REQUEST_LINE = /^(?<method>[A-Z]+) (?<path>\/\S*)(?: HTTP\/[\d.]+)?$/;

/** The body without what an editor adds to a file: a line break behind the length that the request says. */
function bodyOf(bytes: Buffer, headers: Readonly<Record<string, string>>): Buffer {
  const [, length] = Object.entries(headers).find(([name]) => /^content-length$/i.test(name)) ?? [];
  const isAdded = length !== undefined && /^[\r\n]+$/.test(bytes.subarray(Number(length)).toString('latin1'));
  return isAdded ? bytes.subarray(0, Number(length)) : bytes;
}

/**
 * Reads an HTTP request: request line, headers, an empty line, and the body, whose bytes stay as they are. Lines end with
 * LF or CRLF.
 *
 * @throws CliError if the text is no HTTP request
 */
export function readRequest(content: Buffer): ReceivedWebhook {
  const end = /\r?\n\r?\n/.exec(content.toString('latin1'));
  if (end === null) throw usageError('the file has no empty line between headers and body');
  const [first = '', ...lines] = content.subarray(0, end.index).toString('latin1').split(/\r?\n/);
  const { method, path } = REQUEST_LINE.exec(first)?.groups ?? {};
  if (method === undefined || path === undefined)
    throw usageError(
      `the file must begin with a request line, such as POST /webhooks/marketplace HTTP/1.1, not ${first}`,
    );
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
  return { method, path, headers, rawBody: bodyOf(content.subarray(end.index + end[0].length), headers) };
}
