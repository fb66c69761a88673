import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { expect, vi } from 'vitest';
import { environmentNames } from '../../../shared/settings/environment.ts';

export const NOW = Date.parse('2026-11-21T08:00:00.000Z');

/** The variables that the stack sets for all functions; the numbers differ from all defaults. */
const variables: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.values(environmentNames).map((name) => [name, /_URLS?$/.test(name) ? 'http://127.0.0.1:1' : name]),
  ),
  RECORD_RETENTION_DAYS: '80',
  ARCHIVE_RETENTION_DAYS: '90',
  DOCUMENT_RETENTION_DAYS: '180',
  ORDER_RETENTION_DAYS: '300',
  CHANGE_EVENT_RETENTION_DAYS: '20',
  ITEMS_PER_REQUEST: '70',
  REQUESTS_PER_SECOND: '3',
  REQUESTS_IN_FLIGHT: '4',
  PAGE_SIZE: '60',
  WEBHOOK_VERIFICATION: 'marketplace-hmac',
  PRODUCT_NAMES: 'sku',
  ORDER_NAMES: 'orderId',
  WEBHOOK_REPLAY_WINDOW_SECONDS: '300',
  DOCUMENT_WAIT_MINUTES: '30',
  BATCH_DEADLINE_MINUTES: '12',
  ATTEMPT_LIFETIME_SECONDS: '40',
  CREDENTIALS_RETRY_SECONDS: '50',
  REQUEST_TIMEOUT_SECONDS: '15',
  AWS_REGION: 'eu-central-1',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
  POWERTOOLS_METRICS_DISABLED: 'true',
};

type Handler = (event: unknown, context: Context) => Promise<unknown>;

/**
 * Sets the environment and the time for functions.
 *
 * @returns a function that undoes it
 */
export function setStage(): () => void {
  vi.useFakeTimers({ now: NOW });
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    vi.resetAllMocks();
    vi.restoreAllMocks();
  };
}

/** Starts a function as Lambda does. */
export async function start(load: () => Promise<{ handler: unknown }>): Promise<Handler> {
  const { handler } = await load();
  return handler as Handler;
}

/** The context of an invocation with this many milliseconds left. */
export function contextOf(remainingMs: number): Context {
  return {
    awsRequestId: 'invocation-1',
    functionName: 'function',
    getRemainingTimeInMillis: () => remainingMs,
  } as Context;
}

/** Delivers one message; fails if the function returns it for redelivery. */
export async function deliver(handler: Handler, body: string, remainingMs: number): Promise<void> {
  const attributes = { SentTimestamp: String(NOW - 1_000) };
  const event = { Records: [{ messageId: 'm-1', body, attributes }] } as SQSEvent;
  const answer = (await handler(event, contextOf(remainingMs))) as SQSBatchResponse;
  expect(answer).toEqual({ batchItemFailures: [] });
}

/** The metrics that functions count from now on, by name. */
export async function countedMetrics(): Promise<Map<string, number>> {
  const { metrics } = await import('../../../shared/lambda/observability.ts');
  const counted = new Map<string, number>();
  vi.spyOn(metrics, 'addMetric').mockImplementation((name, _, value) => {
    counted.set(name, value);
    return metrics;
  });
  vi.spyOn(metrics, 'publishStoredMetrics').mockReturnValue(metrics);
  return counted;
}
