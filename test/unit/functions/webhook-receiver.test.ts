import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../../../shared/aws/clients.ts';
import { signRequest } from '../../../shared/marketplace/signing.ts';
import { contextOf, countedMetrics, NOW, setStage, start } from './invocation.ts';

/** The clients of AWS, with their pace. */
const clients = vi.hoisted((): Record<string, Parameters<typeof limits>[0] | undefined> => ({}));
// Modules are shared with later files, which must not get those that were loaded with mocks.
afterAll(() => void vi.resetModules());

vi.mock('../../../shared/aws/clients.ts', async (load) => {
  const creator = (name: string) => (pace?: Parameters<typeof limits>[0]) => {
    clients[name] = pace;
  };
  return {
    ...(await load<object>()),
    s3Client: creator('s3'),
    sqsClient: creator('sqs'),
    secretsClient: creator('secrets'),
  };
});
vi.mock('../../../shared/aws/partner-secret.ts', () => ({
  createPartnerSecret: () => ({ webhookSecrets: async () => ['secret'] }),
  createSecretReader: () => async () => '',
}));
vi.mock('../../../shared/aws/archive-bucket.ts', () => ({
  createSummaryArchive: () => ({ put: async () => 'webhooks/1.json' }),
}));
vi.mock('../../../shared/aws/queue-sender.ts', () => ({
  createQueueSender: () => {},
  createSummaryQueue: () => ({ send: async () => {} }),
}));

const path = '/webhooks/marketplace';
/** Bytes that are not text and would change in text form. */
const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);

/** Of the function. */
const TIME_LIMIT_MS = 10_000;

let counted: Map<string, number>;

beforeEach(async () => {
  const clear = setStage();
  counted = await countedMetrics();
  return clear;
});

/** The status of the answer to a webhook signed at this time. */
function answerTo(signedAt: number): Promise<number | undefined> {
  return answerToHeaders(headersOf(signedAt));
}

function headersOf(timestamp: number): Record<string, string> {
  return signRequest('secret', { method: 'POST', path, body, partnerClientId: 'partner', timestamp });
}

async function answerToHeaders(
  headers: Readonly<Record<string, string>>,
  sent = body,
): Promise<number | undefined> {
  const handler = await start(() => import('../../../functions/webhook-receiver/handler.ts'));
  const event = {
    rawPath: path,
    routeKey: `POST ${path}`,
    headers,
    body: sent.toString('base64'),
    isBase64Encoded: true,
    requestContext: { requestId: 'r-1', http: { method: 'POST' } },
  } as unknown as APIGatewayProxyEventV2;
  const answer = (await handler(event, contextOf(TIME_LIMIT_MS))) as APIGatewayProxyStructuredResultV2;
  return answer.statusCode;
}

test.each([
  ['290 s ago is accepted', -290_000, 202],
  ['290 s ahead is accepted', 290_000, 202],
  ['310 s ago is refused', -310_000, 401],
  ['310 s ahead is refused', 310_000, 401],
])('a webhook signed %s', async (_, ms, status) => {
  expect(await answerTo(NOW + ms)).toBe(status);
});

test('a call of AWS that hangs leaves the webhook-receiver time to repeat it twice', async () => {
  await answerTo(NOW);
  expect(clients).toEqual({ s3: 'prompt', sqs: 'prompt', secrets: 'prompt' });
  expect(3 * limits('prompt').requestHandler.requestTimeout).toBeLessThan(TIME_LIMIT_MS);
});

const tooLarge = Buffer.alloc(4 * 1024 * 1024 + 1, ' ');
const standardHeaders = { 'webhook-id': 'm-1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };

test.each([
  ['is taken', headersOf(NOW), body, 202, {}],
  ['is signed with a wrong time', headersOf(NOW - 310_000), body, 401, { WebhooksRefused: 1 }],
  ['is signed by a scheme that is not set', standardHeaders, body, 401, { WebhooksRefused: 1 }],
  ['is signed and too large', headersOf(NOW), tooLarge, 413, { WebhooksRefused: 1 }],
  ['is not signed', {}, body, 401, { WebhooksUnsigned: 1 }],
  ['is not signed and too large', {}, tooLarge, 413, { WebhooksUnsigned: 1 }],
])('a webhook that %s counts as such', async (_, headers, sent, status, metrics) => {
  expect(await answerToHeaders(headers, sent)).toBe(status);
  expect(Object.fromEntries(counted)).toEqual(metrics);
});
