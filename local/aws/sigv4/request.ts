/** Headers with lower-case names, as in Node's `IncomingMessage.headers`. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An HTTP request as received: nothing is decoded or normalized. */
export interface SigV4Request {
  method: string;
  /** The path as sent, percent-encoded, without the query. */
  rawPath: string;
  /** The query as sent, without the question mark; empty when there is none. */
  rawQuery: string;
  headers: RequestHeaders;
  body: Uint8Array;
  /** When given, a signature made for another service is refused. */
  service?: string;
}

/** One header's value, values of a repeated header joined as they are signed. */
export function headerValue(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : (value as string | undefined);
}
