import { createHash, createHmac } from 'node:crypto';
import type { LocalRun } from '../../../local/aws/index.ts';

/** Posts a final summary of one accepted row to the stack's webhook, signed as §5 has it; gives the status. */
export async function postSummary(
  { outputs }: LocalRun,
  { batchId, storeClientId, secret }: { batchId: string; storeClientId: string; secret: string },
): Promise<number> {
  const body = JSON.stringify({
    event: 'catalog.sync.completed',
    batchId,
    storeClientId,
    summary: { total: 1, failed: 0, pending: 0 },
    acceptedRows: [{ rowIndex: 0 }],
    errors: [],
  });
  const partner = 'x-partner-client-id';
  const timestamp = String(Date.now());
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const signed = ['POST', '/webhooks/marketplace', `${partner}:sandbox-partner`, `x-timestamp:${timestamp}`];
  const signature = createHmac('sha256', secret)
    .update([...signed, bodyHash].join('\n'))
    .digest('hex');
  const answer = await fetch(outputs.WebhookUrl ?? '', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [partner]: 'sandbox-partner',
      'x-timestamp': timestamp,
      'x-signature': `sha256=${signature}`,
    },
    body,
  });
  return answer.status;
}
