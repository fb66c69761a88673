import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { refusalOf } from '../../../loopback/refusal.ts';
import { type LoopbackServer, listen } from '../loopback-server.ts';
import type { KnownCredentials } from '../model.ts';
import { verifySigV4 } from '../sigv4/verify.ts';
import { errorResponse, signatureError } from './errors.ts';
import { AwsError, type AwsResponse, type AwsService } from './messages.ts';

/** More than the default part of a multipart upload of any client. */
const maxBodyBytes = 512 * 1024 * 1024;

/**
 * The AWS endpoint: one port for every service. The service is read from the credential scope of the signature, the
 * signature is verified, and the request goes to its service with the principal of the key. Every region is accepted.
 *
 * @param options.services by credential scope (`dynamodb`, `sqs`, `s3`, `events`, …)
 * @param options.onError called for failures of the local run itself, which the caller sees as InternalFailure
 */
export async function startGateway(options: {
  port: number;
  services: ReadonlyMap<string, AwsService>;
  findCredentials: (accessKeyId: string) => KnownCredentials | undefined;
  clock: { now(): number };
  onError: (error: unknown) => void;
}): Promise<LoopbackServer> {
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing, options).catch((error: unknown) => {
      if (!outgoing.destroyed) options.onError(error);
      outgoing.destroy();
    });
  });
  server.keepAliveTimeout = 65_000;
  return listen(server, options.port);
}

type Options = Parameters<typeof startGateway>[0];

async function serve(incoming: IncomingMessage, outgoing: ServerResponse, options: Options): Promise<void> {
  const requestId = randomUUID();
  const name = scopedService(incoming);
  const service = options.services.get(name);
  const protocol = service?.protocol ?? (name === '' ? 's3' : 'json');
  let response: AwsResponse;
  try {
    refuseForeign(incoming);
    const body = await readBody(incoming);
    if (!service) throw unknownService(name);
    response = await call(service, { incoming, outgoing, body, requestId }, options);
  } catch (error) {
    const isCallerGone = incoming.destroyed && !incoming.complete;
    if (isCallerGone) return;
    if (!(error instanceof AwsError)) options.onError(error);
    const known =
      error instanceof AwsError ? error : new AwsError('InternalFailure', 'The local run failed', 500);
    response = errorResponse(known, protocol, requestId);
  }
  await send(response, requestId, incoming, outgoing);
}

/**
 * Refuses requests of web pages. The administrator's credentials are public, so a valid signature does not prove that the caller is no
 * page.
 */
function refuseForeign({ method = 'GET', headers }: IncomingMessage): void {
  const refusal = refusalOf({ method, headers });
  if (refusal !== undefined) throw new AwsError(refusal.code, refusal.message, refusal.status);
}

async function call(
  service: AwsService,
  exchange: { incoming: IncomingMessage; outgoing: ServerResponse; body: Buffer; requestId: string },
  options: Options,
): Promise<AwsResponse> {
  const { incoming, outgoing, body, requestId } = exchange;
  const { method = 'GET', headers, url = '/' } = incoming;
  const [rawPath = '/', ...query] = url.split('?');
  const rawQuery = query.join('?');
  const verified = verifySigV4(
    { method, rawPath, rawQuery, headers, body },
    (accessKeyId) => options.findCredentials(accessKeyId)?.credentials,
    options.clock.now(),
  );
  if (!verified.ok) throw signatureError(verified, service.protocol);
  const principal = options.findCredentials(verified.accessKeyId)?.principal;
  if (!principal) throw new Error(`The access key ${verified.accessKeyId} is verified but has no principal`);
  return service.handle({
    method,
    rawPath,
    rawQuery,
    headers,
    body,
    principal,
    requestId,
    gone: () => outgoing.destroyed,
  });
}

/** The service in the request's credential scope, which is not verified yet. */
function scopedService(incoming: IncomingMessage): string {
  const credential =
    /Credential=([^,\s]+)/.exec(incoming.headers.authorization ?? '')?.[1] ??
    new URLSearchParams(incoming.url?.split('?')[1] ?? '').get('X-Amz-Credential');
  return credential?.split('/').at(-2) ?? '';
}

function unknownService(name: string): AwsError {
  return name === ''
    ? new AwsError('AccessDenied', 'The request is not signed with AWS Signature Version 4', 403)
    : new AwsError('UnknownService', `The local run has no service ${name}`, 400);
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size > maxBodyBytes)
      throw new AwsError('EntityTooLarge', `The body is larger than ${maxBodyBytes} bytes`, 413);
    chunks.push(chunk as Buffer);
  }
  return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks, size);
}

async function send(
  response: AwsResponse,
  requestId: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.statusCode = response.status;
  outgoing.setHeader('x-amzn-requestid', requestId);
  for (const [name, value] of Object.entries(response.headers)) outgoing.setHeader(name, value);
  const { body } = response;
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    if (incoming.method !== 'HEAD') outgoing.setHeader('content-length', Buffer.byteLength(body));
    outgoing.end(incoming.method === 'HEAD' ? undefined : body);
    return;
  }
  await pipeline(body, outgoing);
}
