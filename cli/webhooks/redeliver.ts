import { signRequest } from '../../shared/marketplace/signing.ts';
import type { ReceivedWebhook } from '../../shared/marketplace/webhooks/verification.ts';
import { CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

const TIMEOUT_MS = 30_000;

/**
 * Sends a received webhook to `url` once more: the same bytes, signed anew, as its old signature is outside of the replay
 * window.
 *
 * @param now epoch ms of the new signature
 * @throws CliError if the webhook names no partner, or if it is refused
 */
export async function redeliver(
  { headers, rawBody }: ReceivedWebhook,
  { url, secret, now }: { url: string; secret: string; now: number },
): Promise<{ status: number }> {
  const partnerClientId = Object.entries(headers).find(([name]) => /^x-partner-client-id$/i.test(name))?.[1];
  if (partnerClientId === undefined)
    throw usageError('the webhook has no header x-partner-client-id: only marketplace-hmac is signed anew');
  const body = Buffer.from(rawBody);
  const path = new URL(url).pathname;
  const signed = signRequest(secret, { method: 'POST', path, body, partnerClientId, timestamp: now });
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (answer.ok) return { status: answer.status };
  throw new CliError(`the stack refused it with status ${answer.status}: ${await answer.text()}`, {
    code: 'WEBHOOK_REFUSED',
    exitCode: EXIT.failed,
    ...(answer.status === 401 && { hint: 'Is it the secret of this stack, and is the clock right?' }),
  });
}
