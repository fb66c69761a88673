import { randomUUID } from 'node:crypto';

/**
 * The event that a rule with a schedule hands its target when the target sets no input of its own.
 *
 * @param scheduledAt epoch milliseconds; the event has whole seconds
 */
export function scheduledEvent(
  rule: { arn: string; accountId: string; region: string },
  scheduledAt: number,
): Record<string, unknown> {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: rule.accountId,
    time: `${new Date(scheduledAt).toISOString().slice(0, 19)}Z`,
    region: rule.region,
    resources: [rule.arn],
    detail: {},
  };
}
