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
/** No text: as text it would be of other bytes. */
const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);

beforeEach(async () => {
  const clear = setStage();
  await countedMetrics();
  return clear;
});

/** What a webhook that was signed at this time is answered. */
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
  ['290 s ago', -290_000, 202],
  ['in 290 s, by its own clock,', 290_000, 202],
  ['310 s ago', -310_000, 401],
  ['in 310 s, by its own clock,', 310_000, 401],
])('a webhook whose sender signed its bytes %s', async (_, ms, status) => {
  expect(await answerTo(NOW + ms)).toBe(status);
});
