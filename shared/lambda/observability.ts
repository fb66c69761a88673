import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';

/** One of each per function; service name and namespace come from the environment that the stack sets. */
export const logger = new Logger();
export const metrics = new Metrics();

/** The middleware that every kind of trigger has in common: structured logs and metrics. Lambda itself writes the traces. */
export const observability = () => [injectLambdaContext(logger, { clearState: true }), logMetrics(metrics)];

/**
 * What a log says of a failure: its name, code and message, and those of its cause; no stack, no request. The message is
 * the `reason`, as the logger drops a `message` that is not the line's own.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { error: error.name, reason: error.message, ...code, ...cause };
}

/** Emits `RowsRejected` of each code, as a metric of its own dimension `code`. */
export function countRejections(rejections: Readonly<Record<string, number>>): void {
  for (const [code, count] of Object.entries(rejections)) {
    const metric = metrics.singleMetric();
    metric.addDimension('code', code);
    metric.addMetric('RowsRejected', MetricUnit.Count, count);
  }
}
