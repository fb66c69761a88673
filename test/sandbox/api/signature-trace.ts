import { baseString, type SignedRequest } from '../signing.ts';
import type { SignatureTrace } from '../state/request-log.ts';

/** What was sent beside what the server signed, for people to compare. */
export function traceSignature(
  request: SignedRequest,
  signature: string | undefined,
  hint: string,
): SignatureTrace {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const sent = [
    `${request.method} ${request.path}`,
    ...headers,
    `x-signature: ${signature ?? '(missing)'}`,
    '',
    `(${request.body.length} bytes of body)`,
  ].join('\n');
  return { baseString: maskToken(baseString(request)), sent: maskToken(sent), hint };
}

function maskToken(text: string): string {
  return text.replace(/^(x-store-token: ?).*$/m, '$1••••');
}
