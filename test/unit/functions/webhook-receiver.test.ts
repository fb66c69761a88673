import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { beforeEach, expect, test, vi } from 'vitest';
import { signRequest } from '../../../shared/marketplace/signing.ts';
import { contextOf, countedMetrics, NOW, setStage, start } from './invocation.ts';

vi.mock('../../../shared/aws/partner-secret.ts', () => ({
  createPartnerSecret: () => ({ webhookSecrets: async () => ['secret'] }),
}));
vi.mock('../../../shared/aws/archive-bucket.ts', () => ({
  createSummaryArchive: () => ({ put: async () => 'webhooks/1.json' }),
}));
vi.mock('../../../shared/aws/queue-sender.ts', () => ({
  createQueueSender: () => ({ send: async () => {} }),
}));

const path = '/webhooks/marketplace';
/** Bytes that are not text and would change in text form. */
const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);

beforeEach(async () => {
  const clear = setStage();
  await countedMetrics();
  return clear;
});

/** The status of the answer to a webhook signed at this time. */
async function answerTo(signedAt: number): Promise<number | undefined> {
  const handler = await start(() => import('../../../functions/webhook-receiver/handler.ts'));
  const headers = signRequest('secret', {
    method: 'POST',
    path,
    body,
    partnerClientId: 'partner',
    timestamp: signedAt,
  });
  const event = {
    rawPath: path,
    routeKey: `POST ${path}`,
    headers,
    body: body.toString('base64'),
    isBase64Encoded: true,
    requestContext: { requestId: 'r-1', http: { method: 'POST' } },
  } as unknown as APIGatewayProxyEventV2;
  const answer = (await handler(event, contextOf(10_000))) as APIGatewayProxyStructuredResultV2;
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
