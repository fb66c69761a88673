import * as z from 'zod';
import type { EpochMs } from '../../time/times.ts';
import { signRequest } from '../signing.ts';
import { signStandardWebhook } from './verification.ts';

const EVENT = 'connector.self-test';

const selfTestSchema = z.object({ event: z.literal(EVENT), id: z.string() });

/** A webhook to send: its body, and the headers that sign it. */
export const signedSelfTestSchema = z.object({
  id: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type SignedSelfTest = z.infer<typeof signedSelfTestSchema>;

/**
 * Signs, by every scheme, a webhook that a stack recognises and drops. The stack's settings decide which scheme it accepts.
 *
 * @param webhook `path` is the path of the webhook's route
 */
export function signSelfTest(
  secret: string,
  { id, path, partnerClientId, now }: { id: string; path: string; partnerClientId: string; now: EpochMs },
): SignedSelfTest {
  const body = JSON.stringify({ event: EVENT, id });
  const rawBody = Buffer.from(body);
  const headers = {
    'content-type': 'application/json',
    ...signRequest(secret, { method: 'POST', path, body: rawBody, partnerClientId, timestamp: now }),
    ...signStandardWebhook(secret, { id, rawBody, now }),
  };
  return { id, headers, body };
}

/** The ID of a self-test; `undefined` for any other webhook. `body`: as parsed. */
export function selfTestId(body: unknown): string | undefined {
  return selfTestSchema.safeParse(body).data?.id;
}
