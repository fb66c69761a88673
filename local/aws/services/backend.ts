import { Pool } from 'undici';
import type { AwsRequest, AwsResponse } from '../gateway/messages.ts';
import { account } from '../template/account.ts';

/** A server on loopback behind a service; it receives only authorized requests. */
export interface Backend {
  /** Passes a request on unchanged. The answer's body is whole for JSON, a stream otherwise. */
  forward(
    request: Pick<AwsRequest, 'method' | 'rawPath' | 'rawQuery' | 'headers' | 'body'>,
  ): Promise<AwsResponse>;
  /** Makes one call of a JSON protocol for the run itself. Returns the parsed body; throws an error answer. */
  json<T>(target: string, input: unknown, signal?: AbortSignal): Promise<T>;
  /** Closes the connections after the open answers have come: a server that is stopped during a request may fail. */
  close(): Promise<void>;
  /** Closes the connections without waiting for answers: a long poll gets its answer only after a long time. */
  destroy(): Promise<void>;
}

/** More connections than functions call at once. An idle connection costs nothing. */
const connections = 128;

/** Headers that belong to one hop, or that the backend must not act on. */
const dropped = new Set([
  'host',
  'connection',
  'authorization',
  'expect',
  'transfer-encoding',
  'keep-alive',
  'x-amz-security-token',
]);

/** @param accessKeyId default `local`. DynamoDB Local keeps separate tables for each access key ID. */
export function createBackend(url: string, scope: string, accessKeyId = 'local'): Backend {
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const authorization = fixedAuthorization(scope, accessKeyId);

  return {
    async forward({ method, rawPath, rawQuery, headers, body }) {
      const passed: Record<string, string | string[]> = { ...authorization };
      for (const [name, value] of Object.entries(headers)) {
        if (value !== undefined && !dropped.has(name)) passed[name] = value;
      }
      const response = await pool.request({
        method: method as 'GET',
        path: rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`,
        headers: passed,
        body: body.length > 0 ? body : null,
      });
      const kept = Object.entries(response.headers).filter(
        ([name, value]) => value !== undefined && !dropped.has(name),
      );
      return {
        status: response.statusCode,
        headers: Object.fromEntries(kept) as AwsResponse['headers'],
        body: isJson(response.headers['content-type'])
          ? Buffer.from(await response.body.arrayBuffer())
          : response.body,
      };
    },

    async json<T>(target: string, input: unknown, signal?: AbortSignal): Promise<T> {
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/',
        headers: { ...authorization, 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target },
        body: JSON.stringify(input),
        signal: signal ?? null,
      });
      const answer: unknown = await body.json();
      if (statusCode !== 200) throw new Error(`${target} answered ${statusCode}: ${JSON.stringify(answer)}`);
      return answer as T;
    },

    close: () => pool.close(),
    destroy: () => pool.destroy(),
  };
}

/**
 * A placeholder signature. The backends require the form of a signature and read the region from it; the real signature was verified
 * before.
 */
function fixedAuthorization(scope: string, accessKeyId: string): Record<string, string> {
  const credential = `${accessKeyId}/20260101/${account.region}/${scope}/aws4_request`;
  return {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=checked-before`,
    'x-amz-date': '20260101T000000Z',
  };
}

function isJson(contentType: string | string[] | undefined): boolean {
  return typeof contentType === 'string' && contentType.startsWith('application/x-amz-json');
}
