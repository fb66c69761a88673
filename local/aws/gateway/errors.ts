import type { Refusal, RefusalCode } from '../sigv4/refusal.ts';
import { AwsError, type AwsResponse, type AwsService } from './messages.ts';

const jsonRefusals: Readonly<Record<RefusalCode, string>> = {
  MissingAuthentication: 'MissingAuthenticationTokenException',
  IncompleteSignature: 'IncompleteSignatureException',
  WrongService: 'InvalidSignatureException',
  UnrecognizedClient: 'UnrecognizedClientException',
  Expired: 'InvalidSignatureException',
  NotYetValid: 'InvalidSignatureException',
  PayloadMismatch: 'InvalidSignatureException',
  SignatureMismatch: 'InvalidSignatureException',
};

const s3Refusals: Readonly<Record<RefusalCode, string>> = {
  MissingAuthentication: 'AccessDenied',
  IncompleteSignature: 'AuthorizationHeaderMalformed',
  WrongService: 'AuthorizationHeaderMalformed',
  UnrecognizedClient: 'InvalidAccessKeyId',
  Expired: 'AccessDenied',
  NotYetValid: 'RequestTimeTooSkewed',
  PayloadMismatch: 'XAmzContentSHA256Mismatch',
  SignatureMismatch: 'SignatureDoesNotMatch',
};

/** The error with which a service refuses a signature. */
export function signatureError(refusal: Refusal, protocol: AwsService['protocol']): AwsError {
  return protocol === 's3'
    ? new AwsError(
        s3Refusals[refusal.code],
        refusal.message,
        refusal.code === 'IncompleteSignature' ? 400 : 403,
      )
    : new AwsError(jsonRefusals[refusal.code], refusal.message, protocol === 'query' ? 403 : 400);
}

/** An error in the form of the service's protocol. */
export function errorResponse(
  error: AwsError,
  protocol: AwsService['protocol'],
  requestId: string,
): AwsResponse {
  if (protocol === 'json') {
    const denied = error.code === 'AccessDenied';
    const code = denied ? 'AccessDeniedException' : error.code;
    return {
      status: denied ? 400 : error.status,
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-errortype': code },
      body: JSON.stringify({ __type: code, message: error.message }),
    };
  }
  const fields = `<Code>${escapeXml(error.code)}</Code><Message>${escapeXml(error.message)}</Message>`;
  const body =
    protocol === 's3'
      ? `<Error>${fields}<RequestId>${requestId}</RequestId></Error>`
      : `<ErrorResponse><Error><Type>Sender</Type>${fields}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`;
  return {
    status: error.status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
  };
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
