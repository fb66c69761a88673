const SHOWN_HEADERS = [
  'x-partner-client-id',
  'x-store-client-id',
  'x-store-token',
  'x-timestamp',
  'x-signature',
  'content-type',
  'user-agent',
];

/** Only this many bytes of a body are kept. */
const MAX_BYTES = 64 * 1024;

/** The request line and headers as received. The store token is masked, as a real one may be sent by mistake. */
export function requestHead(requestLine: string, header: (name: string) => string | undefined): string {
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const value = header(name);
    return value === undefined ? [] : [`${name}: ${name === 'x-store-token' ? '••••' : value}`];
  });
  return [requestLine, ...headers].join('\n');
}

/** The first 64 KiB of a body as text, with a note if it is longer. */
export function excerpt(body: Uint8Array | string): string {
  if (body.length <= MAX_BYTES) return body.toString();
  const bytes = Buffer.from(body);
  return `${bytes.subarray(0, MAX_BYTES).toString()}\n… the first 64 KiB of ${bytes.length} bytes`;
}
