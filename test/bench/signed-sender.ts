import { createHash, createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { OtherMarketplace } from '../run/connector-run.ts';

const ATTEMPTS = 10;
const RETRY_MS = 1000;

/**
 * Sends one bulk request as a short script does: signed as §5 of the spec says, paced to `requestsPerSecond`, and sent
 * again after a second when the marketplace refuses it temporarily.
 */
export function createSignedSender(
  { baseUrl, partnerClientId, partnerSecretKey }: OtherMarketplace,
  store: { storeClientId: string; storeToken: string },
  requestsPerSecond: number,
) {
  let nextAt = 0;
  const ownTurn = async () => {
    const at = Math.max(Date.now(), nextAt);
    nextAt = at + 1000 / requestsPerSecond;
    await pause(at - Date.now());
  };
  const signed = (method: string, path: string, body: string) => {
    const headers = {
      'x-partner-client-id': partnerClientId,
      'x-store-client-id': store.storeClientId,
      'x-store-token': store.storeToken,
      'x-timestamp': String(Date.now()),
    };
    const bodyHash = createHash('sha256').update(body).digest('hex');
    const canonical = [
      method,
      path,
      ...Object.entries(headers).map(([name, value]) => `${name}:${value}`),
      bodyHash,
    ];
    const signature = createHmac('sha256', partnerSecretKey).update(canonical.join('\n')).digest('hex');
    return { ...headers, 'x-signature': `sha256=${signature}`, 'content-type': 'application/json' };
  };

  return async (path: string, items: readonly object[]): Promise<void> => {
    const body = JSON.stringify({ items });
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      await ownTurn();
      const answer = await fetch(`${baseUrl}/api/v1${path}`, {
        method: 'PATCH',
        headers: signed('PATCH', path, body),
        body,
      });
      const text = await answer.text();
      if (answer.ok) return;
      if (answer.status !== 429 && answer.status < 500) throw new Error(`${answer.status} ${text}`);
      await pause(RETRY_MS);
    }
    throw new Error(`PATCH ${path} was refused ${ATTEMPTS} times`);
  };
}
