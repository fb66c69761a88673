import { expect, test } from 'vitest';
import { errorResponse, signatureError } from '../../../../local/aws/gateway/errors.ts';
import { AwsError } from '../../../../local/aws/gateway/messages.ts';
import { refuse } from '../../../../local/aws/sigv4/refusal.ts';

const denied = new AwsError('AccessDenied', 'a < b & c', 403);

test('a JSON service writes the error code in the body and in a header', () => {
  expect(errorResponse(denied, 'json', 'id')).toMatchObject({
    status: 400,
    headers: { 'x-amzn-errortype': 'AccessDeniedException' },
    body: '{"__type":"AccessDeniedException","message":"a < b & c"}',
  });
});

test.each([['s3'], ['query']] as const)(
  '%s writes errors in XML with special characters escaped',
  (protocol) => {
    const { status, body } = errorResponse(denied, protocol, 'id');
    expect(status).toBe(403);
    expect(body).toContain('<Code>AccessDenied</Code><Message>a &lt; b &amp; c</Message>');
  },
);

test.each([
  ['json', 'SignatureMismatch', 'InvalidSignatureException', 400],
  ['json', 'UnrecognizedClient', 'UnrecognizedClientException', 400],
  ['s3', 'SignatureMismatch', 'SignatureDoesNotMatch', 403],
  ['s3', 'UnrecognizedClient', 'InvalidAccessKeyId', 403],
  ['query', 'Expired', 'InvalidSignatureException', 403],
] as const)('%s answers a refused signature for %s with %s', (protocol, refusal, code, status) => {
  expect(signatureError(refuse(refusal, 'why'), protocol)).toMatchObject({ code, status, message: 'why' });
});
