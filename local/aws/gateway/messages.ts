import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Principal } from '../model.ts';

/** A call of an AWS API whose signature has been verified. */
export interface AwsRequest {
  readonly method: string;
  /** Path and query as they came, undecoded. */
  readonly rawPath: string;
  readonly rawQuery: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly principal: Principal;
  readonly requestId: string;
  /** Whether the caller has disconnected, so that it will not receive the answer. */
  gone(): boolean;
}

export interface AwsResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer | string | Readable;
}

/** An AWS service behind the gateway. It authorizes its requests, because only it knows their resources. */
export interface AwsService {
  /** How the service writes errors. */
  readonly protocol: 'json' | 's3' | 'query';
  handle(request: AwsRequest): Promise<AwsResponse>;
}

/** An error that goes to the caller in the form of the service's protocol. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** An answer of a JSON protocol (1.0 or 1.1 alike). */
export function jsonResponse(value: unknown): AwsResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/x-amz-json-1.1' },
    body: JSON.stringify(value),
  };
}

/** The operation of a JSON protocol request: the text behind the dot of `X-Amz-Target`. */
export function jsonOperation(request: AwsRequest): string {
  const target = request.headers['x-amz-target'];
  const operation = typeof target === 'string' ? target.split('.').at(-1) : undefined;
  if (!operation) {
    throw new AwsError(
      'InvalidAction',
      'The request names no operation (X-Amz-Target): this endpoint speaks the AWS JSON protocol, as SDKs and AWS CLIs from November 2023 on do',
    );
  }
  return operation;
}

/**
 * The body of a JSON protocol request.
 *
 * @throws AwsError SerializationException when it is not a JSON object.
 */
export function jsonBody(request: AwsRequest): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(request.body.toString('utf8') || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Falls through to the same answer as for a JSON value that is not an object.
  }
  throw new AwsError('SerializationException', 'The body is not a JSON object');
}
